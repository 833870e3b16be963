"""The mean of a figure over several wordings of the questions, with an interval that includes the choice of wordings.

    half-width = t(ν) · √V,   V = s²/T + C,   ν = (T − 1)/w,   w = (s²/T) / V

    T    wordings, at least three, taken as drawn from all that could have been written
    s²   variance of their T figures (divisor T − 1): how they differ, and what chance in the items does to each alone
    C    mean covariance of two wordings' figures over draws of the items: what chance does to all of them together
    t    0.975 quantile of Student's t: with T − 1 degrees of freedom where the wordings make all of the variance
         (w = 1), with more the larger the part of the items, and the normal one where the wordings make none

s²/T + C estimates the variance of the mean without bias: with σ² between wordings, v the variance of one figure by its
items and c the covariance of two, that is σ²/T + (v − c)/T + c, and s² estimates σ² + v − c. Three wordings say little
of all others, so the interval is wide: t is 4.3 with two degrees of freedom. Where all figures happen to be the same, V
is the variance of their mean over draws of the items: few items may give the same figure by chance.
"""

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import FloatArray
from voirdire.stats.bootstrap import LEVEL, UNDEFINED_AT_MOST, Interval

FEWEST = 3
"""The fewest wordings that say something of others."""


def over_wordings(figures: npt.ArrayLike, drawn: FloatArray, level: float = LEVEL) -> Interval | None:
    """The interval of the mean of the figures (T,); `drawn` are those of resampled items, (resamples, T).

    None where there are fewer than three wordings, and where a figure, or more than one resample of twenty, is
    undefined.
    """
    from scipy.special import ndtri, stdtrit

    values = np.asarray(figures, dtype=np.float64)
    defined = drawn[np.isfinite(drawn).all(axis=1)]
    if len(values) < FEWEST or not np.isfinite(values).all():
        return None
    if len(defined) < max(2, (1 - UNDEFINED_AT_MOST) * len(drawn)):
        return None
    of_wordings, of_items = float(values.var(ddof=1)) / len(values), shared_variance(defined)
    variance = of_wordings + of_items if of_wordings > 0 else float(defined.mean(axis=1).var(ddof=1))
    tail = (1 + level) / 2
    quantile = stdtrit((len(values) - 1) * variance / of_wordings, tail) if of_wordings > 0 else ndtri(tail)
    half, centre = float(quantile * np.sqrt(variance)), float(values.mean())
    return Interval(centre - half, centre + half)


def shared_variance(drawn: FloatArray) -> float:
    """The mean covariance of two columns (resamples, T); chance may make it negative, where it counts as none."""
    covariance: FloatArray = np.cov(drawn, rowvar=False)
    others = ~np.eye(len(covariance), dtype=bool)
    return max(0.0, float(covariance[others].mean()))
