"""Which words make a question one of a type.

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
from voirdire.formats.word_types import WordTypes, parse_word_types, read_word_types

__all__ = ["Lexicon", "make_lexicon", "own_lexicon", "read_lexicon", "tokens"]

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
    """The lexicon of a list; entries of several tokens never match, and are told."""
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
        shown = ", ".join(several[:3]) + (", …" if len(several) > 3 else "")
        said = counted(len(several), "keyword")
        warnings.append(f"{said} of several words without effect ({shown}): a keyword is a single word.")
    return Lexicon(name, MappingProxyType(kinds), record.fingerprint, tuple(warnings))
