"""A person: head and hair by gender and age, clothes in their colours, legs and arms by what the person does."""

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
        _long_hair(pen, thing, neck)
    _legs(pen, thing, clothes, skin, hip, seated)
    _body(pen, clothes, neck, hip, seated)
    _arms(pen, thing, clothes.get("jacket") or clothes.get("shirt") or clothes.get("dress") or skin, skin, neck, hand)
    _head(pen, thing, clothes, skin, neck)


def _hair(thing: Thing) -> RGB:
    return _GREY if thing.age == "old" else _HAIRS[thing.id // 3 % len(_HAIRS)]


def _long_hair(pen: Pen, thing: Thing, neck: float) -> None:
    """Behind everything else, so that it falls beside the face and over the shoulders."""
    wide = (neck - _TOP) / 2 * pen.height / pen.width * 1.25
    pen.rect(50 - wide, (_TOP + neck) / 2 - 2, 50 + wide, neck + 8, _hair(thing), corner=12)


def _legs(pen: Pen, thing: Thing, clothes: dict[str, RGB], skin: RGB, hip: float, seated: bool) -> None:
    shoe = clothes.get("shoes", shade(rgb("black"), 1.2))
    cloth, length = (
        (clothes["pants"], 1.0)
        if "pants" in clothes
        else (clothes["shorts"], 0.45)
        if "shorts" in clothes
        else (skin, 0.0)
    )
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


def _body(pen: Pen, clothes: dict[str, RGB], neck: float, hip: float, seated: bool) -> None:
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


def _head(pen: Pen, thing: Thing, clothes: dict[str, RGB], skin: RGB, neck: float) -> None:
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
