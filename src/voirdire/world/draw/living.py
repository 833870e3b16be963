"""People and animals.

A person: head and hair by gender and age, clothes in their colours, legs and arms by what the person does.

An animal: from a few numbers of its build, in the posture of what it does. A build in percent of the box: where the
back and the belly are, how thick legs are, where the head is and how large, how the ears, the snout and the tail look,
and the pattern of the coat.
"""

from dataclasses import dataclass

from voirdire.formats.scenes import Thing
from voirdire.world.draw.pen import RGB, Pen, rgb, shade

_SKINS: tuple[RGB, ...] = ((252, 220, 190), (232, 188, 146), (190, 138, 98), (132, 88, 60), (96, 64, 46))
_HAIRS: tuple[RGB, ...] = ((40, 30, 26), (84, 54, 30), (150, 98, 50), (206, 166, 92))
_TOP = 3.0
_GREY: RGB = (204, 204, 208)
_STRIDES = ("running", "skateboarding", "surfing", "skiing", "snowboarding", "dancing", "playing soccer")
_BENT = ("sitting", "reading", "eating", "drinking", "sleeping", "waiting", "riding a bike", "riding a horse")
_MERRY = ("smiling", "laughing", "dancing")


def draw_person(pen: Pen, thing: Thing, hand: tuple[float, float] | None) -> None:
    """Draw a person; `hand` is where the thing in the hand is, in percent of the person's box."""
    clothes = {garment.kind: rgb(garment.colour or "black") for garment in thing.wears}
    skin = _SKINS[thing.id * 7 % len(_SKINS)]
    # A child's head is larger for its height.
    neck = 29.0 if thing.age == "child" else 22.0
    hip = 60.0
    seated = (thing.on is not None and thing.action != "standing") or thing.action in _BENT
    if thing.gender == "female":
        # Long hair, behind everything else, so that it falls beside the face and over the shoulders.
        wide = (neck - _TOP) / 2 * pen.height / pen.width * 1.25
        pen.rect(50 - wide, (_TOP + neck) / 2 - 2, 50 + wide, neck + 8, _hair(thing), corner=12)
    _person_legs(pen, thing, clothes, skin, hip, seated)
    _person_body(pen, clothes, neck, hip, seated)
    _arms(pen, thing, clothes.get("jacket") or clothes.get("shirt") or clothes.get("dress") or skin, skin, neck, hand)
    _person_head(pen, thing, clothes, skin, neck)


def _hair(thing: Thing) -> RGB:
    return _GREY if thing.age == "old" else _HAIRS[thing.id // 3 % len(_HAIRS)]


def _person_legs(pen: Pen, thing: Thing, clothes: dict[str, RGB], skin: RGB, hip: float, seated: bool) -> None:
    shoe = clothes.get("shoes", shade(rgb("black"), 1.2))
    cloth = clothes.get("pants") or clothes.get("shorts") or skin
    length = 1.0 if "pants" in clothes else 0.45 if "shorts" in clothes else 0.0
    if seated:
        left, right = ((40, hip - 2), (64, hip + 8), (62, 94)), ((54, hip - 2), (84, hip + 6), (84, 94))
    elif thing.action in _STRIDES:
        left, right = ((42, hip), (26, 78), (14, 94)), ((58, hip), (78, 76), (84, 94))
    elif thing.action in ("walking", "shopping"):
        left, right = ((44, hip), (38, 78), (28, 95)), ((56, hip), (64, 78), (72, 95))
    else:
        left, right = ((42, hip), (40, 78), (39, 95)), ((58, hip), (60, 78), (61, 95))
    for (ax, ay), (bx, by), (cx, cy) in (left, right):
        pen.line([ax, ay, bx, by, cx, cy], shade(skin, 0.7), 17)
        pen.line([ax, ay, bx, by, cx, cy], skin, 14)
        if length == 1.0:
            pen.line([ax, ay, bx, by, cx, cy], shade(cloth, 0.7), 20)
            pen.line([ax, ay, bx, by, cx, cy], cloth, 17)
        elif length:
            pen.line([ax, ay, (ax + 2 * bx) / 3, (ay + 2 * by) / 3], shade(cloth, 0.7), 24)
            pen.line([ax, ay, (ax + 2 * bx) / 3, (ay + 2 * by) / 3], cloth, 21)
        pen.oval(cx - 9, cy - 1, cx + 14, cy + 5, shoe)


def _person_body(pen: Pen, clothes: dict[str, RGB], neck: float, hip: float, seated: bool) -> None:
    if "dress" in clothes:
        hem = 74.0 if seated else 82.0
        pen.poly([32, neck, 68, neck, 66, 46, 92, hem, 10, hem, 34, 46], clothes["dress"])
    else:
        pen.poly([28, neck, 72, neck, 68, hip + 4, 32, hip + 4], clothes.get("shirt", rgb("white")))
    if "jacket" in clothes:
        coat = clothes["jacket"]
        pen.poly([25, neck, 44, neck, 44, hip + 6, 28, hip + 6], coat)
        pen.poly([56, neck, 75, neck, 72, hip + 6, 56, hip + 6], coat)


def _arms(pen: Pen, thing: Thing, sleeve: RGB, skin: RGB, neck: float, hand: tuple[float, float] | None) -> None:
    shoulder = neck + 4
    rest = {"left": (16.0, 56.0), "right": (84.0, 56.0)}
    if hand is not None:
        rest["left" if hand[0] < 50 else "right"] = (min(max(hand[0], 4), 96), min(max(hand[1], 6), 66))
    elif thing.action in ("dancing", "pointing", "taking a picture", "eating", "drinking", "cooking", "typing"):
        raised = {"dancing": 4.0, "pointing": 24.0, "taking a picture": 14.0, "cooking": 44.0, "typing": 46.0}
        rest["right"] = (94.0, raised.get(thing.action, 22.0))
    for side, start in (("left", 30.0), ("right", 70.0)):
        x, y = rest[side]
        bend = (10.0 if side == "left" else 90.0, (shoulder + y) / 2 + 2)
        pen.line([start, shoulder, *bend, x, y], shade(sleeve, 0.7), 15)
        pen.line([start, shoulder, *bend, x, y], sleeve, 12)
        pen.disc(x, y, 2.6, skin)


def _person_head(pen: Pen, thing: Thing, clothes: dict[str, RGB], skin: RGB, neck: float) -> None:
    hair, top = _hair(thing), _TOP
    middle, half = (top + neck) / 2, (neck - top) / 2
    # The head is as wide as it is high, whatever the box.
    wide = half * pen.height / pen.width
    pen.rect(44, neck - 3, 56, neck + 2, skin)
    pen.disc(50, middle, half, skin)
    pen.canvas.pieslice(pen.corners(50 - wide, top - 0.6, 50 + wide, neck - 0.6), 180, 360, hair, shade(hair, 0.7), 2)
    pen.rect(50 - wide * 0.8, middle - half * 0.15, 50 + wide * 0.8, middle + half * 0.1, skin)
    _face(pen, thing, clothes, middle, half, wide)
    if "scarf" in clothes:
        pen.rect(34, neck - 2, 66, neck + 3, clothes["scarf"], corner=6)
        pen.rect(56, neck, 66, neck + 16, clothes["scarf"])
    if "hat" in clothes:
        pen.rect(50 - wide * 0.8, top - 3, 50 + wide * 0.8, middle - half * 0.3, clothes["hat"], corner=6)
        pen.rect(
            50 - wide * 1.35, middle - half * 0.45, 50 + wide * 1.35, middle - half * 0.15, clothes["hat"], corner=4
        )


def _face(pen: Pen, thing: Thing, clothes: dict[str, RGB], middle: float, half: float, wide: float) -> None:
    ink = rgb("black")
    eye = middle + half * 0.15
    for x in (50 - wide * 0.38, 50 + wide * 0.38):
        if thing.action == "sleeping":
            pen.line([x - wide * 0.2, eye, x + wide * 0.2, eye], ink, 2)
        else:
            pen.disc(x, eye, half * 0.12, ink)
        if "glasses" in clothes:
            pen.ring(x, eye, half * 0.32, 2, ink)
    if "glasses" in clothes:
        pen.line([50 - wide * 0.12, eye, 50 + wide * 0.12, eye], ink, 2)
    mouth = middle + half * 0.55
    if thing.action in _MERRY:
        pen.canvas.chord(
            pen.corners(50 - wide * 0.45, mouth - half * 0.35, 50 + wide * 0.45, mouth + half * 0.25),
            0,
            180,
            rgb("red"),
        )
    elif thing.action.startswith("talking"):
        pen.disc(50, mouth, half * 0.16, rgb("red"))
    else:
        pen.line([50 - wide * 0.25, mouth, 50 + wide * 0.25, mouth], (170, 70, 70), 2)


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
    _animal_legs(pen, build, own, belly, action)
    _animal_body(pen, build, own, back, belly, action)
    _neck(pen, build, own, back, head_x, head_y)
    _animal_head(pen, thing, build, own, head_x, head_y)


def _animal_legs(pen: Pen, build: _Build, own: RGB, belly: float, action: str) -> None:
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


def _animal_body(pen: Pen, build: _Build, own: RGB, back: float, belly: float, action: str) -> None:
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


def _animal_head(pen: Pen, thing: Thing, build: _Build, own: RGB, x: float, y: float) -> None:
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
