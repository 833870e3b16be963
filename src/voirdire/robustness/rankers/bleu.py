"""Rank by BLEU-n of a pool question (the hypothesis) against the main question (the reference).

    BLEU-n^n = exp(n · min(0, 1 − |r| / |h|)) · Π_{i ≤ n} (shared n-grams of order i) / (|h| − i + 1)

As `metrics.bleu` defines it for a single text. Without smoothing a pool question that shares no n-gram of order n is no
neighbour: lists of BLEU-4 are often short. `rankers.smoothed` has the formulas with smoothing. Whole numbers are
multiplied before they are divided once, so that two scores that are equal as fractions are equal in the last bit, and
stand in the pool's order.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.robustness.exam import Smoothing
from voirdire.robustness.rankers import Neighbours
from voirdire.robustness.rankers.index import TOKENISER, Int64, number_pool
from voirdire.robustness.rankers.neighbours import rank_sequences
from voirdire.robustness.rankers.shared import Bounds, SharedNgrams
from voirdire.robustness.rankers.smoothed import ABOVE, ADDED, BELOW, SmoothedNgrams

FloatArray = npt.NDArray[np.float64]


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
