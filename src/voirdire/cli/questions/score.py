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
    from voirdire.questions.asking import ask
    from voirdire.questions.correction import corrected, read_confusion
    from voirdire.questions.reading import read_played
    from voirdire.questions.scoring import QuestionsOptions, score_questions

    check(as_json, latex, output, overwrite)
    options = QuestionsOptions(answers, max_questions, seed)  # type: ignore[arg-type]
    known = None if confusion is None else read_confusion(confusion)
    with contextlib.ExitStack() as shown:
        reading = stage(shown, "read", "files")
        reading(0, 1)
        played = read_played(games, coco, originals)
        reading(1, 1)
        asked = ask(played.games, oracle, max_questions, stage(shown, "ask the oracle", "games"))
        scoring = stage(shown, "score", "steps")
        run = score_questions(
            asked.games,
            asked.answers,
            options,
            oracle=asked.oracle,
            data=played.data,
            warnings=asked.warnings,
            report=scoring,
        )
        if known is not None:
            run = corrected(run, asked, known, stage(shown, "correct", "games"))
    give(run, as_json, latex, output, overwrite)
