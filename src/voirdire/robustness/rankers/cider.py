"""Rank by CIDEr of a pool question (the hypothesis) against the main question (the reference).

    CIDEr = ¼ · Σ_{n ≤ 4} cos_n,    cosine of the weights count(g) · idf(g) of the n-grams of order n alone
    idf(g) = log N − log max(1, df(g)),    df  number of questions of the pool that hold g,  N  number of all of them

As `metrics.cider` defines `cider4`, not clipped; idf comes from the pool. A pool of one question has no idf above 0,
and so no neighbours. Sums go from their least part to their greatest: two questions whose words are equally rare have
the same score in the last bit, and stand in the pool's order.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.robustness.rankers.inverted import Inverted, invert
from voirdire.robustness.rankers.places import Lists, no_lists, rank_sequences
from voirdire.robustness.rankers.protocol import Neighbours
from voirdire.robustness.rankers.sequences import LONGEST, TOKENISER, Int64, Sequences, number_pool

__all__ = ["CiderRanker"]

ORDERS = 4

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

    def _find(self, questions: Sequence[str], wanted: Int64) -> Lists:
        from voirdire.robustness.rankers.cider_search import search

        lists, index, pool = no_lists(wanted), self._index, self._pool
        if not lists.sequences.size:
            return lists
        asked = pool.number(questions)
        idf_at = np.full((ORDERS, len(asked.tokens)), np.log(pool.places))
        found = index.occurrences(asked.first, asked.tokens)
        orders = np.searchsorted(index.bounds, found.grams, side="right") - 1
        idf_at[orders, found.places] = self._idf[found.grams]
        # The lists of all occurrences in the pool, however often the question itself has the n-gram.
        once = np.flatnonzero(found.before == 0)
        rows, list_of = [once], [found.grams[once]]
        while len(rows[-1]):
            again = index.lists(found.grams[rows[-1]], np.full(len(rows[-1]), len(rows)))
            rows.append(rows[-1][again >= 0])
            list_of.append(again[again >= 0])
        of = np.concatenate(rows)
        by_text = np.argsort(found.texts[of], kind="stable")
        of = of[by_text]
        search(
            *(asked.first, asked.tokens, idf_at),
            np.append(0, np.cumsum(np.bincount(found.texts[of], minlength=len(questions)))),
            *(np.concatenate(list_of)[by_text], orders[of]),
            found.places[of] + orders[of] - asked.first[found.texts[of]],
            *(index.list_first, index.held, self._highest, pool.first, pool.tokens, self._norms, self._inverse),
            *(self._earliest, self._where, wanted, lists.sequences, lists.keys, lists.filled),
        )
        return lists

    def _highest_of_lists(self) -> FloatArray:
        index = self._index
        grams = np.append(np.arange(index.grams), index.repeated % max(index.grams, 1))
        orders = np.searchsorted(index.bounds, grams, side="right") - 1
        inverse = self._inverse[np.repeat(orders, np.diff(index.list_first)), index.held]
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
    sizes = np.diff(pool.group_first)[index.held[: index.list_first[index.grams]]]
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
    cells = index.held[entries].astype(np.int64) * ORDERS + np.repeat(orders[ascending], sizes)
    sums = np.bincount(cells, weights=np.repeat(squares[ascending], sizes), minlength=len(pool.texts) * ORDERS)
    norms: FloatArray = np.sqrt(sums).reshape(-1, ORDERS)
    return norms
