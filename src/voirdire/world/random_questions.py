"""Random questions about a scene: meanings, each with a true answer that is worth giving.

ask_about(things, ref, scene, rng)   a question about things that `ref` describes
ask_scene(scene, rng)                a question about what there is, or about the picture as a whole
"""

from collections.abc import Callable
from random import Random

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.inventory import ANIMAL_ACTIONS, BY_NAME, CATEGORIES, SETTINGS, WEATHERS
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.reference import alone_of_kind
from voirdire.world.scene import GARMENTS, SUPPORTS, at_side, place_of, related
from voirdire.world.truth import is_noun, person_noun
from voirdire.world.words import COLOURS, MATERIALS

_COLOURS, _MATERIALS = tuple(COLOURS), tuple(MATERIALS)
_RELATIONS = ("on", "next to", "behind", "in front of", "left of", "right of", "below", "above")
_SIDES = ("left", "right", "middle", "foreground", "background", "top", "bottom")
_GARMENTS = tuple(GARMENTS)
_NAMES = tuple(category.name for category in CATEGORIES)
_PORTABLE = (
    *("cell phone", "umbrella", "frisbee", "book", "handbag", "cup", "bottle"),
    *("baseball bat", "tennis racket", "kite"),
)
_COMMON = ("person", "man", "woman", "child", "animal", "dog", "car", "chair", "dining table", "bird", "tv", "cat")
_Asker = Callable[[list[Thing], Ref, Scene, Random], Meaning | None]


def _one_or(true: str, others: tuple[str, ...], rng: Random) -> str:
    return true if rng.random() < 0.5 else rng.choice(others)


def _colour(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    colours = {thing.colour for thing in things}
    if "" in colours or len(colours) > 2 or ref.colour or ref.noun in ("orange", "broccoli"):
        return None
    return Meaning("colour", ref)


def _is_colour(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    if not all(thing.colour for thing in things) or ref.colour or ref.noun == "orange":
        return None
    return Meaning("is_colour", ref, _one_or(things[0].colour, _COLOURS, rng))


def _size(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    sizes = {thing.size for thing in things}
    if ref.size or len(sizes) > 1 or "medium" in sizes or things[0].gender:
        return None
    return Meaning("size", ref) if rng.random() < 0.4 else Meaning("is_size", ref, rng.choice(("small", "large")))


def _material(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    materials = {thing.material for thing in things}
    if "" in materials or len(materials) > 2 or ref.material:
        return None
    if rng.random() < 0.6:
        return Meaning("material", ref)
    return Meaning("is_material", ref, _one_or(things[0].material, _MATERIALS, rng))


def _shape(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    shape = BY_NAME[things[0].category].shape
    if shape == "-" or len({thing.category for thing in things}) > 1:
        return None
    return Meaning("shape", ref) if rng.random() < 0.5 else Meaning("is_shape", ref, "round")


def _action(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    actions = {thing.action for thing in things}
    return None if "" in actions or len(actions) > 1 else Meaning("action", ref)


def _is_action(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    if not all(thing.action for thing in things):
        return None
    usual = SETTINGS[scene.setting].actions if things[0].gender else ANIMAL_ACTIONS
    return Meaning("is_action", ref, _one_or(things[0].action, usual, rng))


def _where(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    if ref.side or ref.relation or len({place_of(thing, scene) for thing in things}) > 1:
        return None
    return Meaning("where", ref)


def _side(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    if ref.side or ref.garment or ref.relation:
        return None
    if rng.random() < 0.3 and all(not at_side(thing, "middle", scene) for thing in things):
        return Meaning("side", ref) if len({place_of(thing, scene) for thing in things}) == 1 else None
    return Meaning("is_side", ref, rng.choice(_SIDES))


def _relation(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    others = [t for t in alone_of_kind(scene) if t not in things]
    if not others or ref.relation:
        return None
    other = rng.choice(others)
    true = [r for r in _RELATIONS if related(things[0], r, other)]
    relation = rng.choice(true) if true and rng.random() < 0.6 else rng.choice(_RELATIONS)
    if relation == "on" and "on" not in true and other.category not in SUPPORTS:
        relation = "next to"
    return Meaning("relation", ref, relation=relation, to=Ref(noun=person_noun(other)))


def _wears(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    if not all(thing.wears for thing in things) or ref.garment:
        return None
    worn = rng.choice(things[0].wears)
    if rng.random() < 0.5:
        return Meaning("wears", ref, rng.choice(_GARMENTS))
    return Meaning("wears", ref, worn.kind, _one_or(worn.colour, _COLOURS, rng) if worn.colour else "")


def _garment_colour(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    worn = [garment.kind for garment in things[0].wears if garment.colour and garment.kind != ref.garment]
    return Meaning("garment_colour", ref, rng.choice(worn)) if worn and len(things) == 1 else None


def _wearing(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    return Meaning("wearing", ref) if len(things) == 1 and things[0].wears and not ref.garment else None


def _holding(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    if len(things) > 1 or not things[0].gender:
        return None
    in_hand = [other.category for other in scene.things if other.id == things[0].holds]
    if in_hand and rng.random() < 0.6:
        return Meaning("holding", ref)
    guess = in_hand[0] if in_hand and rng.random() < 0.5 else rng.choice(_PORTABLE)
    return Meaning("is_holding", ref, to=Ref(noun=guess))


def _person(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    if len(things) > 1 or not things[0].gender:
        return None
    draw = rng.random()
    if ref.noun in ("person", "child") and draw < 0.6:
        return Meaning("gender", ref) if draw < 0.4 else Meaning("is_gender", ref, rng.choice(("male", "female")))
    if draw < 0.4:
        return Meaning("alone", ref)
    if draw < 0.6 or ref.noun in ("boy", "girl", "child"):
        return Meaning("age", ref)
    return Meaning("is_age", ref, rng.choice(("young", "old")))


def _is_a(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    if len(things) > 1 or ref.noun not in ("person", "child", "animal", "vehicle"):
        return None
    above = BY_NAME[things[0].category].supercategory
    if above == "person":
        others: tuple[str, ...] = ("man", "woman") if things[0].age != "child" else ("boy", "girl")
    else:
        others = tuple(c.name for c in CATEGORIES if c.supercategory == above)
    return Meaning("is_a", ref, to=Ref(noun=_one_or(person_noun(things[0]), others, rng)))


def _compare(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    others = [t for t in alone_of_kind(scene) if t not in things and t.category != things[0].category]
    if len(things) > 1 or not others:
        return None
    other = rng.choice(others)
    if rng.random() < 0.5 and things[0].colour and other.colour and not ref.colour:
        return Meaning("same_colour", ref, to=Ref(noun=person_noun(other)))
    return Meaning("bigger", ref, to=Ref(noun=person_noun(other)))


_ABOUT: tuple[tuple[_Asker, float], ...] = (
    (_colour, 5),
    (_is_colour, 3),
    (_size, 1.5),
    (_material, 2),
    (_shape, 0.4),
    (_action, 4),
    (_is_action, 3),
    (_where, 2.5),
    (_side, 1.5),
    (_relation, 3),
    (_wears, 3),
    (_garment_colour, 3),
    (_wearing, 0.7),
    (_holding, 2),
    (_person, 2),
    (_is_a, 1),
    (_compare, 1),
)
_ASKERS = tuple(asker for asker, _ in _ABOUT)
_CUMULATIVE = tuple(sum(weight for _, weight in _ABOUT[: n + 1]) for n in range(len(_ABOUT)))


def ask_about(things: list[Thing], ref: Ref, scene: Scene, rng: Random) -> Meaning | None:
    """A question about these things, described by `ref` (a noun phrase or a pronoun); None where a few draws fail."""
    for asker in rng.choices(_ASKERS, cum_weights=_CUMULATIVE, k=12):
        meaning = asker(things, ref, scene, rng)
        if meaning is not None:
            return meaning
    return None


def ask_scene(scene: Scene, rng: Random) -> Meaning:
    """A question about what there is in the picture, or about the picture as a whole."""
    draw = rng.random()
    if draw < 0.42:
        return Meaning("exists", _some(scene, rng, 0.55))
    if draw < 0.67:
        return Meaning("count", _some(scene, rng, 0.8))
    if draw < 0.72:
        first, second = _some(scene, rng, 1.0), _some(scene, rng, 0.8)
        if first.noun != second.noun:
            return Meaning("more", Ref(noun=first.noun), to=Ref(noun=second.noun))
    if draw < 0.84:
        return _what(scene, rng)
    return _whole(scene, rng)


def _some(scene: Scene, rng: Random, present: float) -> Ref:
    """An indefinite description: of something that is there with the given chance, else of a likely guess."""
    if rng.random() < present:
        thing = rng.choice(scene.things)
        noun = person_noun(thing) if rng.random() < 0.7 else thing.category
    else:
        setting = SETTINGS[scene.setting]
        noun = rng.choice(
            (rng.choice(setting.ground), rng.choice(setting.items), rng.choice(_COMMON), rng.choice(_NAMES))
        )
        thing = next((t for t in scene.things if is_noun(t, noun)), scene.things[0])
    draw = rng.random()
    alive = noun in ("person", "man", "woman", "boy", "girl", "child")
    category = BY_NAME.get(noun)
    if draw < 0.12 and category is not None and len(category.colours) > 1:
        return Ref(noun=noun, colour=_one_or(thing.colour or "white", category.colours, rng))
    if draw < 0.2:
        return Ref(noun=noun, side=rng.choice(_SIDES[:5]))
    if draw < 0.28 and alive:
        garment = rng.choice(_GARMENTS)
        shades = GARMENTS[garment].split()
        return Ref(noun=noun, garment=garment, shade=rng.choice(shades) if shades else "")
    if draw < 0.4:
        others = [t for t in alone_of_kind(scene) if not is_noun(t, noun) and person_noun(t) != noun]
        if others:
            other = rng.choice(others)
            on = other.category in ("dining table", "bench", "couch", "bed") and not alive
            relation = "on" if on and rng.random() < 0.7 else rng.choice(("next to", "behind", "in front of"))
            return Ref(noun=noun, relation=relation, other=Ref(noun=person_noun(other)))
    if draw < 0.44 and category is not None and category.materials:
        return Ref(noun=noun, material=rng.choice(category.materials))
    if draw < 0.47 and not alive:
        return Ref(noun=noun, size=rng.choice(("small", "large")))
    return Ref(noun=noun)


def _what(scene: Scene, rng: Random) -> Meaning:
    """What is on the table, who wears a hat; only where one or two kinds of things are the answer."""
    wearers = [(t, g) for t in scene.things for g in t.wears]
    if wearers and rng.random() < 0.3:
        _, garment = rng.choice(wearers)
        if sum(g.kind == garment.kind and g.colour == garment.colour for _, g in wearers) == 1:
            return Meaning("who", None, garment.kind, garment.colour)
    others = alone_of_kind(scene)
    rng.shuffle(others)
    for other in others:
        for relation in rng.sample(_RELATIONS, 3):
            names = {person_noun(t) for t in scene.things if related(t, relation, other)}
            if 1 <= len(names) <= 2:
                return Meaning("what", _kind_of(names, rng), "", "", relation, Ref(noun=person_noun(other)))
    return _whole(scene, rng)


def _kind_of(names: set[str], rng: Random) -> Ref | None:
    above = {BY_NAME[name].supercategory if name in BY_NAME else "person" for name in names}
    if len(above) == 1 and above <= {"animal", "vehicle"} and rng.random() < 0.7:
        return Ref(noun=above.pop())
    return None


_ROOMS = ("kitchen", "living room", "bedroom", "bathroom", "office", "classroom")


def _whole(scene: Scene, rng: Random) -> Meaning:
    draw = rng.random()
    if draw < 0.2:
        return Meaning("room" if scene.setting in _ROOMS and rng.random() < 0.6 else "setting")
    if draw < 0.36:
        return Meaning("is_setting", None, _one_or(scene.setting, tuple(SETTINGS), rng))
    if draw < 0.58:
        return Meaning("indoors") if rng.random() < 0.3 else Meaning("is_indoors", None, rng.choice(("in", "out")))
    if draw < 0.8 and scene.weather:
        return Meaning("weather") if rng.random() < 0.4 else Meaning("is_weather", None, rng.choice(WEATHERS))
    if draw < 0.92:
        return Meaning("time") if rng.random() < 0.4 else Meaning("is_time", None, rng.choice(("day", "day", "night")))
    return Meaning(rng.choice(("in_colour", "in_colour", "black_white")))
