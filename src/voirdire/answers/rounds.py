"""Scores of single texts gathered by round: mean, best and spread of each round."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import FloatArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ByRound", "frame"]


class ByRound:
    """rounds[i] is the number of the round that values[i] belongs to; a round that has none gets NaN."""

    def __init__(self, rounds: npt.NDArray[np.int64], values: FloatArray, count: int) -> None:
        order = np.argsort(rounds, kind="stable")
        self._rounds, self._values = rounds[order], values[order]
        counts = np.bincount(rounds, minlength=count)
        self._held = np.flatnonzero(counts)
        self._sizes = counts[self._held]
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._count = count

    def mean(self) -> FloatArray:
        """Σ / n"""
        return self._place(np.add.reduceat(self._values, self._starts) / self._sizes)

    def best(self, lowest: bool) -> FloatArray:
        """The highest, or where less is better the lowest."""
        return self._place((np.minimum if lowest else np.maximum).reduceat(self._values, self._starts))

    def spread(self) -> FloatArray:
        """√( Σ (x − mean)² / n )"""
        squares = (self._values - self.mean()[self._rounds]) ** 2
        return self._place(np.sqrt(np.add.reduceat(squares, self._starts) / self._sizes))

    def _place(self, values: FloatArray) -> FloatArray:
        out = np.full(self._count, np.nan)
        out[self._held] = values
        return out


def frame(columns: Mapping[str, npt.NDArray[np.generic] | list[list[str]] | list[str]]) -> "pl.DataFrame":
    """The columns as items, lists of texts too; a figure that a round does not have is null."""
    import polars as pl

    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
