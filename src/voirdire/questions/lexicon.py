"""The types of a question, and which words make it one of a type: every type whose keyword it holds, else `other`.

    kinds(q) = ∪ { types of w : w a token of q }

"Is it the white one on the left?" is of `color` and of `location`. Location is said by words of place and by numbers. A
question that holds an ordinal ("the third from the left") is of `order` beside `location`. (effective-questions, §4.3.)

Our own lexicon is `lexicon.tsv` beside this file, in the layout of any other list of words and types: COCO's categories
and supercategories with their plurals and the words that people use for them, other things that people name in
pictures, colours, shapes, sizes, materials and textures, words of place and order, and verbs. Words are single tokens
in lower case. A word that names a thing and what things are made of (glass, paper) is listed as the thing; "made"
tells the question about the material.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from voirdire.figures import counted
from voirdire.formats.files import Source
from voirdire.formats.small_formats import WordTypes, parse_word_types, read_word_types

ATTRIBUTES = ("color", "shape", "size", "texture", "location", "action")
KINDS = ("object", *ATTRIBUTES, "other")
"""The eight types of Table 2; `order` is beside them."""

ORDER = "order"

_ORDINALS = frozenset(
    (
        *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last"),
        *("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"),
    )
)

_KIND_OF = {
    "object": "object",
    "super-category": "object",
    "color": "color",
    "shape": "shape",
    "size": "size",
    "texture": "texture",
    "spatial": "location",
    "number": "location",
    "action": "action",
    "activity": "action",
}
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Lexicon:
    """Words and the types of question that each is a sign of.

    name         what a signature calls it
    kinds        a token to its types
    fingerprint  of the file
    warnings     what of the file has no effect
    """

    name: str
    kinds: Mapping[str, frozenset[str]]
    fingerprint: str
    warnings: tuple[str, ...] = ()


def tokens(text: str) -> list[str]:
    """The runs of letters and digits, in lower case."""
    return _TOKEN.findall(text.lower())


@cache
def own_lexicon() -> Lexicon:
    """Ours."""
    file = files("voirdire.questions") / "lexicon.tsv"
    return make_lexicon(parse_word_types(Source(file.name, file.read_bytes())), "ours")


def read_lexicon(path: str) -> Lexicon:
    """Another list of words and types."""
    return make_lexicon(read_word_types(path), "given")


def make_lexicon(record: WordTypes, name: str) -> Lexicon:
    """The lexicon of a list; entries of several tokens never match, which is a warning."""
    kinds: dict[str, frozenset[str]] = {}
    several = []
    for word, types in record.by_word.items():
        parts = tokens(word)
        if len(parts) == 1:
            kinds[parts[0]] = kinds.get(parts[0], frozenset()) | {_KIND_OF[type_] for type_ in types}
        else:
            several.append(word)
    warnings = []
    if several:
        some = ", ".join(several[:3]) + (", …" if len(several) > 3 else "")
        count = counted(len(several), "keyword")
        warnings.append(f"{count} of several words without effect ({some}): a keyword is a single word.")
    return Lexicon(name, MappingProxyType(kinds), record.fingerprint, tuple(warnings))


def kinds_of(question: str, lexicon: Lexicon | None = None, exclusive_object: bool = False) -> frozenset[str]:
    """The types of a question, and `order` where an ordinal makes it one of location.

    lexicon           ours, unless another one is given
    exclusive_object  `object` only where no attribute's keyword is there
    """
    lexicon = lexicon or own_lexicon()
    types: set[str] = set()
    for token in tokens(question):
        kinds = lexicon.kinds.get(token)
        if kinds is not None:
            types |= kinds
            if token in _ORDINALS and "location" in kinds:
                types.add(ORDER)
    if exclusive_object and not types.isdisjoint(ATTRIBUTES):
        types.discard("object")
    return frozenset(types or {"other"})
