"""Exact numbers for the n-grams of a pool.

    number of an n-gram = place of (number of its first n − 1 tokens, its last token) among all such pairs of the pool

Numbers of an order start at 0. A text that is not of the pool is numbered by the same pairs: an n-gram that the pool
does not have is −1.
"""

from dataclasses import dataclass

import numpy as np

from voirdire.robustness.rankers.sequences import Int32, Int64, Sequences

__all__ = ["Numbering", "number_ngrams"]

SHIFT = 32


@dataclass(frozen=True, eq=False)
class Numbering:
    """words: how many tokens the vocabulary has;  pairs[n − 2]: the pairs of order n, ascending."""

    words: int
    pairs: tuple[Int64, ...]

    def size(self, order: int) -> int:
        """How many n-grams of that order the pool has."""
        return self.words if order == 1 else len(self.pairs[order - 2])

    def numbers(self, first: Int64, tokens: Int32) -> list[Int64]:
        """For each order from 1 on, the number of the n-gram that starts at each token; −1 where there is none."""
        made = [_words(tokens, self.words)]
        for order, known in enumerate(self.pairs, start=2):
            made.append(_look_up(_join(first, made[0], made[-1], order), known))
        return made


def number_ngrams(pool: Sequences, highest: int) -> Numbering:
    """Number the n-grams of orders up to `highest`."""
    words = _words(pool.tokens, len(pool.vocabulary))
    numbers, pairs = words, []
    for order in range(2, highest + 1):
        joined = _join(pool.first, words, numbers, order)
        pairs.append(np.unique(joined[joined >= 0]))
        numbers = _look_up(joined, pairs[-1])
    return Numbering(len(pool.vocabulary), tuple(pairs))


def _words(tokens: Int32, words: int) -> Int64:
    return np.where(tokens < words, tokens, -1).astype(np.int64)


def _join(first: Int64, words: Int64, prefixes: Int64, order: int) -> Int64:
    """The pair that starts at each token, −1 where the text ends too soon or a part of it has no number."""
    last = np.full(len(words), -1)
    last[: max(len(words) - order + 1, 0)] = words[order - 1 :]
    inside = np.arange(len(words)) + order <= np.repeat(first[1:], np.diff(first))
    return np.where(inside & (prefixes >= 0) & (last >= 0), (prefixes << SHIFT) | last, -1)


def _look_up(joined: Int64, known: Int64) -> Int64:
    if not len(known):
        return np.full(len(joined), -1)
    places = np.minimum(np.searchsorted(known, joined), len(known) - 1)
    return np.where(known[places] == joined, places, -1)
