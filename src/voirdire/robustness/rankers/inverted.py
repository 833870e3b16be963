"""An inverted index: for every n-gram of a pool, the sequences that hold it.

    list l = (g, k)  →  the sequences that hold n-gram g more than k times, ascending
                     =  held[list_first[l] : list_first[l + 1]]

With lists by occurrence, counting is adding 1: the n-grams that a sequence shares with a question, each counted as
often as both have it, are the lists of the question's own (g, k) that hold the sequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.robustness.rankers.numbering import Numbering, number_ngrams
from voirdire.robustness.rankers.sequences import Int32, Int64, Sequences

__all__ = ["Inverted", "Occurrences", "invert"]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Every n-gram of some texts that the pool has, one after the other by number and then by text.

    grams   its number in the index;  before  how often it stood in its text before
    texts   the text;                 places  the token at which it starts
    """

    grams: Int64
    before: Int64
    texts: Int64
    places: Int64


@dataclass(frozen=True, eq=False)
class Inverted:
    """The lists of one pool.

    orders      of the n-grams that have lists; those of orders[i] have numbers from bounds[i] to below bounds[i + 1]
    repeated    keys (k · number of n-grams + g) of the lists with k ≥ 1, ascending; they follow the lists (g, 0)
    list_first  int64[lists + 1];  held  int32
    """

    numbering: Numbering
    orders: tuple[int, ...]
    bounds: Int64
    repeated: Int64
    list_first: Int64
    held: Int32

    @property
    def grams(self) -> int:
        """How many n-grams have lists."""
        return int(self.bounds[-1])

    def lists(self, grams: Int64, before: Int64) -> Int64:
        """The list of each (g, k), −1 where no sequence holds g so often."""
        at = np.searchsorted(self.repeated, before * self.grams + grams)
        found = np.append(self.repeated, -1)[at] == before * self.grams + grams
        return np.where(before == 0, grams, np.where(found, self.grams + at, -1))

    def occurrences(self, first: Int64, tokens: Int32) -> Occurrences:
        """The n-grams of texts, of the orders that have lists."""
        return _occurrences(self.numbering, self.orders, self.bounds, first, tokens)


def invert(pool: Sequences, orders: Sequence[int]) -> Inverted:
    """Index the n-grams of the given orders."""
    numbering = number_ngrams(pool, max(orders))
    bounds = np.append(0, np.cumsum([numbering.size(order) for order in orders]))
    found = _occurrences(numbering, orders, bounds, pool.first, pool.tokens)
    keys = found.before * bounds[-1] + found.grams
    ascending = np.argsort(keys, kind="stable")
    repeated = np.unique(keys[found.before > 0])
    ends = np.searchsorted(keys[ascending], np.append(np.arange(bounds[-1]), repeated), side="right")
    held = found.texts[ascending].astype(np.int32)
    return Inverted(numbering, tuple(orders), bounds, repeated, np.append(0, ends), held)


def _occurrences(
    numbering: Numbering, orders: Sequence[int], bounds: Int64, first: Int64, tokens: Int32
) -> Occurrences:
    numbers = numbering.numbers(first, tokens)
    places = [np.flatnonzero(numbers[order - 1] >= 0) for order in orders]
    grams = np.concatenate(
        [numbers[order - 1][at] + start for order, at, start in zip(orders, places, bounds[:-1], strict=True)]
    )
    ascending = np.argsort(grams, kind="stable")
    grams, where = grams[ascending], np.concatenate(places)[ascending]
    texts = np.repeat(np.arange(len(first) - 1), np.diff(first))[where]
    new = np.ones(len(grams), bool)
    new[1:] = (grams[1:] != grams[:-1]) | (texts[1:] != texts[:-1])
    starts = np.flatnonzero(new)
    before = np.arange(len(grams)) - np.repeat(starts, np.diff(np.append(starts, len(grams))))
    return Occurrences(grams, before, texts, where)
