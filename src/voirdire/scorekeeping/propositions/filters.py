"""What is left out: sentences that are too long or hold a pronoun, and dialogues with a profane word.

The profane words are those of better-profanity's list, from which the published propositions took theirs. Only its list
is read: single words are compared with the words of a dialogue, phrases with words that follow each other.
"""

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from voirdire.scorekeeping.propositions.lexicon import word_list
from voirdire.scorekeeping.propositions.rule import Pair
from voirdire.text.tokens import treebank, words

__all__ = ["LONGEST", "PRONOUNS", "profane_word", "why_dropped"]

LONGEST = 15
"""The most tokens of a sentence, its full stop among them."""

PRONOUNS = word_list("pronoun")
"""Pronouns that a sentence cannot have without its dialogue; `it` may stay."""


def why_dropped(pair: Pair) -> str:
    """Why a pair cannot stand for itself; empty where it can."""
    for text in (pair.entailment, pair.contradiction):
        tokens = treebank(text.lower())
        if len(tokens) > LONGEST:
            return f"more than {LONGEST} tokens"
        if found := next(filter(PRONOUNS.__contains__, tokens), None):
            return f"the pronoun {found}"
    return ""


def profane_word(texts: Iterable[str]) -> str | None:
    """The first profane word or phrase of a dialogue, if it has one."""
    singles, phrases = _profane()
    for text in texts:
        found = [part for word in words(text) for part in (word, *(word.split("-") if "-" in word else ()))]
        line = f" {' '.join(found)} "
        bad: list[str] = [word for word in found if word in singles] or [one for one in phrases if f" {one} " in line]
        if bad:
            return bad[0]
    return None


@cache
def _profane() -> tuple[frozenset[str], tuple[str, ...]]:
    package = find_spec("better_profanity")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("better_profanity, whose word list is read, is not installed")
    lines = Path(package.origin).with_name("profanity_wordlist.txt").read_text(encoding="utf-8").lower().splitlines()
    entries = {" ".join(words(line)) for line in lines if line.strip()} - {""}
    return frozenset(one for one in entries if " " not in one), tuple(sorted(one for one in entries if " " in one))
