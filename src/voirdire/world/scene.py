"""A scene from a seed and a number: a setting, people, animals and things in it, each with a box and attributes.

Things stand on the ground, nearer ones lower in the picture and larger; items lie on tables, beds and benches; some
things hang high. What people do decides what they hold. The same seed and number give the same scene, always.

Where things are in the picture, and how two of them lie to each other, is read from their boxes (`at_side`, `related`),
but `on`, which is planted: a cup in front of a table is not on it.
"""

from dataclasses import dataclass
from random import Random

from voirdire.formats.scenes import Garment, Scene, Thing
from voirdire.world.inventory import (
    ACTION_NEEDS,
    ANIMAL_ACTIONS,
    BY_NAME,
    SEATED,
    SETTINGS,
    WEATHERS,
    WorldCategory,
)

FRAMES = ((640, 480), (640, 427), (480, 640), (640, 426), (500, 375))
FEWEST, MOST = 3, 20
SUPPORTS = ("dining table", "bench", "couch", "bed", "chair")
SEATS = ("chair", "couch", "bed", "bench")
GARMENTS = {
    "hat": "red blue green yellow white black gray pink brown",
    "shirt": "red blue green yellow white black gray orange pink purple",
    "jacket": "red blue green black gray brown white",
    "dress": "red blue green yellow white black pink purple",
    "pants": "blue black gray brown white",
    "shorts": "blue black gray red white green",
    "shoes": "black white brown red blue",
    "scarf": "red blue white black green yellow",
    "glasses": "",
}
_NAMES = tuple(SETTINGS)

SIDES = ("left", "right", "middle", "top", "bottom", "foreground", "background")

# A thing is large from this share of the picture on, and small up to the other.
LARGE, SMALL = 0.06, 0.015


@dataclass(slots=True)
class _Draft:
    """A thing while the scene is being put together."""

    category: WorldCategory
    box: tuple[float, float, float, float]
    on: int | None = None
    holds: int | None = None
    action: str = ""


def make_scene(seed: int, index: int) -> Scene:
    """Scene number `index` of the world `seed`."""
    rng = Random(f"{seed}/{index}/scene")
    setting = SETTINGS[_NAMES[int(rng.random() * len(_NAMES))]]
    width, height = rng.choice(FRAMES)
    weather = "snowy" if setting.name == "ski slope" else rng.choices(WEATHERS, (6, 4, 1.5, 0.5))[0]
    time = "night" if rng.random() < (0.1 if setting.indoors else 0.15) else "day"
    weather = "cloudy" if weather == "sunny" and time == "night" else weather
    stage = _Stage(rng, width, height)
    stage.fill(setting.name)
    picture = float(width * height)
    first = (index + 1) * 100
    things = tuple(_finish(rng, first, number, draft, picture, stage) for number, draft in enumerate(stage.drafts))
    return Scene(
        id=index + 1,
        file_name=f"world_{index + 1:012d}.png",
        width=width,
        height=height,
        setting=setting.name,
        indoors=setting.indoors,
        weather="" if setting.indoors else weather,
        time=time,
        in_colour=rng.random() < 0.94,
        things=things,
    )


class _Stage:
    """The picture being filled, in pixels."""

    def __init__(self, rng: Random, width: int, height: int) -> None:
        self.rng, self.width, self.height = rng, width, height
        self.drafts: list[_Draft] = []

    def fill(self, name: str) -> None:
        """Put in the things of a setting: what stands, what lies on it, what hangs above."""
        rng, setting = self.rng, SETTINGS[name]
        standing = [rng.choice(setting.ground)] if setting.ground else []
        for _ in range(rng.choice((1, 2, 3, 3, 4, 4, 5, 6))):
            standing.append(rng.choice(standing) if rng.random() < 0.3 else rng.choice(setting.ground))
        if setting.indoors and name not in ("airport", "wedding") and not any(s in SUPPORTS for s in standing):
            standing[0] = "dining table"
        # Farther things first, as a painter would; supports before those who sit on them.
        standing.sort(key=lambda category: category in ("person", "cat", "dog"))
        for category in standing:
            self.stand(category, setting.actions)
        self.lay(setting.items)
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            self.hang(rng.choice(setting.high))
        while len(self.drafts) < FEWEST:
            self.stand(rng.choice(setting.ground), setting.actions)

    def stand(self, name: str, actions: tuple[str, ...]) -> None:
        """A thing on the ground, or on a seat where it may sit."""
        rng, category = self.rng, BY_NAME[name]
        action = ""
        if category.supercategory == "person":
            action = rng.choice(actions)
        elif category.supercategory == "animal":
            action = rng.choice(ANIMAL_ACTIONS)
        if action in SEATED and (seat := self.free_seat(name)) is not None and rng.random() < 0.7:
            self.drafts.append(_Draft(category, self.over(seat, category, 0.62), seat, None, action))
        elif ACTION_NEEDS.get(action) in ("bicycle", "horse"):
            self.drafts.append(_Draft(BY_NAME[ACTION_NEEDS[action]], self.ground_box(BY_NAME[ACTION_NEEDS[action]])))
            mount = len(self.drafts) - 1
            if self.drafts[mount].category.alive:
                self.drafts[mount].action = "walking"
            self.drafts.append(_Draft(category, self.over(mount, category, 0.8), mount, None, action))
        else:
            self.drafts.append(_Draft(category, self.ground_box(category), None, None, action))
        if name == "person":
            self.equip(len(self.drafts) - 1)

    def equip(self, person: int) -> None:
        """What the person's action needs, in the hand (a kite flies above); sometimes a bag or an umbrella."""
        rng, draft = self.rng, self.drafts[person]
        need = ACTION_NEEDS.get(draft.action)
        if need in ("bicycle", "horse"):
            return
        if need is None and rng.random() < 0.15:
            need = rng.choice(("backpack", "handbag", "umbrella", "cell phone", "cup", "bottle", "suitcase"))
        if need == "kite":
            self.hang("kite")
            draft.holds = len(self.drafts) - 1
        elif need is not None:
            x, y, width, height = draft.box
            tall = BY_NAME[need].height * height / 0.72
            wide = tall * BY_NAME[need].aspect
            left = x + width * rng.choice((0.05, 0.75)) - wide / 2
            low = y + height * (0.93 if need in ("skateboard", "skis", "snowboard", "surfboard") else 0.45)
            self.drafts.append(_Draft(BY_NAME[need], self.inside(left, low - tall / 2, wide, tall)))
            draft.holds = len(self.drafts) - 1

    def lay(self, items: tuple[str, ...]) -> None:
        """Items on the tables, beds and benches that are free."""
        rng = self.rng
        taken = {draft.on for draft in self.drafts}
        for number in range(len(self.drafts)):
            name = self.drafts[number].category.name
            if name not in SUPPORTS or number in taken:
                continue
            room = 4 if name == "dining table" else 2 if name in ("bed", "couch") else 1
            for _ in range(min(rng.randint(1 if name == "dining table" else 0, room), MOST - 2 - len(self.drafts))):
                category = BY_NAME[rng.choice(items)]
                box = self.over(number, category, rng.uniform(0.05, 0.3))
                self.drafts.append(_Draft(category, box, number))

    def hang(self, name: str) -> None:
        """A thing high up: on the wall, on a pole or in the sky."""
        rng, category = self.rng, BY_NAME[name]
        tall = category.height * self.height * rng.uniform(0.6, 1.1)
        wide = min(tall * category.aspect, self.width * 0.6)
        high = rng.uniform(0.02, 0.22) * self.height
        box = self.clear(wide, tall, high)
        action = "flying" if category.supercategory == "animal" else ""
        self.drafts.append(_Draft(category, box, None, None, action))

    def free_seat(self, name: str) -> int | None:
        taken = {draft.on for draft in self.drafts}
        seats = [n for n, d in enumerate(self.drafts) if d.category.name in SEATS and n not in taken]
        return self.rng.choice(seats) if seats and name in ("person", "cat", "dog") else None

    def ground_box(self, category: WorldCategory) -> tuple[float, float, float, float]:
        base = self.rng.uniform(0.58, 0.97)
        scale = 0.45 + 1.25 * (base - 0.5)
        tall = category.height * self.height * scale * self.rng.uniform(0.85, 1.15)
        wide = tall * category.aspect * self.rng.uniform(0.9, 1.1)
        if wide > self.width * 0.85:
            tall, wide = tall * self.width * 0.85 / wide, self.width * 0.85
        return self.clear(wide, tall, base * self.height - tall)

    def over(self, support: int, category: WorldCategory, depth: float) -> tuple[float, float, float, float]:
        """A box whose foot is inside the support's box, `depth` below its upper edge."""
        x, y, width, height = self.drafts[support].box
        scale = height / (self.drafts[support].category.height * self.height)
        tall = category.height * self.height * scale
        wide = min(tall * category.aspect, width)
        left = x + self.rng.random() * (width - wide)
        return self.inside(left, y + depth * height - tall, wide, tall)

    def clear(self, wide: float, tall: float, high: float) -> tuple[float, float, float, float]:
        """Of four places across the picture, the one that covers least of what is there."""
        best, least = (0.0, 0.0, 1.0, 1.0), float("inf")
        for _ in range(4):
            box = self.inside(self.rng.random() * (self.width - wide), high, wide, tall)
            covered = sum(_overlap(box, draft.box) for draft in self.drafts)
            if covered < least:
                best, least = box, covered
            if not covered:
                break
        return best

    def inside(self, x: float, y: float, wide: float, tall: float) -> tuple[float, float, float, float]:
        wide, tall = min(max(wide, 6.0), self.width), min(max(tall, 6.0), self.height)
        x, y = min(max(x, 0.0), self.width - wide), min(max(y, 0.0), self.height - tall)
        return int(x * 10) / 10, int(y * 10) / 10, int(wide * 10) / 10, int(tall * 10) / 10


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return across * down if across > 0 and down > 0 else 0.0


def _finish(rng: Random, first: int, number: int, draft: _Draft, picture: float, stage: _Stage) -> Thing:
    category, share = draft.category, draft.box[2] * draft.box[3] / picture
    gender = age = ""
    wears: tuple[Garment, ...] = ()
    if category.name == "person":
        gender = "male" if rng.random() < 0.5 else "female"
        age = rng.choices(("child", "young", "old"), (3, 6, 1.5))[0]
        wears = _dress(rng, gender)
    return Thing(
        id=first + number,
        category=category.name,
        category_id=category.id,
        bbox=draft.box,
        # By the share of the picture's area that the box takes.
        size="large" if share >= LARGE else "small" if share <= SMALL else "medium",
        colour=rng.choice(category.colours) if category.colours else "",
        material=rng.choice(category.materials) if category.materials else "",
        action=draft.action,
        gender=gender,
        age=age,
        wears=wears,
        on=None if draft.on is None else first + draft.on,
        holds=None if draft.holds is None else first + draft.holds,
    )


def _dress(rng: Random, gender: str) -> tuple[Garment, ...]:
    kinds = (
        ["dress"] if gender == "female" and rng.random() < 0.3 else ["shirt", rng.choice(("pants", "pants", "shorts"))]
    )
    kinds += [kind for kind, share in _EXTRAS if rng.random() < share]
    return tuple(Garment(kind, rng.choice(_PALETTES[kind]) if _PALETTES[kind] else "") for kind in kinds)


_EXTRAS = (("hat", 0.35), ("jacket", 0.2), ("shoes", 0.3), ("scarf", 0.1), ("glasses", 0.2))
_PALETTES = {kind: tuple(colours.split()) for kind, colours in GARMENTS.items()}


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


def related(thing: Thing, relation: str, other: Thing) -> bool:
    """Whether `thing` is in `relation` to `other`."""
    if thing.id == other.id:
        return False
    if relation == "on":
        return thing.on == other.id
    ax, ay, aw, ah = thing.bbox
    bx, by, bw, bh = other.bbox
    if relation == "left of":
        return ax + aw / 2 < bx + bw * 0.2 and ax < bx
    if relation == "right of":
        return related(other, "left of", thing)
    across = min(ax + aw, bx + bw) - max(ax, bx)
    if relation == "above":
        return across > 0 and ay + ah <= by + bh * 0.15
    if relation == "below":
        return across > 0 and by + bh <= ay + ah * 0.15
    down = min(ay + ah, by + bh) - max(ay, by)
    apart = thing.on != other.id and other.on != thing.id
    if relation == "next to":
        return apart and down > 0.3 * min(ah, bh) and -0.25 * min(aw, bw) < -across < 0.6 * min(max(aw, bw), 120.0)
    nearer, farther = (thing, other) if relation == "in front of" else (other, thing)
    baseline = nearer.bbox[1] + nearer.bbox[3] - farther.bbox[1] - farther.bbox[3]
    return apart and across > 0.3 * min(aw, bw) and down > 0 and baseline > 12
