"""Bootstrap intervals, by percentiles or bias-corrected and accelerated (BCa), over items or whole clusters of them.

    percentile   [ Q(α/2), Q(1 − α/2) ]                           Q: quantiles of the resampled figures θ*
    BCa          [ Q(Φ(z₀ + (z₀ − z)/(1 − a(z₀ − z)))),           z: normal quantile of 1 − α/2
                   Q(Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z)))) ]
                 z₀ = Φ⁻¹( share of θ* below θ, ties by half )
                 a  = Σ d³ / (6 (Σ d²)^{3/2})                     d: mean of the figures without one cluster, minus each

Items that share a dialogue or an image are not independent: then `clusters` gives the id of each item's cluster, and
whole clusters are drawn (Davison and Hinkley 1997, §3.8; Efron and Tibshirani 1993, §14.3).

There is no interval (None) where nothing can be learnt about spread: no item, one cluster, a figure that is undefined,
or undefined in more than one resample of twenty. BCa has none either where the figure lies outside all resampled ones.
Resamples in which the figure is undefined are left out. Constant statistics give an interval of no width.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import Aggregate, FloatArray, mean
from voirdire.stats.resampling import RESAMPLES, Seed, drawn_sums
from voirdire.stats.sums import cluster_sums, columns, numbered

__all__ = ["LEVEL", "Interval", "Method", "bootstrap", "interval"]

LEVEL = 0.95
UNDEFINED_AT_MOST = 0.05

Method = Literal["percentile", "bca"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of a confidence interval."""

    low: float
    high: float


def bootstrap(
    statistics: npt.ArrayLike,
    aggregate: Aggregate = mean,
    *,
    seed: Seed,
    clusters: npt.ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "percentile",
) -> Interval | None:
    """The interval of an aggregate of per-item statistics."""
    table = columns(statistics, aggregate)
    numbers, count = numbered(clusters, len(table))
    if count < 2:
        return None
    sums = cluster_sums(table, numbers, count)
    return interval(aggregate, sums, drawn_sums(sums, seed, resamples), level, method)


def interval(
    aggregate: Aggregate,
    sums: FloatArray,
    drawn: FloatArray,
    level: float = LEVEL,
    method: Method = "percentile",
) -> Interval | None:
    """The interval from cluster sums (K, clusters) and their resampled totals (resamples, K)."""
    if not 0 < level < 1:
        raise ValueError(f"level: {level}; a share between 0 and 1 is needed")
    if method not in get_args(Method):
        raise ValueError(f"method: {method!r}; may be one of {', '.join(get_args(Method))}")
    if sums.shape[1] < 2:
        return None
    figure = float(aggregate.of(sums.sum(axis=1)))
    figures = aggregate.of(drawn)
    defined = figures[np.isfinite(figures)]
    if not np.isfinite(figure) or len(defined) < (1 - UNDEFINED_AT_MOST) * len(figures):
        return None
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca" and np.ptp(defined) > 0:
        tails = _accelerated(aggregate, sums, figure, defined, tails)
        if not np.isfinite(tails).all():
            return None
    low, high = np.quantile(defined, tails)
    return Interval(float(low), float(high))


def _accelerated(
    aggregate: Aggregate, sums: FloatArray, figure: float, figures: FloatArray, tails: FloatArray
) -> FloatArray:
    """The shares of the resampled figures at which BCa takes its ends; NaN where it has none."""
    from scipy.special import ndtr, ndtri

    below = float(np.mean(figures < figure) + np.mean(figures <= figure)) / 2
    if not 0 < below < 1:
        return np.full(2, np.nan)
    bias = float(ndtri(below))
    left_out = aggregate.of((sums.sum(axis=1, keepdims=True) - sums).T)
    left_out = left_out[np.isfinite(left_out)]
    deviation = left_out.mean() - left_out if len(left_out) else left_out
    spread = float(np.sum(deviation**2))
    acceleration = float(np.sum(deviation**3)) / (6 * spread**1.5) if spread > 0 else 0.0
    shifted = bias + ndtri(tails)
    return np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted)))
