"""Where the names of boxes are written in a drawing, so that they can be read although the boxes overlap."""

from collections.abc import Sequence

from voirdire.formats.coco import Box

__all__ = ["Spot", "spots"]

Spot = tuple[float, float]
LETTER, HEIGHT = 5.5, 11
"""About what a letter of ten pixels takes, and a line of them."""
RISE, EDGE = 9, 3
"""How far letters rise above their base line, and the space between a name and its box."""


def spots(boxes: Sequence[Box], names: Sequence[str], size: tuple[float, float], first: int) -> list[Spot]:
    """For each box, where its name begins, on the base line; boxes and `size`, that of the drawing, are in its pixels.

    A name stands in the upper left corner of its box, or, where another is there already, at the corner or line of the
    box where it covers the least of the others. The name of box `first` chooses first, then small boxes before large
    ones, which have more room.
    """
    found: dict[int, Spot] = {}
    taken: list[Box] = []
    for place in sorted(range(len(boxes)), key=lambda place: (place != first, boxes[place][2] * boxes[place][3])):
        wide = LETTER * len(names[place])
        free = [_inside(spot, wide, size) for spot in _choices(boxes[place], wide)]
        x, y = min(free, key=lambda spot: sum(_common(_covers(spot, wide), other) for other in taken))
        found[place] = x, y
        taken.append(_covers((x, y), wide))
    return [found[place] for place in range(len(boxes))]


def _choices(box: Box, wide: float) -> list[Spot]:
    """Corners inside the box, those outside, and the lines below each other along its left side."""
    x, y, width, height = box
    columns = x + EDGE, x + width - wide - EDGE
    inside, outside = (y + HEIGHT, y + height - EDGE - 1), (y - EDGE - 1, y + height + HEIGHT)
    lines = [(columns[0], y + HEIGHT * number) for number in range(2, int(height // HEIGHT) + 1)]
    return [(column, row) for rows in (inside, outside) for column in columns for row in rows] + lines


def _inside(spot: Spot, wide: float, size: tuple[float, float]) -> Spot:
    x, y = spot
    return max(EDGE, min(x, size[0] - wide)), max(RISE, min(y, size[1] - EDGE))


def _covers(spot: Spot, wide: float) -> Box:
    return spot[0], spot[1] - RISE, wide, HEIGHT


def _common(one: Box, other: Box) -> float:
    """The area that two boxes have in common."""
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return max(0.0, across) * max(0.0, down)
