"""`voirdire robustness plot`: accuracy by partition with its intervals, drawn from a run."""

from typing import Annotated

import typer

__all__ = ["plot"]


def plot(
    run: Annotated[str, typer.Option(metavar="RUN", help="A run's folder, from `score -o RUN` or `rankers -o RUN`.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Where to draw: a file in .svg, .png or .html.")
    ],
) -> None:
    """Draw accuracy by partition, with 95 % intervals and the clean accuracy as a line."""
    from voirdire.robustness.plot import plot_partitions
    from voirdire.runs import read_run

    typer.echo(f"drawn: {plot_partitions(read_run(run), output)}")
