"""What is true: a meaning evaluated on a scene.

    answers(meaning, scene, focus)       every true answer, the one that a speaker would give first in front
    about(meaning, scene, thing)         yes, no or n/a of one thing, for guessing games, where "it" is that thing

`focus` says which things each pronoun refers to; see `reference.Conversation`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Literal

import msgspec

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.inventory import BY_NAME
from voirdire.world.meaning import GENERAL, Meaning, Ref
from voirdire.world.scene import at_side, centre, place_of, related

Focus = Mapping[str, Sequence[Thing]]


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of an answer, without its wording.

    what   yes, no, number, word (a colour, a material, an action …), place, things (what is there), none (the question
           presupposes something that is not there), unknown
    value  the number or word; a place is "on/dining table" or "left"; things are nouns joined by "+"
    """

    what: str
    value: str = ""


_YES, _NO = Answer("yes"), Answer("no")
NONE_THERE, CANNOT_TELL, NOT_APPLICABLE = Answer("none"), Answer("unknown"), Answer("n/a")
_PEOPLE = {"man": ("male", False), "woman": ("female", False), "boy": ("male", True), "girl": ("female", True)}


def is_noun(thing: Thing, noun: str) -> bool:
    """Whether a thing may be called by a noun of this sense."""
    return noun in _nouns(thing.category, thing.gender, thing.age)


@cache
def _nouns(category: str, gender: str, age: str) -> frozenset[str]:
    nouns = {category, BY_NAME[category].supercategory}
    if gender:
        child = age == "child"
        nouns |= {noun for noun, (sex, young) in _PEOPLE.items() if (sex, young) == (gender, child)}
        nouns |= {"child"} if child else set()
    return frozenset(nouns)


def _matches(thing: Thing, ref: Ref, scene: Scene, focus: Focus) -> bool:
    if not is_noun(thing, ref.noun):
        return False
    if ref.colour not in ("", thing.colour) or ref.size not in ("", thing.size):
        return False
    if ref.material not in ("", thing.material):
        return False
    if ref.side and not at_side(thing, ref.side, scene):
        return False
    if ref.garment and not _has_on(thing, ref.garment, ref.shade):
        return False
    if ref.relation and ref.other is not None:
        return any(related(thing, ref.relation, other) for other in denotes(ref.other, scene, focus))
    return True


def denotes(ref: Ref, scene: Scene, focus: Focus | None = None) -> list[Thing]:
    """The things that fit a description, in the scene's order; for a pronoun those that it refers to."""
    focus = {} if focus is None else focus
    if ref.pronoun:
        return list(focus.get(ref.pronoun, ()))
    return [thing for thing in scene.things if _matches(thing, ref, scene, focus)]


def _has_on(thing: Thing, garment: str, shade: str) -> bool:
    return any(worn.kind == garment and shade in ("", worn.colour) for worn in thing.wears)


def _truth(fact: bool) -> tuple[Answer, ...]:
    return (_YES,) if fact else (_NO,)


def answers(meaning: Meaning, scene: Scene, focus: Focus | None = None) -> tuple[Answer, ...]:
    """All true answers to a question about a scene, the preferred one first; never empty."""
    focus = {} if focus is None else focus
    kind = meaning.kind
    if kind in GENERAL:
        return _general(meaning, scene)
    if kind == "who":
        return _who(meaning, scene)
    if kind == "what":
        return _what(meaning, scene, focus)
    if meaning.of is None:
        raise ValueError(f"`meaning.of` must be given for the kind {kind!r}, got None")
    things = denotes(meaning.of, scene, focus)
    if kind == "exists":
        return _truth(bool(things))
    if kind == "count":
        return (Answer("number", str(len(things))),)
    if kind == "more" and meaning.to is not None:
        return _truth(len(things) > len(denotes(meaning.to, scene, focus)))
    if not things:
        return (NONE_THERE,)
    if len(things) > 1 and not (meaning.of.many or meaning.of.pronoun == "they"):
        return (CANNOT_TELL,)
    return _of_things(meaning, scene, things, focus)


def _general(meaning: Meaning, scene: Scene) -> tuple[Answer, ...]:
    kind, value = meaning.kind, meaning.value
    if kind in ("in_colour", "black_white"):
        return _truth(scene.in_colour == (kind == "in_colour"))
    attribute = "setting" if kind == "room" else kind.removeprefix("is_")
    fact = ("in" if scene.indoors else "out") if attribute == "indoors" else getattr(scene, attribute)
    if not fact:  # No weather is to be seen.
        return (CANNOT_TELL,)
    return _truth(fact == value) if kind.startswith("is_") else (Answer("word", fact),)


def _who(meaning: Meaning, scene: Scene) -> tuple[Answer, ...]:
    wearers = [thing for thing in scene.things if _has_on(thing, meaning.value, meaning.shade)]
    if not wearers:
        return (NONE_THERE,)
    names = {person_noun(thing) for thing in wearers}
    if len(wearers) > 1 and len(names) == 1:
        return (Answer("things", f"2+{names.pop()}"),) if len(wearers) == 2 else (CANNOT_TELL,)
    return (Answer("things", "+".join(sorted(names))),) if len(wearers) == 1 else (CANNOT_TELL,)


def person_noun(thing: Thing) -> str:
    """man, woman, boy or girl; the category's own name for anything else."""
    if not thing.gender:
        return thing.category
    child = thing.age == "child"
    return ("boy" if child else "man") if thing.gender == "male" else ("girl" if child else "woman")


def _what(meaning: Meaning, scene: Scene, focus: Focus) -> tuple[Answer, ...]:
    if meaning.to is None:
        things = [thing for thing in scene.things if at_side(thing, meaning.value, scene)]
    else:
        others = denotes(meaning.to, scene, focus)
        if not others:
            return (NONE_THERE,)
        things = [t for t in scene.things if any(related(t, meaning.relation, other) for other in others)]
    if meaning.of is not None:
        things = [thing for thing in things if is_noun(thing, meaning.of.noun)]
    if not things:
        return (Answer("things", ""),)
    names = sorted({person_noun(thing) for thing in things})
    return (Answer("things", "+".join(names)),)


def _of_things(meaning: Meaning, scene: Scene, things: list[Thing], focus: Focus) -> tuple[Answer, ...]:
    kind, value = meaning.kind, meaning.value
    if kind == "where":
        return _where(scene, things)
    if kind in _ATTRIBUTES:
        return (_word(sorted({_ATTRIBUTES[kind](thing, scene) for thing in things})),)
    if kind == "garment_colour":
        worn = [w.colour for thing in things for w in thing.wears if w.kind == value]
        return (_word(sorted(set(worn))) if worn else NONE_THERE,)
    if kind == "wearing":
        if len(things) > 1:
            return (CANNOT_TELL,)
        return (Answer("garments", "+".join(f"{w.colour} {w.kind}".strip() for w in things[0].wears)),)
    if kind == "holding":
        if len(things) > 1:
            return (CANNOT_TELL,)
        in_hand = next((other.category for other in scene.things if other.id == things[0].holds), "")
        return (Answer("things", in_hand),)
    if kind == "bigger" and meaning.to is not None:
        others = denotes(meaning.to, scene, focus)
        if len(others) != 1 or len(things) != 1:
            return (NONE_THERE,) if not others else (CANNOT_TELL,)
        return _truth(_area(things[0]) > _area(others[0]))
    verdicts = {_verdict(meaning, scene, thing, focus) for thing in things}
    if NOT_APPLICABLE in verdicts:
        return (CANNOT_TELL,)
    if NONE_THERE in verdicts:
        return (NONE_THERE,)
    return _truth(verdicts == {_YES})


def _area(thing: Thing) -> float:
    return thing.bbox[2] * thing.bbox[3]


def _word(values: list[str]) -> Answer:
    if "" in values or len(values) > 2:
        return CANNOT_TELL
    return Answer("word", "+".join(values))


_ATTRIBUTES: dict[str, Callable[[Thing, Scene], str]] = {
    "colour": lambda thing, scene: thing.colour,
    "size": lambda thing, scene: thing.size,
    "material": lambda thing, scene: thing.material,
    "shape": lambda thing, scene: BY_NAME[thing.category].shape.strip("-"),
    "action": lambda thing, scene: thing.action,
    "gender": lambda thing, scene: person_noun(thing) if thing.gender else "",
    "age": lambda thing, scene: thing.age,
    "side": lambda thing, scene: place_of(thing, scene),
}


def _where(scene: Scene, things: list[Thing]) -> tuple[Answer, ...]:
    """On what each one is, beside what (a thing that is the only one of its category), and on which side."""
    if len(things) > 1:
        sides = {place_of(thing, scene) for thing in things}
        return (Answer("place", sides.pop()) if len(sides) == 1 else CANNOT_TELL,)
    (thing,) = things
    names = [(noun, other) for other in scene.things for noun in dict.fromkeys((person_noun(other), other.category))]
    only = [(noun, o) for noun, o in names if sum(is_noun(other, noun) for other in scene.things) == 1]
    places = [f"on/{noun}" for noun, other in names if other.id == thing.on]
    for relation in _NAMED_RELATIONS:
        if relation == "above":
            places += [side for side in _NAMED_SIDES if at_side(thing, side, scene)]
        places += [f"{relation}/{noun}" for noun, other in only if related(thing, relation, other)]
    return tuple(Answer("place", place) for place in places)


_NAMED_RELATIONS = ("next to", "in front of", "behind", "above", "below", "left of", "right of")
_NAMED_SIDES = ("left", "right", "middle", "foreground", "background", "top", "bottom")


def _verdict(meaning: Meaning, scene: Scene, thing: Thing, focus: Focus) -> Answer:
    """Yes, no, n/a (the thing has no such attribute) or none (the other thing is not there) for one thing."""
    kind, value, to = meaning.kind, meaning.value, meaning.to
    if kind in _TESTED:
        values = _ATTRIBUTES[_TESTED[kind]](thing, scene)
        if not values and kind in ("is_colour", "is_material"):
            return NOT_APPLICABLE
        fact = values == value
    elif kind == "is_gender":
        fact = thing.gender == value
    elif kind == "is_side":
        fact = at_side(thing, value, scene)
    elif kind == "is_kind":
        fact = BY_NAME[thing.category].supercategory == value
    elif kind == "wears":
        fact = _has_on(thing, value, meaning.shade)
    elif kind == "alone":
        fact = sum(other.category == "person" for other in scene.things) <= 1
    elif kind == "nth":
        fact = _is_nth(thing, value, to, scene)
    elif to is None:
        raise ValueError(f"`meaning.to` must be given for the kind {kind!r}, got None")
    elif kind in ("is_a", "is_the"):
        fact = _matches(thing, to, scene, focus)
    elif kind == "is_holding":
        fact = any(other.id == thing.holds and _matches(other, to, scene, focus) for other in scene.things)
    else:
        others = denotes(to, scene, focus)
        if not others:
            return NONE_THERE
        if kind == "relation":
            fact = any(related(thing, meaning.relation, other) for other in others)
        elif kind == "same_colour":
            if not thing.colour or not all(other.colour for other in others):
                return NOT_APPLICABLE
            fact = all(thing.colour == other.colour for other in others)
        else:
            fact = all(_area(thing) > _area(other) for other in others)
    return _YES if fact else _NO


_TESTED = {f"is_{attribute}": attribute for attribute in ("colour", "size", "material", "shape", "action", "age")}


def _is_nth(thing: Thing, value: str, to: Ref | None, scene: Scene) -> bool:
    number, side = value.split()
    row = [t for t in scene.things if to is None or is_noun(t, to.noun)]
    row.sort(key=lambda t: centre(t)[0], reverse=side == "right")
    place = int(number) - 1
    return place < len(row) and row[place].id == thing.id


def about(meaning: Meaning, scene: Scene, thing: Thing) -> Literal["yes", "no", "n/a"]:
    """yes, no or n/a for a yes/no question asked of one thing: "it", and any other pronoun, is that thing.

    A question about the whole picture has the same answer for every thing. One with a description of its own
    ("is the person a boy?") is answered of the thing if it fits the description, and n/a where it does not.
    """
    pronouns = dict.fromkeys(("it", "he", "she", "they"), (thing,))
    if meaning.of is not None and meaning.kind not in ("exists", "more", "count"):
        fits = bool(meaning.of.pronoun) or _matches(thing, meaning.of, scene, pronouns)
        answer = (
            answers(msgspec.structs.replace(meaning, of=Ref(pronoun="it")), scene, pronouns)[0]
            if fits
            else NOT_APPLICABLE
        )
    else:
        answer = answers(meaning, scene, pronouns)[0]
    if answer.what == "yes":
        return "yes"
    return "no" if answer.what == "no" else "n/a"
