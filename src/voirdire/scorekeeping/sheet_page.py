"""A sheet as one page: the points one after the other, two questions each, and a button that saves the answers.

The page needs no network and sends nothing anywhere. What was chosen is kept by the browser until it is saved.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voirdire.errors import UsageError
from voirdire.formats.visdial_text import image_number

__all__ = ["Row", "page"]

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
class Row:
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


def page(rows: Sequence[Row], columns: Sequence[str], pictures: Path | None = None) -> str:
    """The whole page; `columns` are those of the table that it saves."""
    known = None if pictures is None else _by_number(pictures)
    points = "\n".join(_point(number, row, known) for number, row in enumerate(rows))
    given = [[row.split, row.dialogue, row.turn, row.image, "\n".join(row.lines), row.proposition] for row in rows]
    # "<" is written so that no text can end the script.
    data = json.dumps({"columns": list(columns), "rows": given}).replace("<", "\\u003c")
    key = hashlib.sha256(data.encode()).hexdigest()[:16]
    # The texts last, so that none of them is taken for a mark.
    filled = _PAGE.replace("@COUNT@", str(len(rows))).replace("@KEY@", key)
    before, between, after = re.split("@POINTS@|@DATA@", filled)
    return before + points + between + data + after


def _point(number: int, row: Row, pictures: dict[int, Path] | None) -> str:
    lines = "".join(f"<li>{html.escape(line)}</li>" for line in row.lines)
    asked = "".join(
        f"<fieldset><legend>{html.escape(text)}</legend>"
        + "".join(
            f'<label><input type="radio" name="{name}{number}" value="{value}"> {html.escape(word)}</label>'
            for value, word in choices
        )
        + "</fieldset>"
        for name, text, choices in QUESTIONS
    )
    image = "" if pictures is None else f'<img src="{_picture(row, pictures)}" alt="the picture">'
    return f"""<section><h2>{number + 1}</h2>{image}
<div><ol start="0">{lines}</ol><p class="sentence">{html.escape(row.proposition)}</p>{asked}</div></section>"""


def _by_number(folder: Path) -> dict[int, Path]:
    """The images of a folder by the number at the end of their names."""
    if not folder.is_dir():
        raise UsageError(f"`pictures`: there is no folder {folder}")
    found = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in TYPES and path.is_file()]
    return {number: path for path in found if (number := image_number(path.name)) is not None}


def _picture(row: Row, pictures: dict[int, Path]) -> str:
    number = int(row.image) if row.image.isdigit() else image_number(row.image)
    path = pictures.get(-1 if number is None else number)
    if path is None:
        raise UsageError(f"`pictures`: there is no image {row.image} in the folder; .jpg and .png are looked for")
    return f"data:image/{TYPES[path.suffix.lower()]};base64,{base64.b64encode(path.read_bytes()).decode()}"


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>What is true, and what is shared?</title>
<style>
body { font-family: Helvetica, Arial, sans-serif; margin: 2em auto; max-width: 60em; color: #222222; }
section { display: flex; gap: 1.5em; border-top: 1px solid #cccccc; padding: 1em 0; }
img { max-width: 24em; max-height: 20em; object-fit: contain; align-self: flex-start; }
.sentence { font-size: 1.15em; font-weight: bold; }
fieldset { border: 0; padding: 0.3em 0; margin: 0; } label { margin-right: 1.5em; }
footer { position: sticky; bottom: 0; background: white; border-top: 1px solid #cccccc; padding: 0.7em 0; }
</style></head><body>
<h1>What is true, and what is shared?</h1>
<p>A dialogue about a picture is shown up to some turn: line 0 is the caption, each further line a question with its
answer. Below it is a sentence. Answer two questions about the sentence; there are @COUNT@ of them. Then save the table
and send it back.</p>
<main>
@POINTS@
</main>
<footer><label>Your name or code: <input id="name"></label>
<button id="save">Save the table</button> <span id="left"></span></footer>
<script>
const sheet = @DATA@;
const key = "voirdire-sheet-@KEY@";
const chosen = JSON.parse(localStorage.getItem(key) || "{}");
const times = chosen.times || (chosen.times = {});
const name = document.getElementById("name");
name.value = chosen.name || "";
for (const input of document.querySelectorAll("input[type=radio]"))
  if (chosen[input.name] === input.value) input.checked = true;
function tell() {
  const done = sheet.rows.filter((_, n) => chosen["content" + n] && chosen["shared" + n]).length;
  document.getElementById("left").textContent = done + " of " + sheet.rows.length + " answered";
}
document.addEventListener("change", event => {
  if (event.target.type === "radio") {
    chosen[event.target.name] = event.target.value;
    times[event.target.name.replace(/^[a-z]+/, "")] = new Date().toISOString().slice(11, 19);
  } else if (event.target === name) chosen.name = name.value;
  localStorage.setItem(key, JSON.stringify(chosen));
  tell();
});
const cell = value => '"' + String(value).replaceAll('"', '""') + '"';
document.getElementById("save").addEventListener("click", () => {
  const lines = [sheet.columns, ...sheet.rows.map((row, n) =>
    [name.value, times[n] || "", ...row, chosen["content" + n] || "", chosen["shared" + n] || ""])];
  const text = lines.map(line => line.map(cell).join(",")).join("\\r\\n") + "\\r\\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
  link.download = "judged.csv";
  link.click();
});
tell();
</script>
</body></html>
"""
