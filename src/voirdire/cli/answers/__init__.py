"""`voirdire answers`: are the answers that a model generates among the valid ones? One thin file a verb."""

import typer

__all__ = ["answers"]

answers = typer.Typer(
    no_args_is_help=True,
    help="Score generated answers and rankings against sets of valid answers, and make such sets.",
)


@answers.callback()
def _answers() -> None:
    """Score generated answers and rankings against sets of valid answers, and make such sets."""
