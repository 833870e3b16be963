"""Mean rank of the ground-truth answer.

    MR = 1/N · Σ_i rank_i

rank_i  rank of the true answer among the candidates of round i, counted from 1 (dense-visdial, §3.1).
A tie takes the worst rank of its group, so that a constant score earns nothing.
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Key, Measure, mean
from voirdire.stats.aggregate import FloatArray

__all__ = ["MR"]


def as_number(rank: npt.NDArray[np.integer]) -> FloatArray:
    """One statistic a round: the rank itself."""
    return np.asarray(rank, dtype=np.float64)


MR = Measure(
    key=Key("mr"),
    label="mean rank",
    statistic=as_number,
    aggregate=mean,
    better="lower",
    description="mean rank of the true answer",
    citation="dense-visdial, §3.1",
)
