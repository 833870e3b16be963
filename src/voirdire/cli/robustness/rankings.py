"""The option by which verbs of `voirdire robustness` take a ranking."""

from typing import Annotated

import typer

__all__ = ["Rankings"]

Rankings = Annotated[
    list[str],
    typer.Option("--ranking", metavar="R", help="What `voirdire robustness rank` wrote; again for each further part."),
]
