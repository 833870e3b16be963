"""`voirdire answers`: are the answers that a model generates among the valid ones? One thin file a verb."""

import typer

from voirdire.cli.answers.audit import audit
from voirdire.cli.answers.bounds import bounds
from voirdire.cli.answers.densify import densify
from voirdire.cli.answers.humans import humans
from voirdire.cli.answers.overlap import overlap
from voirdire.cli.answers.predict import predict
from voirdire.cli.answers.rank import rank
from voirdire.cli.answers.references import references
from voirdire.cli.answers.score import score
from voirdire.cli.answers.train import train

__all__ = ["answers"]

answers = typer.Typer(
    no_args_is_help=True,
    help="Score generated answers and rankings against sets of valid answers, and make such sets.",
)


@answers.callback()
def _answers() -> None:
    """Score generated answers and rankings against sets of valid answers, and make such sets."""


answers.command("score")(score)
answers.command("bounds")(bounds)
answers.command("rank")(rank)
answers.command("overlap")(overlap)
answers.command("humans")(humans)
answers.command("audit")(audit)
answers.command("references")(references)
answers.command("train")(train)
answers.command("predict")(predict)
answers.command("densify")(densify)
