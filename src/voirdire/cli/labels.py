"""Runs as they are named on the command line, and what their models are called: `[LABEL=]RUN`.

Without a label a run is called as its folder, or as the folder above where its own is named like an exam or a part of
one: `runs/blind` and `runs/blind/answers` are both of `blind`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from voirdire.runs import Run

__all__ = ["Runs", "label_of", "read_labelled"]

Runs = Annotated[
    list[str],
    typer.Argument(metavar="[LABEL=]RUN…", help="Folders of runs, from `-o RUN`; LABEL is what its model is called."),
]


def read_labelled(named: Sequence[str]) -> "list[tuple[str, Run]]":
    """Each run with the label of its model."""
    from voirdire.runs import read_run

    made = []
    for text in named:
        label, path = _parted(text)
        run = read_run(path)
        made.append((label or label_of(path, run), run))
    return made


def label_of(path: str, run: "Run") -> str:
    """What the model of a run is called where nobody says it."""
    folder = Path(path).resolve()
    exams = {run.exam, run.part, run.title.replace(" ", "-")}
    return folder.parent.name if folder.name in exams and folder.parent.name else folder.name


def _parted(text: str) -> tuple[str, str]:
    """Label and path; a folder whose own name has an equals sign is a path."""
    label, equals, path = text.partition("=")
    return (label, path) if equals and not Path(text).exists() else ("", text)
