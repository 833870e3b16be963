"""A sheet as one page: the points one after the other, two questions each, and a button that saves the answers.

The page needs no network and sends nothing anywhere. What was chosen is kept by the browser until it is saved.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voirdire.errors import UsageError
from voirdire.escaping import sheet_cell
from voirdire.formats.visdial_text import image_number
from voirdire.pages import part, render

__all__ = ["SheetRow", "page"]

TITLE = "What is true, and what is shared?"

TYPES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg"}
QUESTIONS = (
    ("content", "Is the sentence true of the picture, as far as you can tell?", (("1", "true"), ("0", "false"))),
    (
        "shared",
        "Has it been said so far, so that someone who does not see the picture knows whether it is true?",
        (("1", "yes, it is shared"), ("0", "no, it is private to whoever sees the picture")),
    ),
)


@dataclass(frozen=True, slots=True)
class SheetRow:
    """What a judge sees of one point.

    dialogue  its place in the file, from 0
    turn      up to which it is shown; 0 is the caption alone
    image     the name of the image's file, or its id
    lines     the caption, then one line per round
    """

    split: str
    dialogue: int
    turn: int
    image: str
    lines: tuple[str, ...]
    proposition: str

    def cells(self) -> list[str | int]:
        """As it stands in a table, which judges open in a spreadsheet."""
        texts = map(sheet_cell, (self.split, self.image, "\n".join(self.lines), self.proposition))
        split, image, lines, proposition = texts
        return [split, self.dialogue, self.turn, image, lines, proposition]


def page(rows: Sequence[SheetRow], columns: Sequence[str], pictures: Path | None = None) -> str:
    """The whole page; `columns` are those of the table that it saves."""
    known = None if pictures is None else _by_number(pictures)
    points = [{"row": row, "picture": "" if known is None else _picture(row, known)} for row in rows]
    sheet = {"columns": list(columns), "rows": [row.cells() for row in rows]}
    # What was chosen on one sheet is not shown on another.
    key = hashlib.sha256(json.dumps(sheet).encode()).hexdigest()[:16]
    css, script = (part("voirdire.scorekeeping", f"sheet.{kind}") for kind in ("css", "js"))
    return render(
        "voirdire.scorekeeping",
        "sheet.html",
        TITLE,
        css=css,
        script=script,
        points=points,
        questions=QUESTIONS,
        sheet={**sheet, "key": key},
    )


def _by_number(folder: Path) -> dict[int, Path]:
    """The images of a folder by the number at the end of their names."""
    found = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in TYPES and path.is_file()]
    return {number: path for path in found if (number := image_number(path.name)) is not None}


def _picture(row: SheetRow, pictures: dict[int, Path]) -> str:
    number = int(row.image) if row.image.isdigit() else image_number(row.image)
    path = pictures.get(-1 if number is None else number)
    if path is None:
        raise UsageError(f"`pictures`: there is no image {row.image} in the folder; .jpg and .png are looked for")
    return f"data:image/{TYPES[path.suffix.lower()]};base64,{base64.b64encode(path.read_bytes()).decode()}"
