"""Options that several verbs of `voirdire robustness` share."""

from typing import Annotated

import typer

__all__ = ["Annotations", "Common", "Limit", "Rankings", "Tolerance"]

Annotations = Annotated[str, typer.Option(metavar="FILE", help="VQA annotations: ten people's answers a question.")]
Common = Annotated[
    bool, typer.Option("--common", help="Score the questions that all files have, where some lack questions.")
]
Tolerance = Annotated[float, typer.Option("--t", help="R_score's tolerance: a drop up to this costs nothing.")]
Limit = Annotated[float, typer.Option("--m", help="R_score's limit: a drop from here on costs everything.")]

Rankings = Annotated[
    list[str],
    typer.Option("--ranking", metavar="R", help="What `voirdire robustness rank` wrote; again for each further part."),
]
