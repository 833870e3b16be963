"""`voirdire answers humans`: what judges keep of reference sets, and how far they agree."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["humans"]


def humans(
    judgements: Annotated[
        str,
        typer.Option(metavar="CSV", help="A table image_id,round_id,set,judge,candidate,selected; - for stdin."),
    ],
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """The share of each method's sets that judges keep, the share that at least one keeps, variances and agreement."""
    from voirdire.answers.humans import HumansOptions, judge_sets
    from voirdire.formats.selections import read_selections

    check(as_json, latex, output, overwrite)
    give(judge_sets(read_selections(judgements), HumansOptions(seed)), as_json, latex, output, overwrite)
