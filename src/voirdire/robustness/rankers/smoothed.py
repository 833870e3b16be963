"""The nearest sequences of a pool by smoothed BLEU: every sequence is compared with the question, bit by bit.

    add-one  Π_{i ≤ n} p_i with p_1 = m_1 / l_1, and p_i = (m_i + 1) / (l_i + 1) from order 2 on
    coco     Π_{i ≤ n} (m_i + 1e-15) / (l_i + 1e-9), as pycocoevalcap computes it

m_i  n-grams of order i that both have;  l_i = max(0, |h| − i + 1). With add-one whole numbers are multiplied before
they are divided once, as without smoothing; a question that shares no word scores 0. The constants of `coco` make every
question of the pool a neighbour; those without a match are ordered by their length, and one that is shorter than n
words has the millionth 1e-15 / 1e-9 as its p_n, far more than a longer one without a match.

Nobody can be passed over by a bound on shared n-grams of the highest order, so there is none: a pool of 186,027
sequences takes some milliseconds. Import late: this brings numba.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from voirdire.robustness.rankers.bits import mark, shared_counts, unmark
from voirdire.robustness.rankers.index import LONGEST, Int64, Sequences
from voirdire.robustness.rankers.neighbours import BestSequences, enter, no_lists
from voirdire.stats.compiled import compiled

Smoothed = Literal["add-one", "coco"]
ADDED = {"add-one": 1.0, "coco": 0.0}
"""What is added above and below the line of every order but the first."""
ABOVE, BELOW = ({"add-one": 0.0, "coco": constant} for constant in (1e-15, 1e-9))
"""What is added above and below the line of every order."""


class SmoothedNgrams:
    """order: of BLEU, 1 to 4; smoothing: how it is smoothed."""

    def __init__(self, pool: Sequences, order: int, smoothing: Smoothed) -> None:
        self._pool, self._order = pool, order
        self._added, self._above, self._below = ADDED[smoothing], ABOVE[smoothing], BELOW[smoothing]
        self._earliest = pool.earliest
        self._where = np.zeros(len(pool.vocabulary) + LONGEST, np.uint64)

    def find(self, questions: Sequence[str], wanted: Int64) -> BestSequences:
        """The best wanted[i] sequences of each question, none of which has more than 64 tokens."""
        lists, asked = no_lists(wanted), self._pool.number(questions)
        lengths = np.diff(self._pool.first)
        for at in range(len(questions)):
            size = int(asked.first[at + 1] - asked.first[at])
            if not size:
                continue
            # By length: a lookup for each sequence in place of an exponential.
            ratio = (np.arange(int(lengths.max(initial=0)) + 1) + self._above) / (size + self._below)
            with np.errstate(divide="ignore"):
                penalty = np.where(ratio < 1, np.exp(self._order * (1 - 1 / np.where(ratio > 0, ratio, 1e-300))), 1.0)
            lists.filled[at] = _search(
                *(self._order, self._added, self._above, self._below, penalty),
                *(asked.tokens[asked.first[at] : asked.first[at + 1]], self._pool.first, self._pool.tokens),
                *(self._earliest, self._where, wanted[at], lists.sequences[at], lists.keys[at]),
            )
        return lists


@compiled
def _search(  # type: ignore[no-untyped-def]
    order, added, above, below, penalty, tokens, pool_first, pool_tokens, earliest, where, wanted, sequences, keys,
):  # fmt: skip
    """Fill `sequences` and `keys`, the scores to the power of the order, for one question; gives how many there are.

    added, above, below  what is added to the counts, see the module
    penalty[length]      for brevity, to the power of the order
    where                zeros, one word per token
    """
    mark(where, tokens, 0, len(tokens))
    size = 0
    for d in range(len(pool_first) - 1):
        length = pool_first[d + 1] - pool_first[d]
        counts = shared_counts(where, pool_tokens, pool_first[d], pool_first[d + 1], order)
        upper, lower = counts[0] + above, length + below
        for i in range(1, order):
            upper *= counts[i] + added + above
            lower *= max(length - i, 0) + added + below
        key = upper / lower * penalty[length] if lower > 0.0 else 0.0
        if key > 0.0 and (size < wanted or key >= keys[size - 1]):
            size = enter(d, key, earliest, sequences, keys, size, wanted)
    unmark(where, tokens, 0, len(tokens))
    return size
