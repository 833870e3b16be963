"""A sentence as a string of codes, one letter a word: regular expressions read the order of parts of speech.

is   the  small  dog  asleep          B D J N J          B(?P<np>{NP})(?P<adj>A*J)
B is are was were    O do does did    H have has had    M can and its like    W what how where …
D articles, possessives and their like    S 's    N nouns, proper ones too    J adjectives    # numbers    A adverbs
G verbs in -ing    E participles in -ed and their like    V other verbs    P prepositions    R pronouns
L look seem appear    T there    C and, or    t to    n not    X what opens a clause    . marks    I yes and no
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from voirdire.scorekeeping.propositions.english import is_plural, join
from voirdire.scorekeeping.propositions.lexicon import word_list
from voirdire.text.tagging import Token

__all__ = ["NP", "Found", "codes", "find", "head_of"]

_WORDS = {
    **dict.fromkeys(("is", "are", "was", "were", "'s", "'re", "isn't"), "B"),
    **dict.fromkeys(("do", "does", "did"), "O"),
    **dict.fromkeys(("have", "has", "had"), "H"),
    **dict.fromkeys(("what", "how", "where", "who", "which", "why", "when", "whose"), "W"),
    **dict.fromkeys(("a", "an", "the", "any", "some", "no", "another", "each", "every", "all", "both", "either"), "D"),
    **dict.fromkeys(("his", "her", "their", "its", "my", "your", "our"), "D"),
    **dict.fromkeys(("it", "he", "she", "they", "them", "him", "you", "i", "we", "us", "me"), "R"),
    **dict.fromkeys(("anyone", "anything", "anybody", "someone", "something", "somebody"), "R"),
    **dict.fromkeys(("everyone", "everything", "everybody"), "R"),
    **dict.fromkeys(("and", "or", "nor"), "C"),
    **dict.fromkeys(("not", "n't"), "n"),
    **dict.fromkeys(("other", "same", "else", "many", "several", "visible", "asleep", "awake", "alone", "alive"), "J"),
    **dict.fromkeys(("between", "through", "on", "in", "at", "near", "inside", "under", "behind", "with", "of"), "P"),
    **dict.fromkeys(("from", "by", "around"), "P"),
    **dict.fromkeys(("next", "outside", "beside", "above", "below", "against", "over", "like"), "P"),
    **dict.fromkeys(("look", "looks", "seem", "seems", "appear", "appears"), "L"),
    **dict.fromkeys(("lot", "lots", "plenty"), "N"),
    "there": "T", "to": "t",
    "also": "A", "very": "A", "really": "A", "pretty": "A", "too": "A", "still": "A", "just": "A", "only": "A",
}  # fmt: skip
_TAGS = {
    "NOUN": "N", "PROPN": "N", "ADJ": "J", "NUM": "#", "ADV": "A", "ADP": "P", "DET": "D", "PRON": "R", "CCONJ": "C",
    "SCONJ": "X", "PUNCT": ".", "INTJ": "I", "PART": "t", "AUX": "M", "VERB": "V",
}  # fmt: skip
# Participles that do not end in -ed.
_PARTICIPLES = word_list("participle")
# Words that taggers take for nouns or adverbs where they end a question: is the sky blue, is her hair long.
_LAST = word_list("colour") | word_list("adjective")

_MODIFIERS = r"(?:A?[J#E]|JCJ)*"
NP = rf"(?:D{_MODIFIERS}G?N+(?:S{_MODIFIERS}G?N+)?|{_MODIFIERS}N+(?:S{_MODIFIERS}N+)?)"
"""A noun phrase without what may follow its noun."""


def codes(tokens: Sequence[Token]) -> str:
    """One letter a word."""
    return "".join(_code(tokens, place) for place in range(len(tokens)))


def _code(tokens: Sequence[Token], place: int) -> str:
    token = tokens[place]
    word = token.text.lower()
    if word in ("'s", "'"):
        return "S" if place and _follows_noun(tokens, place) else "B"
    if word == "can" and place and tokens[place - 1].pos in ("NOUN", "DET", "ADJ"):
        return "N"
    if word in ("this", "that", "these", "those"):
        return "D" if token.pos == "DET" else "R"
    if (
        word in _LAST
        and 0 < place == len(tokens) - 1
        and _code(tokens, 0) in "BO"
        and _code(tokens, place - 1) in "NLA"
    ):
        return "J"
    if word in _WORDS:
        return _WORDS[word]
    if token.pos == "VERB" or (token.pos == "ADJ" and word in _PARTICIPLES):
        if word.endswith("ing"):
            return "G"
        return "E" if word.endswith("ed") or word in _PARTICIPLES else "V"
    if word.isdigit():
        return "#"
    return _TAGS.get(token.pos, "X")


def _follows_noun(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place - 1].pos in ("NOUN", "PROPN", "ADJ", "PRON", "VERB") and tokens[place - 1].text not in (
        "what",
        "it",
    )


@dataclass(frozen=True, slots=True)
class Found:
    """What a pattern found: the words of each of its named parts, in the case of the text."""

    parts: dict[str, tuple[str, ...]]
    codes: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return join(self.parts[name])

    def words(self, name: str) -> tuple[str, ...]:
        """The words of a part; none where it is not there."""
        return self.parts[name]


def find(pattern: str, tokens: Sequence[Token]) -> Found | None:
    """The parts of a sentence that has this order of words from its first to its last, or None."""
    letters = codes(tokens)
    match = _compiled(pattern).fullmatch(letters)
    if match is None:
        return None
    words = [token.text for token in tokens]
    spans = {name: match.span(name) for name in match.re.groupindex}
    return Found(
        {name: tuple(words[start:end]) if start >= 0 else () for name, (start, end) in spans.items()},
        {name: letters[start:end] if start >= 0 else "" for name, (start, end) in spans.items()},
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def head_of(words: Sequence[str], letters: str) -> str:
    """The noun that a phrase is about: the last before what follows it, or the last word where it has none.

    Of `a lot of cars` it is the cars.
    """
    words = list(words)
    match = re.match(r"[^N]*N*(?:S[^N]*N+)?", letters)
    core = match.group() if match else letters
    if match and words[match.end() - 1 : match.end() + 1] in (["lot", "of"], ["lots", "of"], ["couple", "of"]):
        return head_of(words[match.end() + 1 :], letters[match.end() + 1 :])
    if not core:
        return words[-1]
    # Of `horses grazing` it is the horses, also where the tagger takes both for nouns.
    nouns = words[len(core.rstrip("N")) : len(core)]
    if nouns and nouns[-1].endswith("ing"):
        return next(filter(is_plural, nouns), nouns[-1])
    return words[len(core) - 1]
