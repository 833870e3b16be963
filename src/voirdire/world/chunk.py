"""Words to chunks: the parts of a question that may vary, read off with the slots' own words.

"what color is the small red car next to the bench" becomes what color is D R D, where the two D carry descriptions
and R a relation. The sequence of symbols (the skeleton) decides what is asked; the payloads say of what.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from voirdire.world import words
from voirdire.world.meaning import Ref

__all__ = ["Chunk", "chunk", "normal_words"]


class Chunk(NamedTuple):
    """A symbol of the skeleton with what it carries; `slot` is set only where a pattern is being read."""

    symbol: str
    payload: Any = None
    slot: str = ""


_SAME = {
    "are": "is",
    "does": "do",
    "has": "have",
    "an": "a",
    "photo": "picture",
    "image": "picture",
    "colour": "color",
    "what's": "what is",
    "where's": "where is",
    "who's": "who is",
}
_PRONOUNS = {"it": "it", "he": "he", "she": "she", "they": "they", "him": "he", "them": "they"}
_OWNERS = {"his": "he", "her": "she", "their": "they"}
_DETERMINERS = frozenset(("the", "a", "any", "some"))


def normal_words(text: str) -> list[str]:
    """The words of one question in lower case, with the forms that make no difference made one."""
    text = text.strip().rstrip("?.! ").lower()
    plain = [_SAME.get(word, word) for word in text.replace(",", "").split()]
    return " ".join(plain).split() if "'" in text else plain


_Entry = tuple[tuple[str, ...], str, Any]


def _lexicon() -> dict[str, list[_Entry]]:
    entries: dict[tuple[str, ...], tuple[str, Any]] = {}

    def add(symbol: str, table: Mapping[str, tuple[str, ...]]) -> None:
        for value, forms in table.items():
            for form in forms:
                entries[tuple(normal_words(form))] = (symbol, value)

    tables: tuple[tuple[str, Mapping[str, tuple[str, ...]]], ...] = (
        ("Z", words.SIZES),
        ("C", words.COLOURS),
        ("M", words.MATERIALS),
        ("M", words.MATERIAL_ADJECTIVES),
        ("H", words.SHAPES),
        ("A", words.ACTIONS),
        ("S", words.SIDE_WORDS),
        ("R", words.RELATION_WORDS),
        ("X", words.GENDERS),
        ("Y", words.AGES),
        ("W", words.WEATHER_WORDS),
        ("T", words.TIMES),
        ("L", words.INDOORS),
        ("P", words.PLACES),
        ("Q", words.SETTING_PHRASES),
        ("K", words.KINDS),
        ("G", words.GARMENT_WORDS),
        ("G", {kind: (many,) for kind, many in words.GARMENT_PLURALS.items()}),
        ("F", {"left": ("from the left",), "right": ("from the right",)}),
        ("O", {str(n): (word,) for n, word in enumerate(words.ORDINALS, start=1)}),
        ("black and white", {"": ("black and white",)}),
    )
    for symbol, table in tables:
        add(symbol, table)
    for sense, (one, many) in words.NOUNS.items():
        for form in dict.fromkeys((*one, *many)):
            symbol = "NS" if form not in one else "N" if form not in many else "NN"
            key = tuple(form.split())
            entries[key] = ("CN" if key in entries else symbol, sense)
    by_first: dict[str, list[_Entry]] = {}
    for key, (symbol, value) in entries.items():
        by_first.setdefault(key[0], []).append((key, symbol, value))
    for options in by_first.values():
        options.sort(key=lambda option: -len(option[0]))
    return by_first


_LEXICON = _lexicon()


def chunk(tokens: list[str | Chunk]) -> list[Chunk]:
    """Group words into chunks; tokens that are chunks already (a pattern's slots) stay what they are."""
    return _phrases(_look_up(tokens))


def _look_up(tokens: list[str | Chunk]) -> list[Chunk]:
    found: list[Chunk] = []
    at, end = 0, len(tokens)
    while at < end:
        token = tokens[at]
        at += 1
        if isinstance(token, Chunk):
            found.append(token)
            continue
        for key, symbol, value in _LEXICON.get(token, ()):
            length = len(key)
            if length == 1 or tuple(tokens[at - 1 : at - 1 + length]) == key:
                found.append(Chunk(symbol, value))
                at += length - 1
                break
        else:
            found.append(Chunk(token))
    return found


def _phrases(items: list[Chunk]) -> list[Chunk]:
    """Put noun phrases together: determiner, size, colour, material, noun; and garments likewise."""
    found: list[Chunk] = []
    at, end = 0, len(items)
    items.append(Chunk(""))
    while at < end:
        word = items[at].symbol
        after = at
        determiner = ""
        if word == "all" and items[at + 1].symbol == "the":
            determiner, after = "all", at + 2
        elif word in _DETERMINERS or word in _OWNERS:
            determiner, after = word, at + 1
        phrase, stop = _phrase(items, after, determiner)
        if phrase is not None:
            found.append(phrase)
            at = stop
            continue
        if word in _PRONOUNS or word == "her":
            found.append(Chunk("D", Ref(pronoun=_PRONOUNS.get(word, "she"))))
        elif word == "CN":
            found.append(Chunk("C", items[at].payload))
        else:
            found.append(items[at])
        at += 1
    return found


def _phrase(items: list[Chunk], at: int, determiner: str) -> tuple[Chunk | None, int]:
    order = ""
    if determiner == "the" and items[at].symbol == "O":
        order = items[at].payload
        at += 1
        if items[at].symbol == "F":
            return Chunk("O", (f"{order} {items[at].payload}", None), items[at].slot), at + 1
    size = colour = material = ""
    if items[at].symbol == "Z":
        size, at = items[at].payload, at + 1
    if items[at].symbol == "C" or (items[at].symbol == "CN" and items[at + 1].symbol in ("N", "NS", "NN", "G", "M")):
        colour, at = items[at].payload, at + 1
    if items[at].symbol == "M":
        material, at = items[at].payload, at + 1
    symbol, payload, slot = items[at]
    if order:
        if symbol in ("N", "NN", "CN") and items[at + 1].symbol == "F":
            return Chunk("O", (f"{order} {items[at + 1].payload}", Ref(noun=payload)), slot), at + 2
        return None, at
    if symbol == "G" and not size and not material:
        if determiner in _OWNERS:
            return Chunk("PG", (Ref(pronoun=_OWNERS[determiner]), payload, colour), slot), at + 1
        return Chunk("GP", (payload, colour), slot), at + 1
    if symbol == "CN" and not determiner:
        return None, at
    if symbol in ("N", "NS", "NN", "CN"):
        many = determiner == "all" or (determiner == "the" and symbol == "NS")
        ref = Ref(noun=payload, many=many, size=size, colour=colour, material=material)
        kind = "D" if determiner in ("the", "all") else "I" if determiner == "a" else "N" if symbol == "N" else "B"
        return Chunk(kind, ref, slot), at + 1
    return None, at
