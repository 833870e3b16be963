"""Accuracy: the share of items that are right.

    accuracy = 1/N · Σ_i [item i is right]

right  whether the answer for an item is the expected one, as the exam defines it. For items that are right or wrong as
       a whole: the oracle's answers, the probe's classes, the judges' choices.
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Key, Measure, mean
from voirdire.stats.aggregate import FloatArray

__all__ = ["ACCURACY", "rightness"]


def rightness(right: npt.NDArray[np.generic]) -> FloatArray:
    """One statistic per item: 1 where it is right, 0 where it is wrong; anything else is refused."""
    statistic = np.asarray(right, dtype=np.float64)
    if not np.isin(statistic, (0.0, 1.0)).all():
        bad = statistic[~np.isin(statistic, (0.0, 1.0))][0]
        raise ValueError(f"`right` must be 1 (right) or 0 (wrong), got {bad}")
    return statistic


ACCURACY = Measure(
    key=Key("accuracy"),
    statistic=rightness,
    aggregate=mean,
    better="higher",
    description="share of items that are right",
    share=True,
)
