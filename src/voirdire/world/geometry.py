"""Where things are in a picture, and how two of them lie to each other, read from their boxes.

All relations follow from the boxes, but `on`, which is planted: a cup in front of a table is not on it.
"""

from voirdire.formats.scenes import Scene, Thing

__all__ = ["RELATIONS", "SIDES", "at_side", "centre", "place_of", "related", "size_of"]

RELATIONS = ("on", "next to", "left of", "right of", "above", "below", "in front of", "behind")
SIDES = ("left", "right", "middle", "top", "bottom", "foreground", "background")

# A thing is large from this share of the picture on, and small up to the other.
LARGE, SMALL = 0.06, 0.015


def size_of(width: float, height: float, picture: float) -> str:
    """Small, medium or large, from the share of the picture's area that a box takes."""
    share = width * height / picture
    return "large" if share >= LARGE else "small" if share <= SMALL else "medium"


def centre(thing: Thing) -> tuple[float, float]:
    """The middle of a thing's box."""
    x, y, width, height = thing.bbox
    return x + width / 2, y + height / 2


def at_side(thing: Thing, side: str, scene: Scene) -> bool:
    """Whether a thing lies on a side of the picture: the outer two fifths, or the middle third, by its centre."""
    x, y = centre(thing)
    across, down = x / scene.width, y / scene.height
    bottom = (thing.bbox[1] + thing.bbox[3]) / scene.height
    if side == "left":
        return across <= 0.4
    if side == "right":
        return across >= 0.6
    if side == "middle":
        return 1 / 3 < across < 2 / 3
    if side == "top":
        return down <= 0.4
    if side == "bottom":
        return down >= 0.6
    if side == "foreground":
        return bottom >= 0.8
    return bottom < 0.65


def place_of(thing: Thing, scene: Scene) -> str:
    """The one side that a speaker would name first: left, right or middle."""
    return next(side for side in ("left", "right", "middle") if at_side(thing, side, scene))


def related(one: Thing, relation: str, other: Thing) -> bool:
    """Whether `one` stands in `relation` to `other`."""
    if one.id == other.id:
        return False
    if relation == "on":
        return one.on == other.id
    ax, ay, aw, ah = one.bbox
    bx, by, bw, bh = other.bbox
    if relation == "left of":
        return ax + aw / 2 < bx + bw * 0.2 and ax < bx
    if relation == "right of":
        return related(other, "left of", one)
    across = min(ax + aw, bx + bw) - max(ax, bx)
    if relation == "above":
        return across > 0 and ay + ah <= by + bh * 0.15
    if relation == "below":
        return across > 0 and by + bh <= ay + ah * 0.15
    down = min(ay + ah, by + bh) - max(ay, by)
    apart = one.on != other.id and other.on != one.id
    if relation == "next to":
        return apart and down > 0.3 * min(ah, bh) and -0.25 * min(aw, bw) < -across < 0.6 * min(max(aw, bw), 120.0)
    nearer, farther = (one, other) if relation == "in front of" else (other, one)
    baseline = nearer.bbox[1] + nearer.bbox[3] - farther.bbox[1] - farther.bbox[3]
    return apart and across > 0.3 * min(aw, bw) and down > 0 and baseline > 12
