"""What colour things are, and of what sort: what_color, image_in_color, what_kind, is_it."""

from voirdire.scorekeeping.propositions.english import is_plural, listed, word_list
from voirdire.scorekeeping.propositions.rule import NO_THING, Derived, Exchange, Rule, nonpolar, polar

COLOURS = word_list("colour")
MEDIA = ("image", "photo", "picture")
"""What a proposition of `image_in_color` is about: one of these, drawn for each round."""
LONGEST = 2
_ENDS = frozenset({"are there", "is there", "is it", "is this", "is that", "is he", "is she", "are they"})
_OPENINGS = ("what color is", "what color are", "what colour is", "what colour are")
_IN_COLOR = frozenset(
    {"is this in color", *(f"is {the} {medium} in color" for the in ("the", "this") for medium in MEDIA)}
)


def colours(answer: str) -> list[str]:
    """The colours of an answer in order, each once; `dark` and `light` go with a colour right after them."""
    words = dict.fromkeys(word.replace(",", "") for word in answer.split())
    return [_shade("light", _shade("dark", word, word, answer), word, answer) for word in words if word in COLOURS]


def _shade(shade: str, shaded: str, colour: str, answer: str) -> str:
    return f"{shade} {shaded}" if f"{shade} {colour}" in answer else shaded


def what_color(exchange: Exchange) -> Derived | None:
    asked = len(exchange.question.split())
    if not (exchange.question.startswith(_OPENINGS) or (exchange.question.startswith("what color") and asked > 2)):
        return None
    rest = exchange.resolved.split()[2:]
    if exchange.question.startswith(_OPENINGS):
        be, *thing = rest or [""]
        thing = thing[1:] if thing[:1] == ["the"] else thing
    else:
        be, thing = "are" if rest and is_plural(rest[0]) else "is", rest
    if not thing:
        return NO_THING
    known = colours(exchange.answer)
    if not known:
        return Derived(None, "the answer names no colour")
    last = exchange.colours if "or" in exchange.answer.split() else "and"
    subject, colour = f"the {' '.join(thing)}", listed(known, last)
    return nonpolar(f"{subject} {be} {colour}", f"{subject} {be} not {colour}")


def image_in_color(exchange: Exchange) -> Derived | None:
    if exchange.question not in _IN_COLOR:
        return None
    return polar(exchange, f"the {exchange.medium} is in color", f"the {exchange.medium} is not in color")


def what_kind(exchange: Exchange) -> Derived | None:
    if not exchange.question.startswith(("what kind of", "what type of")) or len(exchange.answer.split()) > LONGEST:
        return None
    _, _, _, *words = exchange.question.split()
    if len(words) > 1:
        if " ".join(words[-2:]) not in _ENDS:
            return Derived(None, "more follows than a thing and: is it, are there")
        words = words[:-2]
    thing = " ".join(words)
    if not thing:
        return NO_THING
    be = "are" if is_plural(thing) else "is"
    return nonpolar(f"the {thing} {be} {exchange.answer}", f"the {thing} {be} not {exchange.answer}")


def is_it(exchange: Exchange) -> Derived | None:
    if not exchange.question.startswith("is it a"):
        return None
    thing = exchange.question.removeprefix("is it ")
    return polar(exchange, f"there is {thing}", f"there is not {thing}")


WHAT_COLOR = Rule(
    "what_color",
    "question after coreference",
    "what color is X, what color X, and colours in the answer: the X is red / is not red",
    what_color,
    """
    what color is the barn | red | the barn is red. | the barn is not red.
    what color are the boats | red and blue | the boats are red and blue. | the boats are not red and blue.
    what color are the flags | blue, white and red | the flags are blue, white and red.
        | the flags are not blue, white and red.
    what color is the pond | looks dark green to me | the pond is dark green. | the pond is not dark green.
    what color is it -> what color is the goat's bell | tan | the goat's bell is tan. | the goat's bell is not tan.
    what color boats | white | the boats are white. | the boats are not white.
    what color barn | white | the barn is white. | the barn is not white.
    what color are they -> what color are the bench | tan | the bench are tan. | the bench are not tan.
    what color is a goat | black | the a goat is black. | the a goat is not black.
    what color is the barn | not red | the barn is red. | the barn is not red.
    what color is the barn | wood | the barn is wood. | the barn is not wood.
    what color is the barn | striped | nothing
    what color is | red | nothing
    what color | red | no match
    what is the color of the barn | red | no match
    is the barn red | yes | no match
    """,
)
IMAGE_IN_COLOR = Rule(
    "image_in_color",
    "question",
    "is this in color, is the photo in color: the image, photo or picture (drawn) is in color / is not in color",
    image_in_color,
    """
    is this in color | yes | the image is in color. | the image is not in color.
    is the photo in color | no, black and white | the image is not in color. | the image is in color.
    is this picture in color | yes it is | the image is in color. | the image is not in color.
    is the image in color | black and white | nothing
    is the photo in color or black and white | color | no match
    is the barn in color | yes | no match
    """,
)
WHAT_KIND = Rule(
    "what_kind",
    "question",
    "what kind of X, what type of X, and an answer of one or two words: the X is Y / the X is not Y",
    what_kind,
    """
    what kind of floor is it | wooden | the floor is wooden. | the floor is not wooden.
    what type of boats are they | small canoes | the boats are small canoes. | the boats are not small canoes.
    what kind of bird | a heron | the bird is a heron. | the bird is not a heron.
    what kind of bird is it | heron | the bird is heron. | the bird is not heron.
    what kind of fishing boat is it | no | the fishing boat is no. | the fishing boat is not no.
    what kind of boat is on the pier | canoe | nothing
    what kind of boat is it | a very old one | no match
    what boat is it | a canoe | no match
    is it a kind of boat | yes | no match
    """,
)
IS_IT = Rule(
    "is_it",
    "question",
    "is it a X: there is a X / there is not a X",
    is_it,
    """
    is it a fishing boat | yes | there is a fishing boat. | there is not a fishing boat.
    is it an old barn | no | there is not an old barn. | there is an old barn.
    is it a barn or a shed | no | there is not a barn or a shed. | there is a barn or a shed.
    is it a barn | more of a shed | nothing
    is it barn | yes | no match
    is the shed a barn | no | no match
    """,
)
