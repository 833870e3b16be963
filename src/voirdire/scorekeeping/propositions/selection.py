"""What is left out, and what is drawn from the rest.

filters    sentences that are too long or hold a pronoun, and dialogues with a profane word
captions   each pair stays with probability 0.15, so that what is shared from the start does not outnumber the rest
balanced   n = min(#true, #false, 1000) of a sentence as true and n as false, drawn from all dialogues

The profane words are those of better-profanity's list, from which the published propositions took theirs. Only its list
is read: single words are compared with the words of a dialogue, phrases with words that follow each other.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

import numpy as np

from voirdire.bundled import PROFANITY
from voirdire.formats.propositions import PropositionSet
from voirdire.scorekeeping.propositions.english import word_list
from voirdire.scorekeeping.propositions.rule import Pair
from voirdire.text.tokens import treebank, words

__all__ = ["LIMIT", "LONGEST", "PRONOUNS", "balance", "caption_draws", "profane_word", "why_dropped"]

LONGEST = 15
"""The most tokens of a sentence, its full stop among them."""

PRONOUNS = word_list("pronoun")
"""Pronouns that a sentence cannot have without its dialogue; `it` may stay."""

LIMIT = 1000


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
    (file,) = PROFANITY.paths()
    lines = file.read_text(encoding="utf-8").lower().splitlines()
    entries = {" ".join(words(line)) for line in lines if line.strip()} - {""}
    return frozenset(one for one in entries if " " not in one), tuple(sorted(one for one in entries if " " in one))


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
    return PropositionSet(propositions.split, propositions.source, dialogues, notes=propositions.notes)
