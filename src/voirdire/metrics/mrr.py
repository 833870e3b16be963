"""Reciprocal rank of the ground-truth answer.

    MRR = 1/N · Σ_i 1 / rank_i

rank_i  rank of the true answer among the candidates of round i, counted from 1 (dense-visdial, §3.1).
A tie takes the worst rank of its group, so that a constant score earns nothing.
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Key, Measure, mean
from voirdire.stats.aggregate import FloatArray

__all__ = ["MRR"]


def reciprocal_rank(rank: npt.NDArray[np.integer]) -> FloatArray:
    """One statistic a round: 1 / rank."""
    return 1.0 / rank


MRR = Measure(
    key=Key("mrr"),
    label="MRR",
    statistic=reciprocal_rank,
    aggregate=mean,
    better="higher",
    description="mean reciprocal rank of the true answer",
    citation="dense-visdial, §3.1",
)
