"""Draws from a set of propositions: some of the captions', and as many true as false of every sentence.

captions   each pair stays with probability 0.15, so that what is shared from the start does not outnumber the rest
balanced   n = min(#true, #false, 1000) of a sentence as true and n as false, drawn from all dialogues
"""

from collections import defaultdict

import numpy as np

from voirdire.formats.propositions import PropositionSet

__all__ = ["LIMIT", "balance", "caption_draws"]

LIMIT = 1000


def caption_draws(share: float, seed: int, count: int) -> list[bool]:
    """Which of `count` pairs of captions stay."""
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share!r}; it may be from 0 to 1")
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
