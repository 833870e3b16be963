"""An animal from a few numbers of its build, in the posture of what it does.

A build in percent of the box: where the back and the belly are, how thick legs are, where the head is and how large,
how the ears, the snout and the tail look, and the pattern of the coat.
"""

from dataclasses import dataclass

from voirdire.formats.scenes import Thing
from voirdire.world.draw.pen import RGB, Pen, rgb, shade


@dataclass(frozen=True, slots=True)
class _Build:
    back: float
    belly: float
    leg: float
    head_x: float
    head_y: float
    head: float
    ears: str
    snout: float
    tail: str
    coat: str = ""


_BUILDS = {
    "cat": _Build(42, 76, 7, 80, 30, 17, "pointed", 4, "up"),
    "dog": _Build(36, 66, 8, 80, 24, 15, "hanging", 12, "up"),
    "horse": _Build(38, 64, 6, 86, 16, 10, "pointed", 12, "mane"),
    "sheep": _Build(22, 74, 6, 84, 34, 13, "hanging", 7, "short", "wool"),
    "cow": _Build(26, 66, 7, 86, 26, 13, "horns", 10, "thin", "patches"),
    "elephant": _Build(12, 70, 12, 76, 30, 19, "large", 0, "thin"),
    "bear": _Build(20, 72, 12, 80, 28, 16, "round", 9, "short"),
    "zebra": _Build(38, 64, 6, 86, 18, 10, "pointed", 11, "thin", "stripes"),
    "giraffe": _Build(48, 64, 6, 78, 8, 6, "horns", 10, "thin", "spots"),
}
_COATS = {"zebra": (246, 246, 244), "giraffe": (232, 186, 100)}
_LOW = ("lying down", "sleeping")


def draw_animal(pen: Pen, thing: Thing) -> None:
    """Draw a bird or a beast in its colour."""
    own = rgb(thing.colour) if thing.colour else _COATS[thing.category]
    if thing.category == "bird":
        _bird(pen, own, thing.action == "flying")
        return
    build, action = _BUILDS[thing.category], thing.action
    # Lying, the whole animal sinks to the ground, as far as its legs are long.
    sink = 94 - build.belly if action in _LOW else 0.0
    back, belly = build.back + sink, build.belly + sink
    head_x, head_y = build.head_x, build.head_y + sink * 0.8
    if action in ("eating", "drinking", "sleeping"):
        head_y = min(belly + 6, 88)
        head_x = 88.0
    _tail(pen, build, own, back)
    _legs(pen, build, own, belly, action)
    _body(pen, build, own, back, belly, action)
    _neck(pen, build, own, back, head_x, head_y)
    _head(pen, thing, build, own, head_x, head_y)


def _legs(pen: Pen, build: _Build, own: RGB, belly: float, action: str) -> None:
    if action in _LOW:
        for x in (26, 74):
            pen.line([x, 94, x + 16, 96], shade(own, 0.7), build.leg + 3)
            pen.line([x, 94, x + 16, 96], own, build.leg)
        return
    spread = {"running": 14.0, "walking": 6.0}.get(action, 0.0)
    start = belly - 10
    for x, lean, tone in ((28, spread, 0.75), (66, -spread, 0.75), (20, -spread, 1.0), (74, spread, 1.0)):
        foot = [x, start, x + lean, 96]
        pen.line(foot, shade(own, 0.6), build.leg + 3)
        pen.line(foot, shade(own, tone), build.leg)


def _body(pen: Pen, build: _Build, own: RGB, back: float, belly: float, action: str) -> None:
    if action == "sitting":
        # The hind part is on the ground and the breast up.
        pen.oval(8, belly - (belly - back) * 0.7, 50, 98, own)
        pen.poly([22, belly, 60, back, 84, back + 8, 80, belly, 44, 96], own)
    else:
        pen.oval(10, back, 84, belly, own)
    if build.coat == "wool":
        for x in range(14, 84, 14):
            pen.oval(x - 6, back - 3, x + 12, back + 20, shade(own, 1.15))
            pen.oval(x - 6, belly - 20, x + 12, belly + 2, own)
    elif build.coat == "stripes":
        for x in range(20, 80, 8):
            bulge = (1 - ((x - 47) / 40) ** 2) * (belly - back) / 2 * 0.86
            middle = (back + belly) / 2
            pen.line([x, middle - bulge, x + 3, middle + bulge], rgb("black"), 4)
    elif build.coat == "spots":
        for x, y in ((22, 0.35), (34, 0.65), (40, 0.25), (52, 0.55), (62, 0.25), (66, 0.68), (28, 0.55)):
            pen.disc(x, back + (belly - back) * y, 2.4, rgb("brown"))
    elif build.coat == "patches":
        patch = rgb("white") if sum(own) < 400 else rgb("brown")
        pen.oval(22, back + 6, 42, back + 26, patch)
        pen.oval(52, belly - 28, 70, belly - 8, patch)


def _neck(pen: Pen, build: _Build, own: RGB, back: float, x: float, y: float) -> None:
    thick = 8 if build.head < 8 else 12
    pen.poly([62, back + 12, 66 + thick / 2, back + 2, x - thick / 2, y, x + thick / 2, y + 2, 83, back + 20], own)
    if build.coat == "stripes":
        for share in (0.2, 0.4, 0.6, 0.8):
            cx, cy = 72 + (x - 72) * share, back + 8 + (y - back - 8) * share
            pen.line([cx - 6, cy - 3, cx + 7, cy + 3], rgb("black"), 4)
    elif build.coat == "spots":
        for share in (0.2, 0.4, 0.6, 0.8):
            pen.disc(73 + (x - 73) * share, back + 8 + (y - back - 8) * share, 1.9, rgb("brown"))
    elif build.tail == "mane":
        pen.line([64, back + 4, x - 7, y - 2], shade(own, 0.5), 5)


def _head(pen: Pen, thing: Thing, build: _Build, own: RGB, x: float, y: float) -> None:
    wide = build.head * pen.height / pen.width
    face = rgb("black") if build.coat == "wool" and sum(own) > 400 else own
    ink = rgb("white") if sum(face) < 150 else rgb("black")
    ear = shade(face, 0.8)
    high = y - build.head
    if build.ears == "pointed":
        for side in (-0.6, 0.35):
            pen.poly(
                [x + wide * side, high + 6, x + wide * (side + 0.15), high - 6, x + wide * (side + 0.5), high + 5], ear
            )
    elif build.ears == "horns":
        for side in (-0.5, 0.4):
            pen.line([x + wide * side, high + 4, x + wide * side, high - 4], rgb("cream"), 5)
    elif build.ears == "round":
        for side in (-0.6, 0.6):
            pen.disc(x + wide * side, high + 3, 5, ear)
    if build.snout:
        pen.oval(
            x, y - build.head * 0.25, min(x + wide * 0.7 + build.snout, 99), y + build.head * 0.85, shade(face, 1.15)
        )
    pen.oval(x - wide, y - build.head, min(x + wide, 98), y + build.head, face)
    if build.snout:
        tip = min(x + wide * 0.7 + build.snout, 98)
        pen.oval(x + wide * 0.1, y - build.head * 0.1, tip, y + build.head * 0.8, shade(face, 1.15))
        pen.disc(tip - 2, y + build.head * 0.15, 2, rgb("black"))
    if build.ears == "hanging":
        pen.oval(x - wide * 1.1, y - build.head * 0.7, x - wide * 0.3, y + build.head * 0.9, ear)
    elif build.ears == "large":
        pen.line([x + wide * 0.7, y + 4, x + wide * 1.1, y + 40, x + wide * 0.9, min(y + 56, 96)], shade(own, 0.7), 11)
        pen.line([x + wide * 0.7, y + 4, x + wide * 1.1, y + 40, x + wide * 0.9, min(y + 56, 96)], own, 9)
        pen.line([x + wide * 0.4, y + 16, x + wide * 0.85, y + 28], rgb("cream"), 4)
        pen.oval(x - wide * 1.5, y - 16, x - wide * 0.1, y + 20, shade(own, 0.85))
    if thing.action == "sleeping":
        pen.line([x + wide * 0.1, y - 2, x + wide * 0.5, y - 2], ink, 2)
    else:
        pen.disc(x + wide * 0.3, y - build.head * 0.3, 2, ink)
    if thing.category == "cat":
        for slope in (-3, 3):
            pen.line([x + wide * 0.6, y + 4, min(x + wide * 1.4, 100), y + 4 + slope], ink, 1)


def _tail(pen: Pen, build: _Build, own: RGB, back: float) -> None:
    if build.tail == "up":
        pen.line([14, back + 14, 4, back - 2, 8, back - 18], shade(own, 0.85), 6)
    elif build.tail == "mane":
        pen.line([13, back + 6, 4, back + 20, 5, back + 40], shade(own, 0.5), 6)
    elif build.tail == "thin":
        pen.line([13, back + 8, 6, back + 20, 6, back + 36], shade(own, 0.7), 3)
    else:
        pen.disc(11, back + 14, 5, own)


def _bird(pen: Pen, own: RGB, flying: bool) -> None:
    if flying:
        pen.poly([42, 52, 20, 2, 62, 44], shade(own, 0.8))
        pen.oval(18, 38, 84, 72, own)
        pen.poly([46, 56, 34, 98, 66, 60], own)
    else:
        pen.line([46, 80, 44, 99], rgb("orange"), 4)
        pen.line([58, 80, 58, 99], rgb("orange"), 4)
        pen.oval(16, 30, 80, 86, own)
        pen.oval(24, 42, 58, 74, shade(own, 0.8))
    pen.poly([24, 52, 1, 44, 4, 64], shade(own, 0.8))
    pen.disc(80, 36, 17, own)
    pen.poly([91, 30, 100, 38, 91, 44], rgb("orange"))
    pen.disc(84, 32, 3, rgb("white") if sum(own) < 150 else rgb("black"))
