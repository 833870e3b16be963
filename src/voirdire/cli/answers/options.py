"""Options that several verbs of `voirdire answers` share."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from voirdire.formats.ranks import Ranks
    from voirdire.formats.scores import Scores

__all__ = ["CcaFile", "Dense", "RoundBase", "Visdial", "read_ranking"]

Visdial = Annotated[str, typer.Option(metavar="FILE", help="VisDial dialogues with their candidate answers.")]
Dense = Annotated[
    str | None, typer.Option(metavar="FILE", help="Dense annotations: the relevance of each of a round's options.")
]
CcaFile = Annotated[
    str | None, typer.Option("--cca", metavar="FILE", help="A CCA that `voirdire answers train` wrote.")
]
RoundBase = Annotated[
    int | None, typer.Option(min=0, max=1, help="From where rounds are counted, in files that leave it open.")
]


def read_ranking(ranks: str | None, scores: str | None, round_base: int | None) -> "Ranks | Scores":
    """The one of the two files that is given."""
    from voirdire.errors import UsageError
    from voirdire.formats.ranks import FORMAT as RANKS
    from voirdire.formats.rounds import read_with_base
    from voirdire.formats.scores import FORMAT as SCORES

    if ranks is not None and scores is None:
        ranked: Ranks = read_with_base(ranks, RANKS, round_base)
        return ranked
    if scores is not None and ranks is None:
        scored: Scores = read_with_base(scores, SCORES, round_base)
        return scored
    raise UsageError("give either --ranks or --scores")
