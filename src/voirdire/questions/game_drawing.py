"""One game as a picture: a panel before the first question and one after each, with the boxes that are left.

What is left is drawn in ink, what was excluded in grey, the target with a thick line, and the object that the question
refers to, where that is another, with a dashed one. The image itself lies below the boxes where its file is at hand.
The names of boxes are written so that they can be read although the boxes overlap.
"""

import base64
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path

from voirdire.drawings import GREY, INK, DrawnTable, svg_text, write_svg
from voirdire.errors import UsageError
from voirdire.figures import counted
from voirdire.formats.coco import Box
from voirdire.questions.reference_sets import members
from voirdire.questions.show import Story

PANEL, GAP, LINE = 320, 24, 16
ACROSS = 3
TARGET, OTHER, FAINT = "#c0392b", "#b8860b", "#bbbbbb"
HEAD_CHARACTERS, FOOT_CHARACTERS = 50, 56
MOST = 3
"""Lines above and below a panel."""
CELL = (80, 28)
Spot = tuple[float, float]
LETTER, HEIGHT = 5.5, 11
"""About what a letter of ten pixels takes, and a line of them."""
RISE, EDGE = 9, 3
"""How far letters rise above their base line, and the space between a name and its box."""
COLUMNS = ("turn", "question", "answer", "left (* the target)", "result")
TYPES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg"}


def draw_story(story: Story, path: str | Path, pictures: str | Path | None = None) -> Path:
    """Draw a game to a file whose ending says how: .svg, .png, .html; `pictures` is the folder of the image's file."""
    drawing = svg(story, None if pictures is None else _picture(story, Path(pictures)))
    rows = [_row(story, turn) for turn in range(len(story.turns))]
    return write_svg(drawing, path, DrawnTable(f"Game {story.game.game_id}", COLUMNS, rows, story.head()))


def _picture(story: Story, folder: Path) -> str:
    """The image as an address that holds all of it."""
    if story.file_name is None:
        raise UsageError("`pictures`: the game does not say the name of its image's file")
    path = folder / Path(story.file_name).name
    kind = TYPES.get(path.suffix.lower())
    if kind is None or not path.is_file():
        raise UsageError(f"`pictures`: there is no file {path}; an image in .jpg or .png is needed")
    return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def svg(story: Story, picture: str | None = None) -> str:
    """The panels as one SVG; `picture` is the address of the image."""
    boxes, (width, height) = _places(story)
    scale = PANEL / width
    tall = scale * height
    boxes = tuple((scale * x, scale * y, scale * wide, scale * high) for x, y, wide, high in boxes)
    named = spots(boxes, story.labels, (PANEL, tall), story.game.target)
    asked = [(f"{turn + 1}. {question}", story.answer(turn)) for turn, question in enumerate(story.game.questions)]
    texts = [_wrapped(title, HEAD_CHARACTERS, answer) for title, answer in [("before", ""), *asked]]
    foot = [_wrapped(text, FOOT_CHARACTERS) for text in _results(story)]
    above, below = (LINE * max(map(len, rows)) for rows in (texts, foot))
    step = above + tall + below + GAP
    across = min(ACROSS, len(texts))
    size = (across * (PANEL + GAP) + GAP, math.ceil(len(texts) / across) * step + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]:.0f}" '
        f'viewBox="0 0 {size[0]} {size[1]:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f'<rect width="{size[0]}" height="{size[1]:.0f}" fill="white"/>',
    ]
    if picture is not None:
        parts.append(
            f'<defs><image id="picture" href="{picture}" width="{PANEL}" height="{tall:.1f}" '
            'preserveAspectRatio="none" opacity="0.6"/></defs>'
        )
    for place, lines in enumerate(texts):
        left, top = GAP + place % across * (PANEL + GAP), GAP + place // across * step
        parts.append(f'<g transform="translate({left} {top:.1f})">')
        parts += _text(lines, 0, LINE - 4, "font-weight='bold'")
        parts.append(f'<g transform="translate(0 {above})">')
        parts.append(f'<rect width="{PANEL}" height="{tall:.1f}" fill="#f7f7f7" stroke="{FAINT}"/>')
        if picture is not None:
            parts.append('<use href="#picture"/>')
        parts += _boxes(story, boxes, named, place - 1)
        parts.append("</g>")
        parts += _text(foot[place], 0, above + tall + LINE, f"fill='{GREY}'")
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"])


def _places(story: Story) -> tuple[tuple[Box, ...], tuple[float, float]]:
    """The candidates' boxes and the size of what they lie in; names without boxes are laid out in rows."""
    if story.boxes is not None and story.size is not None:
        return story.boxes, story.size
    columns = math.ceil(math.sqrt(len(story.labels)))
    wide, high = CELL
    boxes = tuple(
        (place % columns * wide + 4.0, place // columns * high + 4.0, wide - 8.0, high - 8.0)
        for place in range(len(story.labels))
    )
    return boxes, (columns * wide, math.ceil(len(story.labels) / columns) * high)


def _results(story: Story) -> list[str]:
    target = f"target: {story.labels[story.game.target]}"
    return [
        f"{counted(len(story.labels) - 1, 'distractor')}, {target}",
        *(result(story, turn) for turn in range(len(story.turns))),
    ]


def result(story: Story, turn: int) -> str:
    """What a question did, in words."""
    ended = story.turns[turn]
    parts = [f"{counted(ended.distractors, 'distractor')} left", "effective" if ended.effective else "not effective"]
    parts += [f"refers to {story.refers_to(turn)}"] if ended.refers_to is not None else []
    parts += [] if ended.target_left else ["the target is out"]
    return ", ".join(parts)


def _boxes(story: Story, boxes: Sequence[Box], named: Sequence[Spot], turn: int) -> list[str]:
    left = set(range(len(boxes))) if turn < 0 else set(members(story.turns[turn].left))
    referred = None if turn < 0 else story.turns[turn].refers_to
    target = story.game.target
    parts, names = [], []
    for place in sorted(range(len(boxes)), key=lambda place: (place == target, place in left)):
        x, y, wide, high = boxes[place]
        colour = TARGET if place == target else OTHER if place == referred else INK if place in left else FAINT
        dashed = ' stroke-dasharray="5 3"' if place == referred and place != target else ""
        weight = 3 if place == target else 2 if place in left or place == referred else 1
        fill = 0.15 if place in left else 0
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" fill="{colour}" '
            f'fill-opacity="{fill}" stroke="{colour}" stroke-width="{weight}"{dashed}/>'
        )
        if place in left or place in (referred, target):
            halo = "stroke='white' stroke-width='3' paint-order='stroke'"
            names += _text([story.labels[place]], *named[place], f"font-size='10' fill='{colour}' {halo}")
    return parts + names


def _wrapped(text: str, width: int, end: str = "") -> list[str]:
    """The text and its end on a few lines; where they are too long, the text is cut and the end stays."""
    lines = textwrap.wrap(f"{text} {end}", width, break_on_hyphens=False) or [""]
    if len(lines) <= MOST:
        return lines
    return [*lines[: MOST - 1], f"{lines[MOST - 1][: width - len(end) - 2]}… {end}".rstrip()]


def _text(lines: list[str], x: float, y: float, style: str) -> list[str]:
    return [svg_text(x, y + number * LINE, line, style) for number, line in enumerate(lines)]


def _row(story: Story, turn: int) -> list[str]:
    """A question as a row of the page's table."""
    question, left = story.game.questions[turn], ", ".join(story.left(turn)) or "nobody"
    return [str(turn + 1), question, story.answer(turn), left, result(story, turn)]


def spots(boxes: Sequence[Box], names: Sequence[str], size: tuple[float, float], first: int) -> list[Spot]:
    """For each box, where its name begins, on the base line; boxes and `size`, that of the drawing, are in its pixels.

    A name is in the upper left corner of its box, or, where another is there already, at the corner or line of the
    box where it covers the least of the others. The name of box `first` chooses first, then small boxes before large
    ones, which have more room.
    """
    by_object: dict[int, Spot] = {}
    taken: list[Box] = []
    for place in sorted(range(len(boxes)), key=lambda place: (place != first, boxes[place][2] * boxes[place][3])):
        wide = LETTER * len(names[place])
        free = [
            (max(EDGE, min(x, size[0] - wide)), max(RISE, min(y, size[1] - EDGE)))
            for x, y in _choices(boxes[place], wide)
        ]
        x, y = min(free, key=lambda spot: sum(_common(_covers(spot, wide), other) for other in taken))
        by_object[place] = x, y
        taken.append(_covers((x, y), wide))
    return [by_object[place] for place in range(len(boxes))]


def _choices(box: Box, wide: float) -> list[Spot]:
    """Corners inside the box, those outside, and the lines below each other along its left side."""
    x, y, width, height = box
    columns = x + EDGE, x + width - wide - EDGE
    inside, outside = (y + HEIGHT, y + height - EDGE - 1), (y - EDGE - 1, y + height + HEIGHT)
    lines = [(columns[0], y + HEIGHT * number) for number in range(2, int(height // HEIGHT) + 1)]
    return [(column, row) for rows in (inside, outside) for column in columns for row in rows] + lines


def _covers(spot: Spot, wide: float) -> Box:
    return spot[0], spot[1] - RISE, wide, HEIGHT


def _common(first: Box, other: Box) -> float:
    """The area that two boxes have in common."""
    across = min(first[0] + first[2], other[0] + other[2]) - max(first[0], other[0])
    down = min(first[1] + first[3], other[1] + other[3]) - max(first[1], other[1])
    return max(0.0, across) * max(0.0, down)
