"""A scoreboard as a picture: gold on the left, predicted on the right, a row per proposition, a column per turn.

Blue is true and orange false; full colour is shared and pale private; what a task says nothing of is grey. A cell that
is wrong has a red frame with a full corner. The numbers at the end of a row are those of `board`.
"""

import html
import re
import textwrap
from pathlib import Path

from voirdire.drawings import GREY, write_svg
from voirdire.scorekeeping.board import ERRORS, Board, Row, letter
from voirdire.scorekeeping.probe.tasks import ProbeTask

__all__ = ["colours", "draw_board", "page", "svg"]

CELL, LINE, GAP, MARGIN = 24, 15, 28, 20
CHARACTERS, LETTER = 46, 6.4
"""Characters of a proposition on one line, and how wide one is drawn."""
WRONG = "#c0392b"
_FULL = {1: "#1f6fb4", 0: "#d9822b", -1: "#5b6770"}
_PALE = {1: "#cfe3f4", 0: "#fbe3c8", -1: "#dfe3e6"}

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def draw_board(board: Board, path: str | Path) -> Path:
    """Draw a scoreboard to a file whose ending says how: .html, .svg, .png."""
    made = svg(board)
    return write_svg(made, page(board, made), path)


def colours(task: ProbeTask, place: int) -> tuple[str, str]:
    """The colours of a class: of its cell, and of the letter on it."""
    truth, shared = task.truth[place], task.shared[place]
    return (_PALE[truth], "#333333") if shared == 0 else (_FULL[truth], "white")


def svg(board: Board) -> str:
    """The two matrices and their legend."""
    texts = [_wrapped(row.proposition) for row in board.rows]
    left = MARGIN + LETTER * max(len(line) for lines in texts for line in lines) + 12
    across = CELL * board.turns
    places = (left, left + across + GAP)
    top = MARGIN + 4 * LINE + 8
    heights = [max(CELL, LINE * len(lines) + 4) for lines in texts]
    spoken = [line for turn, text in enumerate(board.spoken) for line in _spoken(turn, text)]
    width = max(places[1] + across + 60, MARGIN + LETTER * max(map(len, [board.head(), *spoken]), default=0) + MARGIN)
    below = top + sum(heights) + LINE
    legend = _legend(board, below)
    foot = below + 2 * LINE + LINE * len({error for row in board.rows for error in row.errors}) + LINE
    height = foot + LINE * len(spoken) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        _text(MARGIN, MARGIN + 10, board.head(), 'font-weight="bold"'),
    ]
    for title, x in zip(("gold", "predicted"), places, strict=True):
        parts.append(_text(x, top - LINE - 8, title, f'fill="{GREY}"'))
        parts += [
            _text(x + CELL * (turn + 0.5), top - 6, str(turn), f'fill="{GREY}" text-anchor="middle" font-size="10"')
            for turn in range(board.turns)
        ]
    y = float(top)
    for number, (row, lines, high) in enumerate(zip(board.rows, texts, heights, strict=True)):
        if number and row.index % 2 == 0:
            parts.append(f'<line x1="{MARGIN}" x2="{places[1] + across}" y1="{y}" y2="{y}" stroke="#bbbbbb"/>')
        parts += [_text(MARGIN, y + 16 + LINE * place, line) for place, line in enumerate(lines)]
        parts += _cells(board, row, row.gold, places[0], y, high, marked=False)
        parts += _cells(board, row, row.predicted, places[1], y, high, marked=True)
        if row.errors:
            numbers = " ".join(map(str, row.errors))
            parts.append(_text(places[1] + across + 8, y + 16, numbers, f'fill="{WRONG}" font-weight="bold"'))
        y += high
    parts += legend
    parts += [_text(MARGIN, foot + LINE * place, line, f'fill="{GREY}"') for place, line in enumerate(spoken)]
    return "\n".join([*parts, "</svg>"])


def _cells(board: Board, row: Row, places: tuple[int, ...], x: float, y: float, high: float, marked: bool) -> list[str]:
    parts = []
    for turn, place in enumerate(places):
        fill, ink = colours(board.task, place)
        at, wide, tall = x + CELL * turn + 1, CELL - 2, high - 2
        wrong = marked and row.wrong[turn]
        # The frame stays inside the cell, so that neighbours can be told apart.
        inset = 1.25 if wrong else 0
        frame = f'stroke="{WRONG}" stroke-width="2.5"' if wrong else 'stroke="none"'
        parts.append(
            f'<rect x="{at + inset:.2f}" y="{y + 1 + inset:.2f}" width="{wide - 2 * inset:.2f}" '
            f'height="{tall - 2 * inset:.2f}" fill="{fill}" {frame}/>'
        )
        middle = f'fill="{ink}" text-anchor="middle" font-size="11"'
        parts.append(_text(at + wide / 2, y + high / 2 + 4, letter(board.task, place), middle))
        if wrong:
            right, up = at + wide, y + 1
            corner = f"M{right - 8:.1f} {up:.1f} L{right:.1f} {up:.1f} L{right:.1f} {up + 8:.1f} Z"
            parts.append(f'<path d="{corner}" fill="{WRONG}"/>')
    return parts


def _legend(board: Board, y: float) -> list[str]:
    parts, x = [], float(MARGIN)
    for place, name in enumerate(board.task.classes):
        fill, ink = colours(board.task, place)
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="16" height="16" fill="{fill}"/>')
        parts.append(
            _text(x + 8, y + 12, letter(board.task, place), f'fill="{ink}" text-anchor="middle" font-size="10"')
        )
        parts.append(_text(x + 21, y + 12, name))
        x += 36 + LETTER * len(name)
    parts.append(
        f'<rect x="{x:.1f}" y="{y + 1:.1f}" width="14" height="14" fill="none" stroke="{WRONG}" stroke-width="2"/>'
    )
    parts.append(_text(x + 21, y + 12, "wrong"))
    shown = sorted({error for row in board.rows for error in row.errors})
    parts += [
        _text(MARGIN, y + 2.4 * LINE + LINE * place, f"{error}  {ERRORS[error]}", f'fill="{WRONG}"')
        for place, error in enumerate(shown)
    ]
    return parts


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, CHARACTERS, break_on_hyphens=False) or [""]


def _spoken(turn: int, text: str) -> list[str]:
    lines = textwrap.wrap(text, 100, break_on_hyphens=False) or [""]
    return [f"{turn}  {lines[0]}", *(f"    {line}" for line in lines[1:])]


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    """Fit for XML: marks escaped, and no character that XML cannot hold."""
    return html.escape(_CONTROL.sub("\ufffd", text))


def page(board: Board, made: str) -> str:
    """A page with the picture and the same as a table."""
    heads = "".join(f"<th>{turn}</th>" for turn in range(board.turns))
    rows = "".join(_table_row(board, row) for row in board.rows)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>dialogue {board.dialogue}</title>
<style>
body {{ font-family: Helvetica, Arial, sans-serif; margin: 2em; color: #222222; }}
table {{ border-collapse: collapse; font-size: 0.85em; }}
th, td {{ text-align: left; padding: 0.25em 0.5em; border-bottom: 1px solid #dddddd; }}
td.wrong {{ color: {WRONG}; font-weight: bold; }}
svg {{ max-width: 100%; height: auto; }}
</style></head><body>
{made}
<h2>Predictions</h2>
<p>{_escaped(board.legend())}. What is wrong is red, with the gold class after it.</p>
<table><thead><tr><th>proposition</th><th>rule</th><th>shared at</th>{heads}<th>errors</th></tr></thead><tbody>
{rows}</tbody></table>
</body></html>
"""


def _table_row(board: Board, row: Row) -> str:
    cells = []
    for gold, taken, wrong in zip(row.gold, row.predicted, row.wrong, strict=True):
        said = letter(board.task, taken)
        cells.append(f'<td class="wrong">{said} ({letter(board.task, gold)})</td>' if wrong else f"<td>{said}</td>")
    errors = "; ".join(ERRORS[error] for error in row.errors)
    start = f"<td>{_escaped(row.proposition)}</td><td>{_escaped(row.rule)}</td><td>{row.turn_shared}</td>"
    return f"<tr>{start}{''.join(cells)}<td>{errors}</td></tr>\n"
