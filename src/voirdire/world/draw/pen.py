"""A pen that draws inside the box of one thing: all places are percent of the box, whatever its size.

Every filled shape gets a thin outline in a darker shade, so that a white cup is seen on a white table. The drawings of
things that neither live nor move are text, in `things.txt`.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

# Pictures are drawn this many times too large and then made smaller, which smooths their edges.
FINE = 2

RGB = tuple[int, int, int]

_COLOURS: dict[str, RGB] = {
    "red": (204, 36, 40),
    "blue": (38, 92, 196),
    "green": (48, 148, 62),
    "yellow": (242, 208, 46),
    "white": (246, 246, 244),
    "black": (38, 38, 42),
    "gray": (140, 142, 146),
    "orange": (240, 132, 30),
    "pink": (244, 148, 186),
    "purple": (126, 60, 160),
    "brown": (126, 80, 44),
    "glass": (178, 214, 232),
    "steel": (186, 190, 196),
    "rubber": (52, 52, 56),
    "wood": (170, 122, 74),
    "cream": (250, 236, 202),
    "leaf": (70, 138, 66),
    "crust": (206, 148, 78),
    "screen": (70, 98, 128),
    "clay": (184, 96, 58),
    "lamp": (255, 236, 150),
}


def rgb(name: str) -> RGB:
    """The colour of a name of the world's, or of the few materials that drawings use."""
    return _COLOURS[name]


def shade(colour: RGB, factor: float) -> RGB:
    """The colour darker (a factor below 1) or lighter (above 1, towards white)."""
    if factor <= 1:
        red, green, blue = (int(part * factor) for part in colour)
    else:
        red, green, blue = (int(255 - (255 - part) * (2 - factor)) for part in colour)
    return red, green, blue


class Pen:
    """Draws in one box; `flip` mirrors what it draws, so that not all things face the same way."""

    def __init__(self, canvas: "ImageDraw", box: tuple[float, float, float, float], flip: bool = False) -> None:
        self.canvas, self.flip = canvas, flip
        self.x, self.y, self.width, self.height = (part * FINE for part in box)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A place in pixels of the canvas."""
        return self.x + (100 - x if self.flip else x) * self.width / 100, self.y + y * self.height / 100

    def inverse(self, x: float, y: float) -> tuple[float, float]:
        """A place of the picture in percent of the box."""
        across = (x * FINE - self.x) * 100 / self.width
        return (100 - across if self.flip else across), (y * FINE - self.y) * 100 / self.height

    def stroke(self, width: float) -> int:
        """A line's width in pixels, from percent of the shorter side."""
        return max(FINE, round(min(self.width, self.height) * width / 100))

    def corners(self, x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float]]:
        """Two corners in pixels, the upper left one first."""
        (ax, ay), (bx, by) = self.at(x0, y0), self.at(x1, y1)
        return [(min(ax, bx), min(ay, by)), (max(ax, bx), max(ay, by))]

    def oval(self, x0: float, y0: float, x1: float, y1: float, fill: RGB) -> None:
        """An ellipse between two corners."""
        self.canvas.ellipse(self.corners(x0, y0, x1, y1), fill, shade(fill, 0.65), FINE)

    def rect(self, x0: float, y0: float, x1: float, y1: float, fill: RGB, corner: float = 0) -> None:
        """A rectangle between two corners, round ones where `corner` (percent of the shorter side) says so."""
        radius = min(self.width, self.height) * corner / 100
        self.canvas.rounded_rectangle(self.corners(x0, y0, x1, y1), radius, fill, shade(fill, 0.65), FINE)

    def poly(self, points: Sequence[float], fill: RGB) -> None:
        """A polygon through x, y, x, y …"""
        places = [self.at(x, y) for x, y in zip(points[::2], points[1::2], strict=True)]
        self.canvas.polygon(places, fill, shade(fill, 0.65), FINE)

    def disc(self, x: float, y: float, radius: float, fill: RGB) -> None:
        """A circle that stays round; its radius is percent of the box's height."""
        (cx, cy), r = self.at(x, y), radius * self.height / 100
        self.canvas.ellipse([cx - r, cy - r, cx + r, cy + r], fill, shade(fill, 0.65), FINE)

    def ring(self, x: float, y: float, radius: float, width: float, colour: RGB) -> None:
        """The rim of a circle alone."""
        (cx, cy), r = self.at(x, y), radius * self.height / 100
        self.canvas.ellipse([cx - r, cy - r, cx + r, cy + r], None, colour, self.stroke(width))

    def line(self, points: Sequence[float], colour: RGB, width: float) -> None:
        """A line through x, y, x, y … with round joints and ends; its width is percent of the shorter side."""
        places = [self.at(x, y) for x, y in zip(points[::2], points[1::2], strict=True)]
        thick = self.stroke(width)
        self.canvas.line(places, colour, thick, "curve")
        r = thick / 2 - 0.5
        if r >= 1:
            for px, py in (places[0], places[-1]):
                self.canvas.ellipse([px - r, py - r, px + r, py + r], colour)


class _Shape(NamedTuple):
    kind: str
    numbers: tuple[float, ...]
    colour: str


@cache
def _sketches() -> dict[str, tuple[_Shape, ...]]:
    """The drawings of `things.txt` by the names of their categories."""
    table = (files("voirdire.world.draw") / "things.txt").read_text(encoding="utf-8")
    sketches: dict[str, list[_Shape]] = {}
    shapes: list[_Shape] = []
    for line in table.split("\n"):
        if line.startswith(" "):
            kind, *numbers, colour = line.split()
            shapes.append(_Shape(kind, tuple(map(float, numbers)), colour))
        elif line and not line.startswith("#"):
            shapes = sketches.setdefault(line, [])
    return {name: tuple(shapes) for name, shapes in sketches.items()}


def sketch(pen: Pen, category: str, own: RGB) -> None:
    """Draw a thing of a category that `things.txt` has, in its own colour."""
    shades = {"C": own, "D": shade(own, 0.72), "L": shade(own, 1.4)}
    for kind, numbers, name in _sketches()[category]:
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
