"""What is left out, and what is drawn from the rest.

filters    sentences that are too long or hold a pronoun, and dialogues with a word of a list
captions   each pair stays with probability 0.15, so that what is shared from the start does not outnumber the rest
balanced   n = min(#true, #false, 1000) of a sentence as true and n as false, drawn from all dialogues

The words for which a dialogue is left out can be given as a file. Else they are the profane ones of better-profanity's
list but for everyday words such as `slope`; only the list is read. Single words are compared with the words of a
dialogue, phrases with words that follow each other.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from voirdire.bundled import PROFANITY
from voirdire.formats.files import open_source
from voirdire.formats.propositions import PropositionSet
from voirdire.scorekeeping.propositions.english import word_list
from voirdire.scorekeeping.propositions.rule import Pair
from voirdire.text.tokens import words

LONGEST = 15
"""The most words of a sentence."""

PRONOUNS = word_list("pronoun")
"""Pronouns that a sentence cannot have without its dialogue; `it` may stay."""

LIMIT = 1000


def why_dropped(pair: Pair) -> str:
    """Why a pair cannot stand for itself; empty where it can."""
    for text in (pair.entailment, pair.contradiction):
        parts = text.lower().removesuffix(".").split()
        if len(parts) > LONGEST:
            return f"more than {LONGEST} words"
        if pronoun := next(filter(PRONOUNS.__contains__, parts), None):
            return f"the pronoun {pronoun}"
    return ""


@dataclass(frozen=True)
class LeftOutWords:
    """Words and phrases for which a dialogue is left out; `fingerprint` is that of the file that they are from."""

    singles: frozenset[str]
    phrases: tuple[str, ...]
    fingerprint: str = ""

    @classmethod
    def of(cls, lines: Iterable[str], fingerprint: str = "") -> "LeftOutWords":
        """One word or phrase per line, in any case."""
        entries = {" ".join(words(line.lower())) for line in lines} - {""}
        singles = frozenset(entry for entry in entries if " " not in entry)
        return cls(singles, tuple(sorted(entries - singles)), fingerprint)

    def first(self, texts: Iterable[str]) -> str | None:
        """The first of them that a dialogue has, if it has one."""
        for text in texts:
            parts = [part for word in words(text) for part in (word, *(word.split("-") if "-" in word else ()))]
            line = f" {' '.join(parts)} "
            bad: list[str] = [word for word in parts if word in self.singles] or [
                phrase for phrase in self.phrases if f" {phrase} " in line
            ]
            if bad:
                return bad[0]
        return None


@cache
def profane_words() -> LeftOutWords:
    """The profane words, without those that are everyday things."""
    (file,) = PROFANITY.paths()
    profane = LeftOutWords.of(file.read_text(encoding="utf-8").splitlines())
    return replace(profane, singles=profane.singles - word_list("harmless"))


def read_left_out_words(path: str | Path) -> LeftOutWords:
    """Read a list, one word or phrase per line; from an empty one nothing is left out."""
    source = open_source(path)
    try:
        lines = source.data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise source.fail("", "", "bytes that are no text", "one word or phrase per line, in UTF-8") from None
    return LeftOutWords.of(lines, source.fingerprint)


def caption_draws(share: float, seed: int, count: int) -> list[bool]:
    """Which of `count` pairs of captions stay."""
    if not 0 <= share <= 1:
        raise ValueError(f"`share` must be from 0 to 1, got {share}")
    draws: list[bool] = (np.random.default_rng([seed, 0]).random(count) < share).tolist()
    return draws


def balance(propositions: PropositionSet, seed: int, limit: int = LIMIT) -> PropositionSet:
    """The propositions that are left when every sentence is true exactly as often as false."""
    rng = np.random.default_rng([seed, 1])
    uses: defaultdict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = defaultdict(lambda: ([], []))
    for dialogue, records in propositions.dialogues.items():
        for place, record in enumerate(records):
            uses[record.proposition][record.a_thinks_true].append((dialogue, place))
    kept: set[tuple[int, int]] = set()
    for sentence in sorted(uses):
        count = min(limit, *map(len, uses[sentence]))
        for places in uses[sentence] if count else ():
            kept.update(places[index] for index in rng.choice(len(places), count, replace=False).tolist())
    left = {
        dialogue: tuple(record for place, record in enumerate(records) if (dialogue, place) in kept)
        for dialogue, records in propositions.dialogues.items()
    }
    dialogues = {dialogue: records for dialogue, records in left.items() if records}
    return replace(propositions, dialogues=dialogues)
