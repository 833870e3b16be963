"""Options that several verbs of `voirdire questions` share."""

from typing import Annotated

import typer

__all__ = ["NAMES", "Answers", "Coco", "Confusion", "Games", "MaxQuestions", "OracleName", "Originals"]

NAMES = "Who answers for every object: table:FILE, model:FILE or scenes:FILE."

Games = Annotated[str, typer.Option(metavar="FILE", help="Games: GuessWhat?! of either layout, logs, or 20 questions.")]
Coco = Annotated[
    str | None, typer.Option(metavar="INSTANCES", help="COCO instances, for games without lists of objects.")
]
Originals = Annotated[
    str | None, typer.Option(metavar="GAMES", help="Original games on the same images, for games without such lists.")
]
OracleName = Annotated[
    str | None,
    typer.Option(
        "--oracle",
        metavar="O",
        help=f"{NAMES} 20 questions need none.",
    ),
]
Answers = Annotated[
    str,
    typer.Option(
        metavar="oracle|recorded",
        help="Whose answer about the target counts: the oracle's, as published, or that of the dialogue.",
    ),
]
MaxQuestions = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Score the first N questions only; the outcome stays.")
]
Confusion = Annotated[
    str | None,
    typer.Option(
        metavar="RUN",
        help="A run of `oracle-accuracy` with this oracle: also gives the effectiveness corrected for its errors.",
    ),
]
