"""`voirdire questions oracle-accuracy`: how often an oracle gives the recorded answer."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.progress import stage
from voirdire.cli.questions.options import NAMES, Coco, Originals
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["oracle_accuracy"]


def oracle_accuracy(
    games: Annotated[
        str | None, typer.Option(metavar="FILE", help="GuessWhat?! games whose questions the oracle is asked.")
    ] = None,
    oracle: Annotated[str | None, typer.Option(metavar="O", help=NAMES)] = None,
    answers: Annotated[
        str | None,
        typer.Option(metavar="CSV", help="In place of games: several oracles' answers beside the human ones, a table."),
    ] = None,
    coco: Coco = None,
    originals: Originals = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Accuracy of an oracle by type of question and by turn, and which answers it takes for which.

    The folder that -o writes is what `voirdire questions score --confusion` reads.
    """
    from voirdire.errors import UsageError
    from voirdire.formats.oracle_answers import read_oracle_answers
    from voirdire.questions.agreement import score_agreement
    from voirdire.questions.oracle_accuracy import OracleAccuracyOptions, score_oracle
    from voirdire.questions.oracles import make_oracle
    from voirdire.questions.reading import read_played

    check(as_json, latex, output, overwrite)
    if answers is not None:
        if any(one is not None for one in (games, oracle, coco, originals)):
            raise UsageError("--answers goes alone: it holds the oracles' answers and the human ones")
        give(score_agreement(read_oracle_answers(answers), seed), as_json, latex, output, overwrite)
        return
    if games is None or oracle is None:
        raise UsageError("give --games and --oracle, or a table of oracles' answers (--answers)")
    played = read_played(games, coco, originals)
    with contextlib.ExitStack() as shown:
        asking = stage(shown, "ask the oracle", "games")
        options = OracleAccuracyOptions(seed)
        run = score_oracle(played.games, make_oracle(oracle), options, data=played.data, report=asking)
    give(run, as_json, latex, output, overwrite)
