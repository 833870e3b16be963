"""Recall at k: how often the ground-truth answer is among the first k.

    R@k = 1/N · Σ_i [rank_i ≤ k]

rank_i  rank of the true answer among the candidates of round i, counted from 1 (dense-visdial, §3.1); k = 1, 5, 10.
A tie takes the worst rank of its group, so that a constant score earns nothing.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Key, Measure, mean
from voirdire.stats.aggregate import FloatArray

__all__ = ["RECALLS", "recall_at"]


def within(k: int) -> Callable[[npt.NDArray[np.integer]], FloatArray]:
    """One statistic a round: whether the rank is at most k."""

    def statistic(rank: npt.NDArray[np.integer]) -> FloatArray:
        return (rank <= k).astype(np.float64)

    return statistic


def recall_at(k: int) -> Measure:
    """The measure `recall@k`."""
    if k < 1:
        raise ValueError(f"k: {k}; ranks are counted from 1")
    return Measure(
        key=Key("recall", k),
        label=f"R@{k}",
        statistic=within(k),
        aggregate=mean,
        better="higher",
        description=f"share of rounds whose true answer is among the first {k}",
        citation="dense-visdial, §3.1",
    )


RECALLS = (recall_at(1), recall_at(5), recall_at(10))
