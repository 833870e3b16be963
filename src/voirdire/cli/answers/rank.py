"""`voirdire answers rank`: how high a model ranks the true answer, and how well it orders the relevant ones."""

from typing import Annotated

import typer

from voirdire.cli.answers.options import Dense, RoundBase, Visdial
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["rank"]


def rank(
    visdial: Visdial,
    ranks: Annotated[
        str | None, typer.Option(metavar="FILE", help="The model's rankings: `ranks[i]` is the rank of option i.")
    ] = None,
    scores: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Instead of --ranks: its scores, higher is better; ties take the worst rank."
        ),
    ] = None,
    dense: Dense = None,
    cutoff: Annotated[
        str,
        typer.Option(
            help="Where NDCG ends: `relevant`, at the number of relevant options, or `scored`, at all of them."
        ),
    ] = "relevant",
    round_base: RoundBase = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Mean rank, reciprocal rank, recall at 1, 5 and 10 of the true answer and, with --dense, NDCG."""
    from typing import get_args

    from voirdire.answers.files import rank_files
    from voirdire.answers.ranking import RankOptions
    from voirdire.errors import UsageError
    from voirdire.metrics.ranks import Cutoff

    check(as_json, latex, output, overwrite)
    if cutoff not in get_args(Cutoff):
        raise UsageError(f"--cutoff {cutoff!r}: may be one of {', '.join(get_args(Cutoff))}")
    options = RankOptions(cutoff, seed)  # type: ignore[arg-type]
    give(rank_files(visdial, ranks, scores, dense, options, round_base), as_json, latex, output, overwrite)
