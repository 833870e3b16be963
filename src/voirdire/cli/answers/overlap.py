"""`voirdire answers overlap`: how far one file's reference sets agree with another's."""

from typing import Annotated

import typer

from voirdire.cli.answers.options import CcaFile, RoundBase
from voirdire.cli.progress import show_progress
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["overlap"]


def overlap(
    of: Annotated[str, typer.Option(metavar="FILE", help="The reference sets that are judged.")],
    by: Annotated[str, typer.Option("--with", metavar="FILE", help="Those that they are judged by, people's for one.")],
    cca: CcaFile = None,
    encoder: Annotated[
        str | None, typer.Option(help="Where the CCA's encoder is now, if it was moved since training.")
    ] = None,
    common: Annotated[bool, typer.Option("--common", help="Leave out rounds that only one file has.")] = False,
    round_base: RoundBase = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """IoU, precision and recall in per cent, size, and whether the ground truth is in; with --cca, correlations too."""
    from voirdire.answers.files import overlap_files
    from voirdire.answers.overlap import OverlapOptions
    from voirdire.errors import UsageError

    check(as_json, latex, output, overwrite)
    if encoder is not None and cca is None:
        raise UsageError("--encoder is that of a CCA: give --cca too")
    with show_progress("answers overlap", "texts") as report:
        run = overlap_files(of, by, OverlapOptions(common, seed), cca, encoder, round_base, report=report)
    give(run, as_json, latex, output, overwrite)
