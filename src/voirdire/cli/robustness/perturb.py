"""`voirdire robustness perturb`: official questions files with noise, for a model to answer."""

from typing import Annotated

import typer

from voirdire.cli.results import warn
from voirdire.cli.robustness.options import Rankings

__all__ = ["perturb"]


def perturb(
    ranking: Rankings,
    partition: Annotated[
        str | None,
        typer.Option(metavar="P", help="1 to 7; clean (or 0); control1 to control7, drawn questions as long as P's."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="QUESTIONS", help="Where to write: .json or .json.gz.")
    ] = None,
    all_: Annotated[
        str | None,
        typer.Option("--all", metavar="DIR", help="Write clean, all seven partitions and control1 to this folder."),
    ] = None,
    max_words: Annotated[int, typer.Option(min=0, metavar="N", help="Where a question is cut; 0 is nowhere.")] = 26,
    seed: Annotated[int, typer.Option(min=0, help="Of the control's draws.")] = 0,
) -> None:
    """Put each main question before three of its basic questions, ranks 1-3, 4-6, … 19-21."""
    from voirdire.errors import UsageError
    from voirdire.robustness.noise import Perturbed, perturb_files
    from voirdire.robustness.ranking.options import PerturbOptions

    if all_ is not None and (partition is not None or output is not None):
        raise UsageError("--all writes all partitions to a folder; leave --partition and --output out")
    if all_ is None and (partition is None or output is None):
        raise UsageError("give --partition and --output, or --all and a folder")

    def told(made: Perturbed, path: str) -> None:
        typer.echo(f"{made}: {path}", err=path == "-")

    options = PerturbOptions(max_words, seed)
    warn(perturb_files(ranking, all_ or output or "", partition, options, told=told))
