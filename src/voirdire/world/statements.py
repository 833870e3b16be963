"""A yes/no question as the statement that it asks about: "is the car red" is "the car is red" or "it is not red"."""

from voirdire.world import words
from voirdire.world.meaning import Meaning, Ref

__all__ = ["be", "name", "place_phrase", "statements", "subject"]


def subject(ref: Ref) -> str:
    """The pronoun with which an answer takes up a description."""
    if ref.pronoun or ref.many:
        return ref.pronoun or "they"
    return _SUBJECTS.get(ref.noun, "it")


_SUBJECTS = {"man": "he", "boy": "he", "woman": "she", "girl": "she", "person": "they", "child": "they"}


def be(pronoun: str) -> str:
    """is or are."""
    return "are" if pronoun == "they" else "is"


def name(ref: Ref, article: str = "the") -> str:
    """The description in its usual words; `article` the, a or no."""
    if ref.pronoun:
        return ref.pronoun
    parts = [forms[value][0] for forms, value in _adjectives(ref) if value]
    noun = " ".join([*parts, words.NOUNS[ref.noun][ref.many][0]])
    head = words.a(noun) if article == "a" else f"{article} {noun}"
    if ref.side:
        return f"{head} {words.SIDE_WORDS[ref.side][0]}"
    if ref.relation and ref.other is not None:
        return f"{head} {words.RELATION_WORDS[ref.relation][0]} {name(ref.other)}"
    if ref.garment == "glasses":
        return f"{head} with glasses"
    if ref.garment:
        return f"{head} in {garment(ref.garment, ref.shade, 'the' if article == 'the' else 'a')}"
    return head


def _adjectives(ref: Ref) -> tuple[tuple[words.Words, str], ...]:
    return (words.SIZES, ref.size), (words.COLOURS, ref.colour), (words.MATERIAL_ADJECTIVES, ref.material)


def garment(kind: str, shade: str, article: str = "a") -> str:
    """A garment with its colour and article: a red hat, blue pants, the scarf."""
    worn = f"{shade} {kind}" if shade else kind
    if article == "the":
        return f"the {worn}"
    return worn if kind in words.PLURAL_GARMENTS else words.a(worn)


def place_phrase(place: str) -> tuple[str, ...]:
    """The ways to say a place: "on/dining table" or "left"."""
    relation, slash, noun = place.partition("/")
    if not slash:
        return words.SIDE_WORDS[place]
    return tuple(f"{form} the {words.NOUNS[noun][0][0]}" for form in words.RELATION_WORDS[relation])


def _predicate(meaning: Meaning) -> tuple[str, ...]:
    """What follows "it is" in the statement."""
    kind, value, to = meaning.kind, meaning.value, meaning.to
    if kind in _VALUES:
        return _VALUES[kind][value]
    if kind == "is_material":
        return tuple(f"made of {form}" for form in words.MATERIALS[value])
    if kind == "wears":
        return (f"wearing {garment(value, meaning.shade)}",)
    if kind == "is_setting":
        return tuple(words.a(form) for form in words.PLACES[value])
    if kind == "in_colour":
        return ("in color",)
    if kind == "black_white":
        return ("black and white",)
    if kind == "alone":
        return ("alone",)
    if kind == "nth":
        number, side = value.split()
        noun = f" {words.NOUNS[to.noun][0][0]}" if to is not None else ""
        return (f"the {words.ORDINALS[int(number) - 1]}{noun} from the {side}",)
    if to is None:
        raise ValueError(f"meaning: {kind!r} has no statement without another thing")
    if kind == "is_a":
        return (name(to, "a"),)
    if kind == "is_the":
        return (name(to),)
    if kind == "is_holding":
        return (f"holding {name(to, 'a')}",)
    if kind == "relation":
        return tuple(f"{form} {name(to)}" for form in words.RELATION_WORDS[meaning.relation])
    if kind == "bigger":
        return (f"bigger than {name(to)}",)
    return (f"the same color as {name(to)}",)


_VALUES = {
    "is_colour": words.COLOURS,
    "is_size": words.SIZES,
    "is_shape": words.SHAPES,
    "is_action": words.ACTIONS,
    "is_side": words.SIDE_WORDS,
    "is_gender": words.GENDERS,
    "is_age": words.AGES,
    "is_kind": words.KINDS,
    "is_weather": words.WEATHER_WORDS,
    "is_time": words.TIMES,
    "is_indoors": words.INDOORS,
}


def statements(meaning: Meaning, true: bool) -> tuple[str, ...]:
    """The statement, or its denial, in the ways an answer may put it: with a pronoun first, then in full."""
    of, to = meaning.of, meaning.to
    if meaning.kind == "exists" and of is not None:
        if true:
            return (f"there is {name(of, 'a')}",)
        many = Ref(of.noun, True, of.size, of.colour, of.material, of.side, of.garment, of.shade, of.relation, of.other)
        return f"there is {name(of, 'no')}", f"there are {name(many, 'no')}"
    if meaning.kind == "more" and of is not None and to is not None:
        more, less = words.NOUNS[of.noun][1][0], words.NOUNS[to.noun][1][0]
        return (f"there are {'' if true else 'not '}more {more} than {less}",)
    no = "" if true else "not "
    pronoun = "it" if of is None else subject(of)
    verb = be(pronoun)
    predicates = _predicate(meaning)
    found = [f"{pronoun} {verb} {no}{predicate}" for predicate in predicates]
    if of is not None and not of.pronoun:
        full, verb = name(of), "are" if of.many else "is"
        found += [f"{full} {verb} {no}{predicate}" for predicate in predicates]
    return tuple(found)
