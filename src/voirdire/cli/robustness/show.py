"""`voirdire robustness show`: a main question's neighbours, also while they are ranked; two rankings compared."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson, Seed, give, warn

__all__ = ["show"]


def show(
    ranking: Annotated[
        str, typer.Option(metavar="R", help="What `voirdire robustness rank` wrote, or is writing at this moment.")
    ],
    question: Annotated[
        str | None, typer.Option(metavar="ID|TEXT", help="The main question to show; the first if not given.")
    ] = None,
    overlap: Annotated[
        str | None, typer.Option(metavar="R", help="Another ranking: the mean share of neighbours that both list.")
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Show a main question's basic questions with their scores, or how far two rankings agree."""
    from voirdire.errors import UsageError
    from voirdire.robustness.ranking.summary import compare_rankings, find_question, first_question, head_lines
    from voirdire.robustness.ranking.unfinished import read_either

    if question is not None and overlap is not None:
        raise UsageError("--question and --overlap exclude each other")
    shown = read_either(ranking)
    if overlap is not None:
        give(compare_rankings(shown, read_either(overlap), seed), as_json)
        return
    listing = first_question(shown) if question is None else find_question(shown, question)
    if as_json:
        typer.echo(listing.to_json(shown))
        return
    for line in (*head_lines(shown), "", *listing.lines()):
        typer.echo(line)
    warn(shown.warnings)
