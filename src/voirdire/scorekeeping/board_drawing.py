"""A scoreboard as a picture: gold on the left, predicted on the right, a row per proposition, a column per turn.

Blue is true and orange false; full colour is shared and pale private; what a task says nothing of is grey. A cell that
is wrong has a red frame with a full corner. The numbers at the end of a row are those of `board`.
"""

import textwrap
from pathlib import Path

from voirdire.drawings import GREY, DrawnTable, svg_text, write_svg
from voirdire.scorekeeping.board import ERRORS, Board, Row, letter
from voirdire.scorekeeping.measures import NOTHING
from voirdire.scorekeeping.points import ScoreTask

CELL, LINE, GAP, MARGIN = 24, 15, 28, 20
CHARACTERS, LETTER = 46, 6.4
"""Characters of a proposition on one line, and how wide one is drawn."""
WRONG = "#c0392b"
_FULL = {1: "#1f6fb4", 0: "#d9822b", -1: "#5b6770"}
_PALE = {1: "#cfe3f4", 0: "#fbe3c8", -1: "#dfe3e6"}


def draw_board(board: Board, path: str | Path) -> Path:
    """Draw a scoreboard to a file whose ending says how: .html, .svg, .png."""
    return write_svg(svg(board), path, _beside(board))


def colours(task: ScoreTask, place: int) -> tuple[str, str]:
    """The colours of a class: of its cell, and of the letter on it."""
    if place == NOTHING:
        return "white", GREY
    truth, shared = task.truth[place], task.shared[place]
    return (_PALE[truth], "#333333") if shared == 0 else (_FULL[truth], "white")


def svg(board: Board) -> str:
    """The two matrices and their legend."""
    texts = [textwrap.wrap(row.proposition, CHARACTERS, break_on_hyphens=False) or [""] for row in board.rows]
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
        svg_text(MARGIN, MARGIN + 10, board.head(), 'font-weight="bold"'),
    ]
    for title, x in zip(("gold", "predicted"), places, strict=True):
        parts.append(svg_text(x, top - LINE - 8, title, f'fill="{GREY}"'))
        parts += [
            svg_text(x + CELL * (turn + 0.5), top - 6, str(turn), f'fill="{GREY}" text-anchor="middle" font-size="10"')
            for turn in range(board.turns)
        ]
    y = float(top)
    for number, (row, lines, high) in enumerate(zip(board.rows, texts, heights, strict=True)):
        if number and row.index % 2 == 0:
            parts.append(f'<line x1="{MARGIN}" x2="{places[1] + across}" y1="{y}" y2="{y}" stroke="#bbbbbb"/>')
        parts += [svg_text(MARGIN, y + 16 + LINE * place, line) for place, line in enumerate(lines)]
        parts += _cells(board, row, row.gold, places[0], y, high, marked=False)
        parts += _cells(board, row, row.predicted, places[1], y, high, marked=True)
        if row.errors:
            numbers = " ".join(map(str, row.errors))
            parts.append(svg_text(places[1] + across + 8, y + 16, numbers, f'fill="{WRONG}" font-weight="bold"'))
        y += high
    parts += legend
    parts += [svg_text(MARGIN, foot + LINE * place, line, f'fill="{GREY}"') for place, line in enumerate(spoken)]
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
        parts.append(svg_text(at + wide / 2, y + high / 2 + 4, letter(board.task, place), middle))
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
            svg_text(x + 8, y + 12, letter(board.task, place), f'fill="{ink}" text-anchor="middle" font-size="10"')
        )
        parts.append(svg_text(x + 21, y + 12, name))
        x += 36 + LETTER * len(name)
    parts.append(
        f'<rect x="{x:.1f}" y="{y + 1:.1f}" width="14" height="14" fill="none" stroke="{WRONG}" stroke-width="2"/>'
    )
    parts.append(svg_text(x + 21, y + 12, "wrong"))
    errors = sorted({error for row in board.rows for error in row.errors})
    parts += [
        svg_text(MARGIN, y + 2.4 * LINE + LINE * place, f"{error}  {ERRORS[error]}", f'fill="{WRONG}"')
        for place, error in enumerate(errors)
    ]
    return parts


def _spoken(turn: int, text: str) -> list[str]:
    lines = textwrap.wrap(text, 100, break_on_hyphens=False) or [""]
    return [f"{turn}  {lines[0]}", *(f"    {line}" for line in lines[1:])]


def _beside(board: Board) -> DrawnTable:
    """The same as a table, with the gold class after what is wrong."""
    turns = range(board.turns)
    columns = ("proposition", "rule", "shared at", *map(str, turns), "errors")
    return DrawnTable(
        f"Dialogue {board.dialogue}",
        columns,
        [_table_row(board, row) for row in board.rows],
        note=f"{board.legend()}. What is wrong is red, with the gold class after it.",
        wrong={(at, 3 + turn) for at, row in enumerate(board.rows) for turn in turns if row.wrong[turn]},
    )


def _table_row(board: Board, row: Row) -> list[str]:
    cells = [row.proposition, row.rule, str(row.turn_shared)]
    for gold, taken, wrong in zip(row.gold, row.predicted, row.wrong, strict=True):
        cell = letter(board.task, taken)
        cells.append(f"{cell} ({letter(board.task, gold)})" if wrong else cell)
    return [*cells, "; ".join(ERRORS[error] for error in row.errors)]
