"""Drawings as text: one shape a line, the back ones first, places in percent of the thing's box.

    poly x y x y … colour       rect x y x y colour      oval x y x y colour      soft x y x y colour (round corners)
    disc x y radius colour      ring x y radius width colour                      line x y x y … width colour

Radii are percent of the box's height, line widths of its shorter side. The colour C is the thing's own, D a darker and
L a lighter shade of it; any other is a name.
"""

from collections.abc import Callable
from typing import NamedTuple

from voirdire.world.sketches.pen import RGB, Pen, rgb, shade

__all__ = ["Sketches", "read_sketches", "sketch"]


class _Shape(NamedTuple):
    kind: str
    numbers: tuple[float, ...]
    colour: str


Sketches = dict[str, tuple[_Shape, ...]]


def read_sketches(table: str) -> Sketches:
    """The drawings of a table by their names."""
    found: dict[str, list[_Shape]] = {}
    shapes: list[_Shape] = []
    for line in filter(None, table.split("\n")):
        if line.startswith(" "):
            kind, *numbers, colour = line.split()
            shapes.append(_Shape(kind, tuple(map(float, numbers)), colour))
        else:
            shapes = found.setdefault(line, [])
    return {name: tuple(shapes) for name, shapes in found.items()}


def sketch(pen: Pen, shapes: tuple[_Shape, ...], own: RGB) -> None:
    """Draw a thing's shapes, in its own colour."""
    shades = {"C": own, "D": shade(own, 0.72), "L": shade(own, 1.4)}
    for kind, numbers, name in shapes:
        colour = shades[name] if name in shades else rgb(name)
        if kind == "poly":
            pen.poly(numbers, colour)
        elif kind == "line":
            pen.line(numbers[:-1], colour, numbers[-1])
        elif kind == "disc":
            x, y, radius = numbers
            pen.disc(x, y, radius, colour)
        else:
            x, y, right, low = numbers
            _BOXED[kind](pen, x, y, right, low, colour)


_BOXED: dict[str, Callable[[Pen, float, float, float, float, RGB], None]] = {
    "rect": Pen.rect,
    "oval": Pen.oval,
    "ring": Pen.ring,
    "soft": lambda pen, x, y, right, low, colour: pen.rect(x, y, right, low, colour, corner=12),
}
