"""`voirdire robustness`: does a model's accuracy hold when related questions are added? One thin file a verb."""

import typer

from voirdire.cli.robustness.r_score import r_score

__all__ = ["robustness"]

robustness = typer.Typer(
    no_args_is_help=True,
    help="Rank related questions, add them to a model's questions as noise, and score what it still gets right.",
)


@robustness.callback()
def _robustness() -> None:
    """Rank related questions, add them to a model's questions as noise, and score what it still gets right."""


robustness.command("r-score")(r_score)
