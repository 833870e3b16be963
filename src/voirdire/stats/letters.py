"""Compact letter display: which of several systems differ, told by letters.

    i and j share a letter   ⟺   i and j do not differ

Each letter stands for a group in which no two differ. From one group of all, every pair that differs splits each group
that has both into one without the one and one without the other; a group inside another is absorbed (Piepho 2004).
Then groups are left out whose pairs are all together in others, the smallest first. Letters are given in the order of
the systems, best first: `a` is in the group of the first. A system may have several.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations, count, islice
from string import ascii_lowercase

import numpy as np
import numpy.typing as npt

__all__ = ["compact_letters"]


def compact_letters(differ: npt.ArrayLike) -> list[str]:
    """The letters of each system, from a symmetric table (systems, systems) of which pairs differ."""
    table = np.asarray(differ, dtype=np.bool_)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or (table != table.T).any() or table.diagonal().any():
        raise ValueError(f"`differ` must be square, symmetric and false on its diagonal, got shape {table.shape}")
    groups = [frozenset(range(len(table)))] if len(table) else []
    for first, second in combinations(range(len(table)), 2):
        if table[first, second]:
            both = [group for group in groups if first in group and second in group]
            rest = [group for group in groups if not (first in group and second in group)]
            groups = _absorbed(rest, [group - {one} for group in both for one in (first, second)])
    groups = _needed(groups)
    # The groups of good systems first; of groups with the same first members, the larger one.
    ordered = sorted(groups, key=lambda group: [*sorted(group), len(table)])
    named = list(zip(_names(len(ordered)), ordered, strict=True))
    return ["".join(name for name, group in named if system in group) for system in range(len(table))]


def _absorbed(groups: Sequence[frozenset[int]], more: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """The groups, and those of the further ones that are in no other."""
    kept = list(groups)
    for group in sorted(dict.fromkeys(more), key=len, reverse=True):
        if not any(group <= other for other in kept):
            kept.append(group)
    return kept


def _needed(groups: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """The groups without those that tell nothing: all of their pairs are together in others."""

    def pairs(group: frozenset[int]) -> set[tuple[int, int]]:
        # A system with itself, too: one that differs from all others has a letter of its own.
        return {(first, second) for first in group for second in group if first <= second}

    times = Counter(pair for group in groups for pair in pairs(group))
    kept = list(groups)
    for group in sorted(groups, key=lambda group: (len(group), sorted(group))):
        if all(times[pair] > 1 for pair in pairs(group)):
            kept.remove(group)
            times.subtract(pairs(group))
    return kept


def _names(number: int) -> list[str]:
    """`a` … `z`, then `a2` … `z2`, and so on."""
    endless = (f"{letter}{turn or ''}" for turn in chain((None,), count(2)) for letter in ascii_lowercase)
    return list(islice(endless, number))
