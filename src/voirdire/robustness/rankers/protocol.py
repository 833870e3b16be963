"""What every ranker of basic questions does: for each main question, the questions of the pool that are nearest to it.

A ranker is made for one pool (which is when columns are encoded or an index is built) and then asked for many main
questions. It gives at most `top` neighbours, best first; questions of equal score stand in the pool's order. A score
of 0 or less is no neighbour, so lists may be short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Neighbours", "Ranker"]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbours of some main questions.

    places        int64[m, top], places in the pool, best first; −1 where the list is over
    scores        float64[m, top], their scores; 0 where the list is over
    certificates  further columns, one value a main question: what proves the list, where a ranker has that
    """

    places: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    certificates: Mapping[str, npt.NDArray[Any]]


class Ranker(Protocol):
    """One way to rank.

    signature  what the scores depend on besides the texts: name, λ, encoder and its hash, readings of the method
    batch      how many main questions it is given at once: the shape of a batch is part of the result's definition
    """

    @property
    def signature(self) -> Mapping[str, Any]: ...
    @property
    def batch(self) -> int: ...
    def rank(self, questions: Sequence[str], left_out: Sequence[npt.NDArray[np.int64]], top: int) -> Neighbours:
        """The neighbours of `questions`; left_out[i] are places of the pool that question i may not have."""
        ...
