"""Sums over pairs that a covariance needs, collected without ever holding the pairs.

    m = number of pairs     s = Σ z     P = Σ z zᵀ     cov = (P − s sᵀ / m) / (m − 1)

z  the vectors of one pair in all views, one below the other (answer, question and, with three views, image)

All sums are in double precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

__all__ = ["DenseMoments", "Moments"]

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """The sums of all pairs.

    sizes    the dimension of each view
    count    m
    total    float64[Σ sizes], s
    product  float64[Σ sizes, Σ sizes], P
    """

    sizes: tuple[int, ...]
    count: int
    total: Float64
    product: Float64

    @property
    def mean(self) -> Float64:
        """The mean vector of the stacked views."""
        return self.total / self.count

    def covariance(self) -> Float64:
        """The covariance of the stacked views."""
        if self.count < 2:
            raise ValueError(f"moments: {self.count} pairs came, at least 2 may come")
        return (self.product - np.outer(self.total, self.total) / self.count) / (self.count - 1)

    def views(self) -> list[slice]:
        """Where each view stands in the stack."""
        edges = np.cumsum([0, *self.sizes]).tolist()
        return [slice(start, stop) for start, stop in pairwise(edges)]


class DenseMoments:
    """From blocks of vectors: the definition itself, for pairs that come as vectors."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self._count = 0
        self._total = np.zeros(sum(sizes))
        self._product = np.zeros((sum(sizes), sum(sizes)))

    def add(self, *blocks: npt.NDArray[np.floating]) -> None:
        """Add pairs: one array [n, size] a view, row i of each belonging to pair i."""
        shapes = [block.shape for block in blocks]
        if [shape[1:] for shape in shapes] != [(size,) for size in self.sizes] or len({s[0] for s in shapes}) != 1:
            raise ValueError(f"blocks: arrays of shapes {shapes} came, (n, size) for the sizes {self.sizes} may come")
        views = [np.asarray(block, np.float64) for block in blocks]
        edges = np.cumsum([0, *self.sizes]).tolist()
        self._count += len(views[0])
        for i, first in enumerate(views):
            rows = slice(edges[i], edges[i + 1])
            self._total[rows] += first.sum(axis=0)
            for j, second in enumerate(views[i:], i):
                self._product[rows, edges[j] : edges[j + 1]] += first.T @ second

    def moments(self) -> Moments:
        """The sums so far."""
        upper = np.triu(self._product)
        return Moments(self.sizes, self._count, self._total.copy(), upper + np.triu(self._product, 1).T)
