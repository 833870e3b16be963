"""Rank by BLEU-n or ROUGE-L of a pool question (the hypothesis) against the main question (the reference).

    BLEU-n^n = exp(n · min(0, 1 − |r| / |h|)) · Π_{i ≤ n} p_i,     p_i = m_i / l_i,     l_i = max(0, |h| − i + 1)

    add-one  p_1 = m_1 / l_1, and p_i = (m_i + 1) / (l_i + 1) from order 2 on
    coco     p_i = (m_i + 1e-15) / (l_i + 1e-9), as pycocoevalcap computes it

m_i  n-grams of order i that both have. As `metrics.bleu` defines it for a single text. Whole numbers are multiplied
before they are divided once, so that two scores that are equal as fractions are equal in the last bit, and stand in the
pool's order.

Without smoothing a pool question that shares no n-gram of order n is no neighbour: lists of BLEU-4 are often short.
With add-one a question that shares no word scores 0. The constants of `coco` make every question of the pool a
neighbour; those without a match are ordered by their length, and one that is shorter than n words has the millionth
1e-15 / 1e-9 as its p_n, far more than a longer one without a match. With smoothing nobody can be passed over by a bound
on shared n-grams of the highest order, so every sequence is compared with the question: a pool of 186,027 sequences
takes some milliseconds. Import late: this brings numba.

    ROUGE-L = (1 + β²) · lcs / (|h| + β² · |r|) = 61 · lcs / (25 · |h| + 36 · |r|),     β = 1.2

As `metrics.rouge` defines it, with one reference. lcs is at most the number of tokens that both texts have, which the
inverted index counts. One division of whole numbers: scores that are equal as fractions are equal in the last bit.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from voirdire.robustness.exam import Smoothing
from voirdire.robustness.rankers import Neighbours
from voirdire.robustness.rankers.index import LONGEST, TOKENISER, Int64, Sequences, number_pool
from voirdire.robustness.rankers.neighbours import BestSequences, enter, no_lists, rank_sequences
from voirdire.robustness.rankers.shared_ngrams import Bounds, SharedNgrams, mark, shared_counts, unmark
from voirdire.stats.compiled import compiled

FloatArray = npt.NDArray[np.float64]
Smoothed = Literal["add-one", "coco"]
ADDED = {"add-one": 1.0, "coco": 0.0}
"""What is added above and below the line of every order but the first."""
ABOVE, BELOW = ({"add-one": 0.0, "coco": constant} for constant in (1e-15, 1e-9))
"""What is added above and below the line of every order."""


class BleuRanker:
    """BLEU-n, order = 1 … 4, over one pool."""

    def __init__(self, order: int, pool_texts: Sequence[str], smoothing: Smoothing = "none") -> None:
        if not 1 <= order <= 4:
            raise ValueError(f"`order` must be 1 to 4, got {order}")
        self._order, self._smoothing = order, smoothing
        self._pool = number_pool(pool_texts)
        self._search: SharedNgrams | SmoothedNgrams = (
            SharedNgrams(self._pool, order, self._bounds)
            if smoothing == "none"
            else SmoothedNgrams(self._pool, order, smoothing)
        )

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "ranker": f"bleu{self._order}",
            "hypothesis": "pool question",
            "reference": "main question",
            "tokeniser": TOKENISER,
            "smoothing": self._smoothing,
        }

    @property
    def batch(self) -> int:
        """Each question is ranked by itself: the size of a batch changes nothing."""
        return 256

    def rank(self, questions: Sequence[str], left_out: Sequence[npt.NDArray[np.int64]], top: int) -> Neighbours:
        """The nearest questions of the pool."""
        order = self._order
        return rank_sequences(
            *(self._pool, questions, left_out, top, self._search.find, self._against_all),
            score=lambda keys: keys ** (1 / order),
        )

    def _bounds(self, lengths: Int64, size: int) -> Bounds:
        """With c n-grams of order n shared, the lower orders can be shared as far as both texts have any."""
        steps = np.arange(self._order)
        ours, theirs = np.maximum(lengths[:, None] - steps, 0), np.maximum(size - steps, 0)
        below = ours.astype(float).prod(axis=1)
        lower = np.minimum(ours, theirs)[:, :-1].astype(float).prod(axis=1)
        highest = np.minimum(ours, theirs)[:, -1]
        factor = np.exp(self._order * np.minimum(1 - size / np.maximum(lengths, 1), 0.0))
        shared = np.minimum(np.arange(max(size - self._order + 1, 0) + 1.0), highest[:, None])
        most = lower[:, None] * shared / np.maximum(below, 1)[:, None] * factor[:, None]
        return Bounds(most, np.maximum(below, 1), factor)

    def _against_all(self, question: str) -> FloatArray:
        from voirdire.metrics.bleu import bleu
        from voirdire.metrics.ngrams import compare_texts

        texts = self._pool.texts
        compared = compare_texts(texts, [question], [0, 1], np.zeros(len(texts)))
        added = [table.get(self._smoothing, 0.0) for table in (ABOVE, BELOW, ADDED)]
        scores: FloatArray = bleu(compared, *added)[:, self._order - 1]
        return scores


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


class RougeLRanker:
    """ROUGE-L over one pool."""

    def __init__(self, pool_texts: Sequence[str]) -> None:
        self._pool = number_pool(pool_texts)
        self._search = SharedNgrams(self._pool, 0, _bounds)

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "ranker": "rouge_l",
            "hypothesis": "pool question",
            "reference": "main question",
            "tokeniser": TOKENISER,
            "beta": 1.2,
        }

    @property
    def batch(self) -> int:
        """Each question is ranked by itself: the size of a batch changes nothing."""
        return 256

    def rank(self, questions: Sequence[str], left_out: Sequence[npt.NDArray[np.int64]], top: int) -> Neighbours:
        """The nearest questions of the pool."""
        return rank_sequences(
            *(self._pool, questions, left_out, top, self._search.find, self._against_all), score=lambda keys: keys
        )

    def _against_all(self, question: str) -> FloatArray:
        from voirdire.metrics.ngrams import compare_texts
        from voirdire.metrics.rouge import rouge_l

        texts = self._pool.texts
        return rouge_l(compare_texts(texts, [question], [0, 1], np.zeros(len(texts))))


def _bounds(lengths: Int64, size: int) -> Bounds:
    common = np.minimum(np.arange(size + 1), lengths[:, None])
    below = np.maximum(25 * lengths + 36 * size, 1)
    ones = np.ones(len(lengths))
    return Bounds(61 * common / below[:, None], ones, ones)
