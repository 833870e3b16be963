"""Noun phrases of a tagged piece.

    a group of people | sitting at | a dining table

A phrase is a determiner, possessive or number, then adjectives and nouns, up to its last noun, the head. `a group of
people` is one phrase whose head is `people`, `a bowl of soup` one whose head is `bowl`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voirdire.text.coreference import TokenSpan
from voirdire.text.coreference.lexicon import (
    COLLECTIVE,
    COLORS,
    CONTAINERS,
    PEOPLE,
    Kind,
    Number,
    kind,
    number,
    singular,
)
from voirdire.text.tagging import Token

POSSESSIVES = frozenset({"its", "his", "her", "their", "my", "your", "our"})
ARTICLES = frozenset(
    {"a", "an", "the", "this", "that", "these", "those", "any", "some", "no", "another", "each", "every"}
)
QUANTIFIERS = frozenset({"all", "both", "other", "several", "few"})
# `how many people` asks of people, `what color bird` of a bird.
_FRAMES = frozenset({"many", "much", "more", "just", "only", "color", "colour", "kind", "type", "sort", "brand"})
_ONE = frozenset({"a", "an", "1", "one", "another", "each", "every", "this", "that", "single", "lone"})
_MANY = frozenset(
    {
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "10",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
    }
    | {"both", "several", "many", "few", "these", "those", "multiple", "various", "numerous"}
)
_LIVING = ("man", "woman", "person", "animal")
# Words that a tagger may take for nouns or adjectives, and that end a phrase.
_NEVER = frozenset(
    {"there", "here", "what", "which", "who", "how", "where", "when", "why", "yes", "not", "it", "he", "she", "they"}
    | {"him", "them", "i", "you", "we", "me", "us", "n't", "look", "looks", "wear", "wears", "seem", "seems", "appear"}
    | {"can", "is", "are", "does", "do", "has", "have", "was", "were", "be", "like", "visible", "made"}
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase, its head in the singular, what it can be, how many it is, and the words before its head."""

    span: TokenSpan
    head: str
    kind: Kind
    number: Number
    before: tuple[str, ...]

    @property
    def opener(self) -> str:
        return self.before[0] if self.before else ""

    @property
    def definite(self) -> bool:
        return self.opener in ("the", "this", "that", "these", "those") or self.opener in POSSESSIVES

    @property
    def person(self) -> bool:
        return self.kind in ("man", "woman", "person")

    @property
    def other(self) -> bool:
        return not {"another", "other", "else", "second", "third"}.isdisjoint(self.before)


def phrases(piece: int, tokens: Sequence[Token]) -> list[Phrase]:
    """The noun phrases of a piece, in order; what fills a container follows the container's own phrase."""
    words = [token.text.lower() for token in tokens]
    found: list[Phrase] = []
    place = 0
    while place < len(tokens):
        end = _end(tokens, words, place)
        if end is None:
            place += 1
            continue
        end = _without_predicate(words, place, end)
        found.append(_phrase(piece, words, place, end))
        inner = _end(tokens, words, end + 1) if words[end : end + 1] == ["of"] else None
        if inner is not None:
            found[-1:] = _joined(found[-1], _phrase(piece, words, end + 1, inner))
            end = inner
        place = end
    return found


def _without_predicate(words: Sequence[str], start: int, end: int) -> int:
    """The end of the subject alone, where the last noun says what it is: `is the table | wood`."""
    closes = end == len(words) or words[end] in ("or", "?")
    asks = start == 1 and words[0] in ("is", "are", "was", "were")
    return end - 1 if asks and closes and end - start > 2 else end


def _joined(outer: Phrase, inner: Phrase) -> list[Phrase]:
    span = TokenSpan(outer.span.piece, outer.span.start, inner.span.end)
    if outer.head in COLLECTIVE and (inner.number != "one" or not inner.before):
        return [Phrase(span, inner.head, inner.kind, "many", outer.before)]
    if outer.head in CONTAINERS:
        return [Phrase(span, outer.head, outer.kind, outer.number, outer.before), inner]
    return [outer, inner]


def _phrase(piece: int, words: Sequence[str], start: int, end: int) -> Phrase:
    head, before = words[end - 1], tuple(words[start : end - 1])
    many = number(head)
    if many != "many" and head not in PEOPLE and not _ONE.isdisjoint(before[:2]):
        many = "one"
    elif not _MANY.isdisjoint(before[:2]):
        many = "many"
    return Phrase(TokenSpan(piece, start, end), singular(head), kind(head), many, before)


def _end(tokens: Sequence[Token], words: Sequence[str], start: int) -> int | None:
    """Where the phrase that begins here ends, or None where none does."""
    if start >= len(words) or words[start] in _FRAMES:
        return None
    place, last = start, None
    opened = words[place] in ARTICLES or words[place] in POSSESSIVES or words[place] in QUANTIFIERS
    if opened:
        place += 1
        if words[start] in QUANTIFIERS and words[place : place + 1] and words[place] in ARTICLES | POSSESSIVES:
            place += 1
    while place < len(tokens):
        word, pos = words[place], tokens[place].pos
        if word in _NEVER or word in ARTICLES or word in POSSESSIVES:
            break
        if last is not None and (word in COLORS or not _is_noun(word, pos) or _ends(tokens, words, start, place)):
            break
        if _is_noun(word, pos):
            last = place + 1
        elif word == "and" or word == ",":
            if not opened or place + 1 >= len(tokens) or tokens[place + 1].pos != "ADJ":
                break
        elif pos not in ("ADJ", "NUM") and not (opened and pos in ("VERB", "ADV", "DET")):
            break
        place += 1
    return last


def _ends(tokens: Sequence[Token], words: Sequence[str], start: int, place: int) -> bool:
    """Whether a noun after a noun is no part of the phrase: a person or an animal seldom describes a noun."""
    before = words[place - 1]
    # `a dog runs`: one dog and several runs do not go together.
    if words[start] in ("a", "an", "another", "1", "one") and number(words[place]) == "many":
        return True
    if kind(before) not in _LIVING:
        return False
    return words[place].endswith("ing") or (words[start] != before and tokens[place].pos != "NOUN")


def _is_noun(word: str, pos: str) -> bool:
    if not word[:1].isalpha():
        return False
    if pos in ("NOUN", "PROPN"):
        return True
    return pos in ("X", "VERB", "ADJ") and kind(word) in _LIVING
