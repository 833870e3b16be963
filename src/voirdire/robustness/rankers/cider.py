"""Rank by CIDEr of a pool question (the hypothesis) against the main question (the reference).

    CIDEr = ¼ · Σ_{n ≤ 4} cos_n,    cosine of the weights count(g) · idf(g) of the n-grams of order n alone
    idf(g) = log N − log max(1, df(g)),    df  number of questions of the pool that hold g,  N  number of all of them

As `metrics.cider` defines `cider4`, not clipped; idf comes from the pool. A pool of one question has no idf above 0,
and so no neighbours. Sums go from their least part to their greatest: two questions whose words are equally rare have
the same score in the last bit, and stand in the pool's order.

The best are found without adding up all lists:

    CIDEr(h, r) = ¼ · Σ_n Σ_g  count_h(g) · value(g) / (|r|_n · |h|_n),     value(g) = count_r(g) · idf(g)²

Each list of the question's n-grams adds at most  share · highest 1 / |h|_n  to a score, and the lists of one order that
are left aside together at most  ¼ · |their part of r| / |r|_n  (Cauchy and Schwarz). The longest lists are those of
words that say little, whose shares are small. So:

    1  The sequences of the shortest lists are scored; the worst of the best of them is the first threshold.
    2  Lists are left aside, those first that promise least for their length, while all of them together stay below
       the threshold. The others are added up, some thousand sequences at a time.
    3  A sequence whose sum, with all that was left aside, reaches the threshold is scored by its tokens. The threshold
       grows, and more lists are left aside.

Import late: this brings numba.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import uint64

from voirdire.robustness.rankers import Neighbours
from voirdire.robustness.rankers.index import LONGEST, TOKENISER, Int64, Inverted, Sequences, invert, number_pool
from voirdire.robustness.rankers.neighbours import BestSequences, enter, no_lists, rank_sequences
from voirdire.robustness.rankers.shared_ngrams import lowest, mark, ones, unmark
from voirdire.stats.compiled import compiled

ONE = uint64(1)
ORDERS = 4
BLOCK = 4096
SEEDS = 8
"""How many sequences are scored in step 1, for each one that is wanted."""
SLACK = 1e-9
"""Of a bound, for the rounding of its sums."""

FloatArray = npt.NDArray[np.float64]


class CiderRanker:
    """CIDEr over one pool."""

    def __init__(self, pool_texts: Sequence[str]) -> None:
        self._pool = number_pool(pool_texts)
        self._index = invert(self._pool, range(1, ORDERS + 1))
        self._idf = _inverse_frequencies(self._pool, self._index)
        self._norms = _norms(self._pool, self._index, self._idf)
        self._inverse = np.divide(1.0, self._norms.T, out=np.zeros((ORDERS, len(self._norms))), where=self._norms.T > 0)
        self._highest = self._highest_of_lists()
        self._earliest = self._pool.earliest
        self._where = np.zeros(len(self._pool.vocabulary) + LONGEST, np.uint64)

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "ranker": "cider",
            "hypothesis": "pool question",
            "reference": "main question",
            "tokeniser": TOKENISER,
            "orders": ORDERS,
            "idf": "pool, a question being a document",
        }

    @property
    def batch(self) -> int:
        """Each question is ranked by itself: the size of a batch changes nothing."""
        return 256

    def rank(self, questions: Sequence[str], left_out: Sequence[npt.NDArray[np.int64]], top: int) -> Neighbours:
        """The nearest questions of the pool."""
        return rank_sequences(
            *(self._pool, questions, left_out, top, self._find, self._against_all), score=lambda keys: keys
        )

    def _find(self, questions: Sequence[str], wanted: Int64) -> BestSequences:
        lists, index, pool = no_lists(wanted), self._index, self._pool
        if not lists.sequences.size:
            return lists
        asked = pool.number(questions)
        idf_at = np.full((ORDERS, len(asked.tokens)), np.log(pool.places))
        occurrences = index.occurrences(asked.first, asked.tokens)
        orders = np.searchsorted(index.bounds, occurrences.grams, side="right") - 1
        idf_at[orders, occurrences.places] = self._idf[occurrences.grams]
        # The lists of all occurrences in the pool, however often the question itself has the n-gram.
        once = np.flatnonzero(occurrences.before == 0)
        rows, list_of = [once], [occurrences.grams[once]]
        while len(rows[-1]):
            again = index.lists(occurrences.grams[rows[-1]], np.full(len(rows[-1]), len(rows)))
            rows.append(rows[-1][again >= 0])
            list_of.append(again[again >= 0])
        of = np.concatenate(rows)
        by_text = np.argsort(occurrences.texts[of], kind="stable")
        of = of[by_text]
        _search(
            *(asked.first, asked.tokens, idf_at),
            np.append(0, np.cumsum(np.bincount(occurrences.texts[of], minlength=len(questions)))),
            *(np.concatenate(list_of)[by_text], orders[of]),
            occurrences.places[of] + orders[of] - asked.first[occurrences.texts[of]],
            *(index.list_first, index.holders, self._highest, pool.first, pool.tokens, self._norms, self._inverse),
            *(self._earliest, self._where, wanted, lists.sequences, lists.keys, lists.filled),
        )
        return lists

    def _highest_of_lists(self) -> FloatArray:
        index = self._index
        grams = np.append(np.arange(index.grams), index.repeated % max(index.grams, 1))
        orders = np.searchsorted(index.bounds, grams, side="right") - 1
        inverse = self._inverse[np.repeat(orders, np.diff(index.list_first)), index.holders]
        return np.maximum.reduceat(inverse, index.list_first[:-1]) if len(grams) else np.zeros(0)

    def _against_all(self, question: str) -> FloatArray:
        from voirdire.metrics.cider import Corpus, cider
        from voirdire.metrics.ngrams import compare_texts

        pool = self._pool
        if pool.places < 2:
            return np.zeros(len(pool.texts))
        documents = [pool.texts[at] for at in np.repeat(np.arange(len(pool.texts)), np.diff(pool.group_first)).tolist()]
        corpus = Corpus(documents, len(documents), first=np.arange(len(documents) + 1))
        every = np.zeros(len(pool.texts))
        scores: FloatArray = cider(compare_texts(pool.texts, [question], [0, 1], every, documents), corpus)[:, -1]
        return scores


def _inverse_frequencies(pool: Sequences, index: Inverted) -> FloatArray:
    sizes = np.diff(pool.group_first)[index.holders[: index.list_first[index.grams]]]
    grams = np.repeat(np.arange(index.grams), np.diff(index.list_first[: index.grams + 1]))
    frequencies = np.bincount(grams, weights=sizes, minlength=index.grams)
    idf: FloatArray = np.log(max(pool.places, 1)) - np.log(np.maximum(frequencies, 1))
    return idf


def _norms(pool: Sequences, index: Inverted, idf: FloatArray) -> FloatArray:
    """|h|_n of each sequence and order: list (g, k) adds idf(g)² · ((k + 1)² − k²) to the square, the least first."""
    grams = np.append(np.arange(index.grams), index.repeated % max(index.grams, 1))
    before = np.append(np.zeros(index.grams, np.int64), index.repeated // max(index.grams, 1))
    orders = np.searchsorted(index.bounds, grams, side="right") - 1
    squares = idf[grams] ** 2 * (2 * before + 1)
    ascending = np.argsort(squares, kind="stable")
    sizes = np.diff(index.list_first)[ascending]
    starts = np.cumsum(sizes) - sizes
    entries = np.arange(sizes.sum()) + np.repeat(index.list_first[:-1][ascending] - starts, sizes)
    cells = index.holders[entries].astype(np.int64) * ORDERS + np.repeat(orders[ascending], sizes)
    sums = np.bincount(cells, weights=np.repeat(squares[ascending], sizes), minlength=len(pool.texts) * ORDERS)
    norms: FloatArray = np.sqrt(sums).reshape(-1, ORDERS)
    return norms


@compiled
def _search(  # type: ignore[no-untyped-def]
    first, tokens, idf_at, list_of_first, list_of, order_of, place_of, list_first, holders, highest,
    pool_first, pool_tokens, norms, inverse, earliest, where, wanted, sequences, keys, filled,
):  # fmt: skip
    """Fill `sequences`, `keys` and `filled`.

    first, tokens      the questions;  idf_at[n − 1, i]  idf of the n-gram that starts at token i
    list_of_first, list_of, order_of, place_of  the lists of each question's n-grams, their orders (from 0) and where in
                       the question the n-gram ends
    highest[l]         the highest 1 / |h|_n in a list
    norms, inverse     |h|_n of each sequence and order, and 1 / |h|_n, 0 where |h|_n is
    where              zeros, one word per token
    """
    parts = np.empty((ORDERS, np.diff(pool_first).max()))
    values, norm, sums = np.empty((ORDERS, 64)), np.empty(ORDERS), np.zeros(BLOCK)
    for q in range(len(first) - 1):
        mark(where, tokens, first[q], first[q + 1])
        _weigh(where, tokens, first[q], first[q + 1], idf_at, values, norm)
        mine = slice(list_of_first[q], list_of_first[q + 1])
        lists, orders = list_of[mine], order_of[mine]
        share, energy = _shares(orders, place_of[mine], values, norm, idf_at[:, first[q] :])
        bound, at, stop = share * highest[lists], list_first[lists], list_first[lists + 1]
        size, limit = 0, wanted[q]
        scored = 0
        for r in np.argsort(stop - at):
            for p in range(at[r], min(stop[r], at[r] + max(0, SEEDS * limit - scored))):
                d = holders[p]
                key = _score(where, pool_tokens, pool_first[d], pool_first[d + 1], values, norm, norms[d], parts)
                if key > 0.0:
                    size = enter(d, key, earliest, sequences[q], keys[q], size, limit)
                scored += 1
        aside = np.argsort(bound / np.maximum(stop - at, 1))
        skipped, rest = 0, 0.0
        for block in range(0, len(pool_first) - 1, BLOCK):
            end = min(block + BLOCK, len(pool_first) - 1)
            worst = keys[q, limit - 1] if size == limit else 0.0
            skipped, rest = _leave(aside, bound, energy, orders, worst, skipped, rest)
            for r in aside[skipped:]:
                p, add, n = at[r], share[r], orders[r]
                while p < stop[r] and holders[p] < end:
                    sums[holders[p] - block] += add * inverse[n, holders[p]]
                    p += 1
                at[r] = p
            for d in range(block, end):
                total = sums[d - block]
                if total == 0.0:
                    continue
                sums[d - block] = 0.0
                if total + rest < worst * (1.0 - SLACK):
                    continue
                key = _score(where, pool_tokens, pool_first[d], pool_first[d + 1], values, norm, norms[d], parts)
                if key > worst or (key == worst and size == limit):
                    size = enter(d, key, earliest, sequences[q], keys[q], size, limit)
                    worst = keys[q, limit - 1] if size == limit else 0.0
        filled[q] = size
        unmark(where, tokens, first[q], first[q + 1])


@compiled
def _weigh(where, tokens, start, stop, idf_at, values, norm):  # type: ignore[no-untyped-def]
    """values[n − 1, j]: of the question's n-gram that ends at its token j;  norm[n − 1]: |r|_n."""
    for n in range(ORDERS):
        norm[n] = 0.0
        for i in range(start, stop - n):
            ending = where[tokens[i]]
            for k in range(1, n + 1):
                ending = (ending << ONE) & where[tokens[i + k]]
            count, idf, place = ones(ending), idf_at[n, i], i + n - start
            values[n, place] = count * idf * idf
            if lowest(ending) == uint64(place):
                norm[n] += (count * idf) ** 2
        norm[n] = np.sqrt(norm[n])


@compiled
def _shares(orders, places, values, norm, idf_at):  # type: ignore[no-untyped-def]
    """For each list of a question: what an occurrence adds before it is divided by |h|_n, and (weight / |r|_n)²."""
    share, energy = np.zeros(len(orders)), np.zeros(len(orders))
    for r in range(len(orders)):
        n = orders[r]
        value = values[n, places[r]]
        if value > 0.0:
            share[r] = value / norm[n] / ORDERS
            energy[r] = (value / idf_at[n, places[r] - n] / norm[n]) ** 2
    return share, energy


@compiled
def _score(where, tokens, start, stop, values, norm, norms, parts):  # type: ignore[no-untyped-def]
    """CIDEr of one sequence. Its addends are added from the least on, so that equal ones give equal sums."""
    at_1 = at_2 = at_3 = at_4 = 0
    ending_1 = ending_2 = ending_3 = uint64(0)
    for i in range(start, stop):
        here = where[tokens[i]]
        ending_4 = (ending_3 << ONE) & here
        ending_3 = (ending_2 << ONE) & here
        ending_2 = (ending_1 << ONE) & here
        ending_1 = here
        if ending_1:
            at_1 = _put(parts[0], at_1, values[0, lowest(ending_1)])
        if ending_2:
            at_2 = _put(parts[1], at_2, values[1, lowest(ending_2)])
        if ending_3:
            at_3 = _put(parts[2], at_3, values[2, lowest(ending_3)])
        if ending_4:
            at_4 = _put(parts[3], at_4, values[3, lowest(ending_4)])
    counts, total = (at_1, at_2, at_3, at_4), 0.0
    for n in range(ORDERS):
        both = norm[n] * norms[n]
        if both > 0.0:
            dot = 0.0
            for i in range(counts[n]):
                dot += parts[n, i]
            total += dot / both
    return total / ORDERS


@compiled
def _put(parts, count, value):  # type: ignore[no-untyped-def]
    """Insert a value into the ascending ones; gives how many there are."""
    at = count
    while at > 0 and parts[at - 1] > value:
        parts[at] = parts[at - 1]
        at -= 1
    parts[at] = value
    return count + 1


@compiled
def _leave(aside, bound, energy, order, worst, skipped, rest):  # type: ignore[no-untyped-def]
    """How many lists are left aside now, in the order of `aside`, and the most that they can add together."""
    sums, squares = np.zeros(ORDERS), np.zeros(ORDERS)
    for at in range(len(aside)):
        r = aside[at]
        sums[order[r]] += bound[r]
        squares[order[r]] += energy[r]
        most = 0.0
        for n in range(ORDERS):
            most += min(sums[n], np.sqrt(squares[n]) / ORDERS)
        if most >= worst * (1.0 - SLACK):
            return max(skipped, at), rest
        if at >= skipped:
            rest = most
    return len(aside), rest
