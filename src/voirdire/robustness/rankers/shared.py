"""The nearest sequences of a pool by shared n-grams or common subsequence: what BLEU and ROUGE-L have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.robustness.rankers.inverted import invert
from voirdire.robustness.rankers.places import Lists, no_lists
from voirdire.robustness.rankers.sequences import LONGEST, Int64, Sequences

__all__ = ["Bounds", "SharedNgrams"]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bounds:
    """For questions of one length, by the lengths of the pool: what a sequence can reach.

    most    float64[lengths, n-grams + 1]: the highest key with so many shared n-grams, 0 where none can be
    below, factor  key = product of the shared n-grams / below · factor
    """

    most: FloatArray
    below: FloatArray
    factor: FloatArray


class SharedNgrams:
    """order: of the n-grams to be shared; 0 where the longest common subsequence of tokens decides."""

    def __init__(self, pool: Sequences, order: int, bounds: Callable[[Int64, int], Bounds]) -> None:
        self._pool = pool
        self._order = order
        self._bounds = bounds
        self._index = invert(pool, (max(order, 1),))
        self._earliest = pool.earliest
        self._where = np.zeros(len(pool.vocabulary) + LONGEST, np.uint64)

    def find(self, questions: Sequence[str], wanted: Int64) -> Lists:
        """The best wanted[i] sequences of each question, none of which has more than 64 tokens."""
        from voirdire.robustness.rankers.shared_search import search

        lists = no_lists(wanted)
        asked = self._pool.number(questions)
        sizes = np.diff(asked.first)
        for size in np.unique(sizes).tolist():
            rows = np.flatnonzero(sizes == size)
            tokens = asked.tokens[(asked.first[rows, None] + np.arange(size)).ravel()]
            first = np.arange(len(rows) + 1) * size
            found = self._index.occurrences(first, tokens)
            of, texts = self._index.lists(found.grams, found.before), found.texts
            by_text = np.argsort(texts[of >= 0], kind="stable")
            list_of_first = np.append(0, np.cumsum(np.bincount(texts[of >= 0], minlength=len(rows))))
            bounds = self._bounds(self._pool.lengths, size)
            part = no_lists(wanted[rows])
            search(
                *(self._order, first, tokens, list_of_first, of[of >= 0][by_text]),
                *(self._index.list_first, self._index.held, self._pool.first, self._pool.tokens, self._earliest),
                *(self._pool.range_first, np.argsort(-bounds.most[:, -1], kind="stable")),
                *(bounds.most, bounds.below, bounds.factor, self._where, wanted[rows]),
                *(part.sequences, part.keys, part.filled),
            )
            width = part.sequences.shape[1]
            lists.sequences[rows, :width], lists.keys[rows, :width] = part.sequences, part.keys
            lists.filled[rows] = part.filled
        return lists
