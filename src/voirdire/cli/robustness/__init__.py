"""`voirdire robustness`: does a model's accuracy hold when related questions are added? One thin file a verb."""

import typer

from voirdire.cli.robustness.accuracy import accuracy
from voirdire.cli.robustness.helpful import helpful
from voirdire.cli.robustness.perturb import perturb
from voirdire.cli.robustness.plot import plot
from voirdire.cli.robustness.r_score import r_score
from voirdire.cli.robustness.rank import rank
from voirdire.cli.robustness.rankers import rankers
from voirdire.cli.robustness.score import score
from voirdire.cli.robustness.show import show

__all__ = ["robustness"]

robustness = typer.Typer(
    no_args_is_help=True,
    help="Rank related questions, add them to a model's questions as noise, and score what it still gets right.",
)


@robustness.callback()
def _robustness() -> None:
    """Rank related questions, add them to a model's questions as noise, and score what it still gets right."""


robustness.command("score")(score)
robustness.command("accuracy")(accuracy)
robustness.command("r-score")(r_score)
robustness.command("rankers")(rankers)
robustness.command("plot")(plot)
robustness.command("rank")(rank)
robustness.command("perturb")(perturb)
robustness.command("helpful")(helpful)
robustness.command("show")(show)
