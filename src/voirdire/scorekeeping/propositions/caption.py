"""What a caption says is there: its nouns, and its nouns with their adjectives.

    a black cat on a park bench   ->   there is a cat, there is a bench, one can see a black cat

A noun counts where no other noun governs it: not `park` in `park bench`, not `bowls` in `plates and bowls`.
"""

import re
from collections.abc import Sequence

from voirdire.scorekeeping.propositions.english import (
    article,
    codes,
    is_plural,
    join,
    sentence,
    with_article,
    word_list,
)
from voirdire.scorekeeping.propositions.rule import Pair
from voirdire.text.tagging import Token

NAME = "caption"
# Nouns that say where or how much, not what.
RELATIONAL = word_list("relational")


def caption_pairs(tokens: Sequence[Token]) -> list[Pair]:
    """The pairs of a caption, nouns first, each once."""
    words, letters = [token.text for token in tokens], codes(tokens)
    pairs: dict[str, Pair] = {}
    for match in re.finditer(r"(?P<nouns>N+)(?!S)", letters):
        start, end = match.span("nouns")
        noun = words[end - 1]
        joined = re.search(r"N[.C]+D?[J#E]*$", letters[:start]) or _denied(words[:start], letters[:start])
        if noun in RELATIONAL or not noun.isalpha() or joined:
            continue
        be = "are" if is_plural(noun) else "is"
        _add(pairs, f"there {be} {_seen(noun, noun, words[:start], letters[:start])}", f"there {be} no {noun}")
    for match in re.finditer(r"J(?P<nouns>N+)(?!S)", letters):
        start, end = match.span()
        noun, phrase = words[end - 1], join(words[start:end])
        if (
            noun in RELATIONAL
            or _denied(words[:start], letters[:start])
            or words[start] in ("other", "same", "many", "several", "such")
        ):
            continue
        thing = _seen(phrase, noun, words[:start], letters[:start])
        _add(pairs, f"one can see {thing}", f"one cannot see {thing}")
    return list(pairs.values())


def _seen(phrase: str, noun: str, before: Sequence[str], letters: str) -> str:
    """A phrase with an article where the caption has one or its noun takes one."""
    at = len(letters.rstrip("J#E"))
    counted = at > 0 and before[at - 1] in ("a", "an") and not is_plural(noun)
    return f"{article(phrase)} {phrase}" if counted else with_article(phrase, noun)


def _denied(before: Sequence[str], letters: str) -> bool:
    """Whether a phrase is said not to be there: `no sheets`, `without shoes`."""
    at = len(letters.rstrip("J#E"))
    return bool(before[:at]) and before[at - 1] in ("no", "without")


def _add(pairs: dict[str, Pair], entailment: str, contradiction: str) -> None:
    pairs.setdefault(entailment, Pair(sentence(entailment), sentence(contradiction)))
