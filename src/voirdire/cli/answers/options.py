"""Options that several verbs of `voirdire answers` share."""

from typing import Annotated

import typer

__all__ = ["CcaFile", "Dense", "RoundBase", "Visdial"]

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
