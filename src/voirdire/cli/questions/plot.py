"""`voirdire questions plot`: effectiveness by turn with its intervals, drawn from runs."""

from typing import Annotated

import typer

__all__ = ["plot"]


def plot(
    run: Annotated[
        list[str], typer.Option(metavar="RUN", help="A run's folder, from `score -o RUN`; again for each further line.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Where to draw: a file in .svg, .png or .html.")
    ],
) -> None:
    """Draw the share of effective questions at every turn, with 95 % intervals, one line a run."""
    from voirdire.questions.plot import plot_turns
    from voirdire.runs import read_run

    typer.echo(f"drawn: {plot_turns({folder: read_run(folder) for folder in run}, output)}")
