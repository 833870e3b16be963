"""Correlations between texts under a trained CCA: the cosine of their projections.

corr(x, y) = ψ(x)·ψ(y) / ‖ψ(x)‖ ‖ψ(y)‖
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from numba import prange

from voirdire.answers.cca import Cca, unit_rows
from voirdire.answers.sentences import Sentences
from voirdire.stats.compiled import compiled

__all__ = ["Projector", "gather_dot"]

Float64 = npt.NDArray[np.float64]

# Texts that are projected at once, so that no more than this many vectors are held beside the projections.
BATCH = 16_384


class Projector:
    """Texts to unit vectors of the joint space, whose products are correlations."""

    def __init__(self, cca: Cca, sentences: Sentences) -> None:
        self.cca = cca
        self._sentences = sentences

    def answers(self, texts: Sequence[str]) -> Float64:
        """Answers through the answers' projection: float64[n, k]."""
        return self._project("answer", texts)

    def questions(self, texts: Sequence[str]) -> Float64:
        """Questions through the questions' projection: float64[n, k]."""
        return self._project("question", texts)

    def _project(self, view: Literal["answer", "question"], texts: Sequence[str]) -> Float64:
        out = np.empty((len(texts), len(self.cca.eigenvalues)))
        for start in range(0, len(texts), BATCH):
            vectors = self._sentences.vectors(texts[start : start + BATCH])
            out[start : start + BATCH] = unit_rows(self.cca.project(view, vectors))
        return out


# Sums may be taken in any order, which lets the compiler use wide registers; the order is still the same each time.
@compiled(parallel=True, fastmath={"reassoc", "contract", "nsz"})
def gather_dot(
    anchors: Float64, anchor: npt.NDArray[np.int64], rows: Float64, options: npt.NDArray[np.int32]
) -> Float64:  # pragma: no cover - compiled
    """out[i, j] = anchors[anchor[i]] · rows[options[i, j]], without gathering the vectors first."""
    out = np.empty(options.shape)
    for i in prange(len(options)):
        first = anchors[anchor[i]]
        for j in range(options.shape[1]):
            second = rows[options[i, j]]
            total = 0.0
            for d in range(len(first)):
                total += first[d] * second[d]
            out[i, j] = total
    return out
