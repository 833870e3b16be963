"""Phrases that name a thing, as they are seen, asked for and denied.

the fridge           a fridge              any fridge
any people outside   people outside        any people outside
the man's face       the man's face        the man's face
many people          many people           many people
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from voirdire.scorekeeping.propositions.english import article, is_mass, is_plural, join, with_article
from voirdire.scorekeeping.propositions.lexicon import word_list
from voirdire.scorekeeping.propositions.shape import codes, head_of
from voirdire.text.tagging import Token

__all__ = ["Thing", "definite", "thing"]

_ARTICLES = frozenset({"a", "an", "the", "any", "some"})
# Words after which a phrase says how many: it is denied as a whole.
_AMOUNTS = word_list("amount")
_COLOURS = word_list("colour")
# What only denials and questions can end with.
_TRAILING = frozenset({"anywhere", "either", "yet", ",", "there", "also", "clearly"})
# Codes of words that no noun phrase has before its noun.
_NO_PART = "RWXPMBOVtnT.LI"
# Of these there is one, so that they keep their `the`.
_UNIQUE = frozenset({"sky", "sun", "ground", "moon", "horizon", "background", "foreground", "rest", "same"})
_UNCHANGED = frozenset({"sheep", "fish", "deer", "aircraft", "moose", "bison", "salmon", "shrimp", "trout", "squid"})


@dataclass(frozen=True, slots=True)
class Thing:
    """A phrase that names a thing.

    determiner  its article, where it has one that may be exchanged
    text        the rest
    head        its noun
    fixed       whether it stays as it is in every sentence: possessives, amounts, `the top of the hill`
    """

    determiner: str
    text: str
    head: str
    fixed: bool

    @property
    def plural(self) -> bool:
        return is_plural(self.head) and (self.fixed or self.determiner not in ("a", "an"))

    @property
    def unclear(self) -> bool:
        """Whether its form does not tell the number."""
        return self.head in _UNCHANGED or " and " in self.text

    def seen(self) -> str:
        """As something that is there: `a fridge`, `people`."""
        if self.fixed or (not self.determiner and not self.unclear):
            return self.text
        if self.unclear and self.determiner not in ("a", "an"):
            return self.text
        if self.determiner in ("a", "an"):
            return f"{article(self.text)} {self.text}"
        return with_article(self.text, self.head)

    def unseen(self) -> str:
        """As something that is not there, after a negated verb: `any fridge`."""
        return self.text if self.fixed else f"any {self.text}"

    def absent(self) -> str:
        """As the subject of `there is`, denied: `no fridge`, `not many people`."""
        return f"not {self.text}" if self.fixed else f"no {self.text}"


def thing(tokens: Sequence[Token]) -> Thing | None:
    """The phrase as a thing, or None where it does not begin as one."""
    if not tokens:
        return None
    words, letters = [token.text for token in tokens], codes(tokens)
    while words[-1] in _TRAILING and len(words) > 1:
        words, letters = words[:-1], letters[:-1]
    determiner = words[0] if words[0] in _ARTICLES else ""
    rest, shape = (words[1:], letters[1:]) if determiner else (words, letters)
    if _is_noun(rest, shape, determiner):
        shape = "N" + shape[1:]
    if not rest or "N" not in shape or "or" in rest or shape[0] in _NO_PART or rest[0] in ("of", "idea"):
        return None
    before_noun = shape[: shape.index("N")]
    if any(letter in _NO_PART for letter in before_noun) and rest[0] != "more":
        return None
    head = head_of(rest, shape)
    owner = "S" in shape.partition("P")[0]
    amount = rest[0] in _AMOUNTS or shape[0] == "#" or rest[:2] in (["lot", "of"], ["couple", "of"])
    parted = determiner == "the" and ("of" in rest or head in _UNIQUE)
    own = letters[0] == "D" and not determiner
    if owner or amount or parted or own:
        return Thing(determiner, join(words), head, True)
    return Thing(determiner, join(rest), head, False)


def _is_noun(words: Sequence[str], letters: str, determiner: str) -> bool:
    """Whether the first word is a noun, whatever its tag: `writing on the wall`, `any leaves in it`, `a human`."""
    if not words or letters[0] not in "GJV":
        return False
    alone = re.match("[JV](?:[PS]|$)", letters) and (letters[0] == "J" or letters[1:2] == "S" or is_plural(words[0]))
    return is_mass(words[0]) or bool(determiner and alone and words[0] not in _COLOURS)


def definite(words: Sequence[str], letters: str) -> str:
    """A subject as it stands at the head of a statement: with `the` where it has no word of that kind."""
    text = join(words)
    named = letters[:1] in ("D", "R", "#") or text.startswith(("there", "that "))
    return text if named else f"the {text}"
