"""`voirdire questions score`: effectiveness, referring questions and task success of games."""

import contextlib

from voirdire.cli.progress import stage
from voirdire.cli.questions.options import Answers, Coco, Confusion, Games, MaxQuestions, OracleName, Originals
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["score"]


def score(
    games: Games,
    oracle: OracleName = None,
    coco: Coco = None,
    originals: Originals = None,
    answers: Answers = "oracle",
    max_questions: MaxQuestions = None,
    confusion: Confusion = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Which questions narrow the candidates, which refer to the target, and how the games end."""
    from voirdire.questions.files import score_files
    from voirdire.questions.scoring import QuestionsOptions

    check(as_json, latex, output, overwrite)
    options = QuestionsOptions(answers, max_questions, seed)  # type: ignore[arg-type]
    with contextlib.ExitStack() as shown:
        run = score_files(
            games,
            oracle,
            coco,
            originals,
            options,
            confusion,
            reading=stage(shown, "read", "files"),
            asking=stage(shown, "ask the oracle", "games"),
            scoring=stage(shown, "score", "steps"),
            correcting=stage(shown, "correct", "games"),
        )
    give(run, as_json, latex, output, overwrite)
