"""Moments of any number of views through distinct vectors.

    Σ x yᵀ = Xᵀ N Y

X, Y     the distinct vectors of two views, one a row
N[i, j]  how many pairs have the i-th vector of the one and the j-th of the other

Counts are kept until there are some millions of them; then their product is taken and counting begins anew.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
from numba import prange

from voirdire.answers.moments import Float64, Moments
from voirdire.stats.compiled import compiled

__all__ = ["DistinctMoments"]

HELD = 4_000_000
BLOCK = 4096

Int64 = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.floating]


class DistinctMoments:
    """Pairs (or triples) of places in lists of distinct vectors, float32 or float64, one list a view."""

    def __init__(self, views: Sequence[Vectors]) -> None:
        self._vectors = [np.ascontiguousarray(view) for view in views]
        self.sizes = tuple(view.shape[1] for view in self._vectors)
        self._times = [np.zeros(len(view)) for view in self._vectors]
        self._held: list[tuple[Int64, ...]] = []
        self._count = 0
        self._product = np.zeros((sum(self.sizes), sum(self.sizes)))
        edges = np.cumsum([0, *self.sizes]).tolist()
        self._slices = [slice(start, stop) for start, stop in pairwise(edges)]

    def add(self, *places: Int64) -> None:
        """Add pairs: one array of places a view."""
        if len(places) != len(self._vectors) or len({len(view) for view in places}) != 1:
            raise ValueError(f"places: {len(places)} arrays came, {len(self._vectors)} of equal length may come")
        for times, view in zip(self._times, places, strict=True):
            times += np.bincount(view, minlength=len(times))
        self._count += len(places[0])
        self._held.append(tuple(view.astype(np.int64) for view in places))
        if sum(len(held[0]) for held in self._held) >= HELD:
            self._fold()

    def moments(self) -> Moments:
        """The sums so far."""
        self._fold()
        product = self._product + np.triu(self._product, 1).T
        for place, vectors, times in zip(self._slices, self._vectors, self._times, strict=True):
            own = np.zeros((vectors.shape[1], vectors.shape[1]))
            for start in range(0, len(vectors), BLOCK):
                block = vectors[start : start + BLOCK].astype(np.float64)
                own += (block * times[start : start + BLOCK, None]).T @ block
            product[place, place] = own
        total = np.concatenate(
            [_weighted_sum(vectors, times) for vectors, times in zip(self._vectors, self._times, strict=True)]
        )
        return Moments(self.sizes, self._count, total, product)

    def _fold(self) -> None:
        """Turn the counts held so far into their product."""
        if not self._held:
            return
        places = [np.concatenate(parts) for parts in zip(*self._held, strict=True)]
        self._held.clear()
        for first, second in combinations(range(len(places)), 2):
            cross = self._product[self._slices[first], self._slices[second]]
            keys, counts = np.unique(places[first] * len(self._vectors[second]) + places[second], return_counts=True)
            rows, columns = np.divmod(keys, len(self._vectors[second]))
            present, starts = np.unique(rows, return_index=True)
            edges = np.append(starts, len(rows))
            for start in range(0, len(present), BLOCK):
                stop = min(start + BLOCK, len(present))
                sums = np.zeros((stop - start, self.sizes[second]))
                _gather(sums, self._vectors[second], columns, counts, edges[start : stop + 1])
                cross += self._vectors[first][present[start:stop]].astype(np.float64).T @ sums


def _weighted_sum(vectors: Vectors, times: Float64) -> Float64:
    total = np.zeros(vectors.shape[1])
    for start in range(0, len(vectors), BLOCK):
        total += times[start : start + BLOCK] @ vectors[start : start + BLOCK].astype(np.float64)
    return total


@compiled(parallel=True)
def _gather(
    out: Float64, vectors: Vectors, columns: Int64, counts: Int64, edges: Int64
) -> None:  # pragma: no cover - compiled
    """out[i] = Σ over the entries edges[i]:edges[i + 1] of count · vector; a row belongs to one thread."""
    for row in prange(len(out)):
        for at in range(edges[row], edges[row + 1]):
            count = np.float64(counts[at])
            source = vectors[columns[at]]
            for column in range(out.shape[1]):
                out[row, column] += count * source[column]
