"""What colour things are: what_color, image_in_color."""

import re

from voirdire.scorekeeping.propositions.english import (
    NP,
    agreeing,
    codes,
    definite,
    head_of,
    is_plural,
    listed,
    word_list,
)
from voirdire.scorekeeping.propositions.rule import Derived, Exchange, Rule, nonpolar, polar

COLOURS = word_list("colour")
# What may be said for a colour: the barn is wood.
_SAID = COLOURS | word_list("material")
_SHADES = frozenset({"dark", "light"})
# Before another colour these are one with it: navy blue.
_BEFORE = _SHADES | {"golden", "lime", "navy", "olive"}
_WHAT_COLOR = re.compile(
    r"(?:and |so |ok )?(?:what|which) (?:colou?rs?|shade) (?P<be>is|are|was|were) (?P<what>.+)"
    r"|(?:what is|what's|what are) the colou?rs? of (?P<of>.+)"
    r"|(?:what|which) colou?rs? (?!(?:is|are|was|were)\b)(?P<bare>.+)"
)
_THING = re.compile(rf"{NP}(?:P{NP})*")
_IN_COLOR = re.compile(
    r"(?:is|was|are) (?:it|this|that|the|these|this is)? ?(?:a )?"
    r"(?:(?:photo|picture|image|pic|photograph|shot|scene)s? )?(?:taken |shown )?"
    r"(?:in (?:full )?(?:colou?r|colou?rs)|(?:full )?colou?r(?:ed)? (?:photo|picture|image|pic|photograph|shot))"
    r"|(?:is|was) (?:the|this) (?:photo|picture|image|pic|photograph) (?:full )?colou?r(?:ed)?"
)


def colours(answer: str) -> list[str]:
    """The colours of an answer in order, each once; `dark`, `light` and others go with a colour right after them."""
    found: list[str] = []
    words = ["", *re.findall(r"[a-z]+|,", answer), ""]
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if (word in _SAID or word in _SHADES) and not (word in _BEFORE and after in _SAID):
            found.append(f"{before} {word}" if before in _BEFORE and word in _SAID else word)
    return list(dict.fromkeys(found))


def what_color(exchange: Exchange) -> Derived | None:
    match = _WHAT_COLOR.fullmatch(exchange.resolved)
    if match is None:
        return None
    tokens = exchange.tagger.tag(match["what"] or match["of"] or match["bare"])
    letters = codes(tokens)
    if match["bare"] and not _THING.fullmatch(letters):
        return None
    found = colours(exchange.answer)
    if not found:
        return Derived(None, "the answer names no colour")
    if re.search(r"\bnot\b|n't\b", exchange.answer):
        return Derived(None, "the answer says what it is not")
    if re.search(r"\b(?:others?|each|different|some|both|another|1s?|but|except|most)\b", exchange.answer):
        return Derived(None, "the answer tells several things apart")
    if "N" not in letters and letters != "R":
        return Derived(None, "what follows names no thing")
    if re.search("[BOHVLMWt]", letters) or letters[-1] in "GP":
        return Derived(None, "what follows is more than a thing")
    words = [token.text for token in tokens]
    subject, be = definite(words, letters), match["be"] or "is"
    if match["bare"]:
        be = "are" if is_plural(head_of(words, letters)) else "is"
    elif exchange.changed:
        be = agreeing(be, words, letters)
    known = listed(found, exchange.colours if re.search(r"\bor\b", exchange.answer) else "and")
    return nonpolar(f"{subject} {be} {known}", f"{subject} {be} not {known}")


def image_in_color(exchange: Exchange) -> Derived | None:
    if not _IN_COLOR.fullmatch(exchange.question):
        return None
    return polar(exchange, "the image is in color", "the image is not in color")


WHAT_COLOR = Rule(
    "what_color",
    "question after coreference",
    "what color is X, and colours in the answer: X is white / X is not white",
    what_color,
    """
    what color is the barn | red | the barn is red. | the barn is not red.
    what color are the goats | black and dark gray
        | the goats are black and dark gray. | the goats are not black and dark gray.
    what color is the boats | greenish blue | the boats is blue. | the boats is not blue.
    what color is his tie -> what color is the clown's tie | pink i think
        | the clown's tie is pink. | the clown's tie is not pink.
    what color is the boat | navy blue | the boat is navy blue. | the boat is not navy blue.
    what color is the boat | navy, lime | the boat is navy and lime. | the boat is not navy and lime.
    what color are tulips | it looks yellow | the tulips are yellow. | the tulips are not yellow.
    what color boats | red | the boats are red. | the boats are not red.
    what color gate at the barn | tan | the gate at the barn is tan. | the gate at the barn is not tan.
    what color are they -> what color are the barn | red | the barn is red. | the barn is not red.
    what color is the boat | red or blue | the boat is red and blue. | the boat is not red and blue.
    what color boats | no boats | nothing
    what color is the barn | old | nothing
    what color is the barn | it is not red | nothing
    what color are the goats | 1 is black, the others are white | nothing
    can you tell what color the barn is | red | no match
    what color wig is the clown wearing | red | no match
    is the barn red | yes | no match
    """,
)
IMAGE_IN_COLOR = Rule(
    "image_in_color",
    "question",
    "is this in color, is the picture in color: the image is in color / is not in color",
    image_in_color,
    """
    is the photo in color | yes | the image is in color. | the image is not in color.
    is this in color | no | the image is not in color. | the image is in color.
    is this a color picture | yes it is | the image is in color. | the image is not in color.
    is the image in color | black and white | nothing
    is the photo in color or black and white | color | no match
    is the barn in color | yes | no match
    """,
)
