"""Rank by ROUGE-L of a pool question (the hypothesis) against the main question (the reference).

    ROUGE-L = (1 + β²) · lcs / (|h| + β² · |r|) = 61 · lcs / (25 · |h| + 36 · |r|),     β = 1.2

As `metrics.rouge` defines it, with one reference. lcs is at most the number of tokens that both texts have, which the
inverted index counts. One division of whole numbers: scores that are equal as fractions are equal in the last bit.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.robustness.rankers import Neighbours
from voirdire.robustness.rankers.index import TOKENISER, Int64, number_pool
from voirdire.robustness.rankers.neighbours import rank_sequences
from voirdire.robustness.rankers.shared_ngrams import Bounds, SharedNgrams

FloatArray = npt.NDArray[np.float64]


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
