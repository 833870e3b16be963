"""Bootstrap intervals, by percentiles or bias-corrected and accelerated (BCa), over items or whole clusters of them.

    percentile   [ Q(α/2), Q(1 − α/2) ]                           Q: quantiles of the resampled figures θ*
    BCa          [ Q(Φ(z₀ + (z₀ − z)/(1 − a(z₀ − z)))),           z: normal quantile of 1 − α/2
                   Q(Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z)))) ]
                 z₀ = Φ⁻¹( share of θ* below θ, ties by half )
                 a  = Σ d³ / (6 (Σ d²)^{3/2})                     d: mean of the figures without one cluster, minus each

Items that share a dialogue or an image are not independent: then `clusters` gives the id of each item's cluster, and
whole clusters are drawn (Davison and Hinkley 1997, §3.8; Efron and Tibshirani 1993, §14.3). What a cluster holds is
added up beforehand. Drawing is exact: every cluster is drawn with the same probability, as often as there are clusters.
Resample b of a seed is the same however many others are made, and whatever columns are added up along with it.

There is no interval (None) where the spread cannot be estimated: no item, one cluster, a figure that is undefined, or
undefined in more than one resample of twenty. BCa has none either where the figure lies outside all resampled ones.
Resamples in which the figure is undefined are left out. Constant statistics give an interval of no width.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import Aggregate, FloatArray, cluster_sums, columns, mean, numbered

LEVEL = 0.95
RESAMPLES = 10_000
MOST_CLUSTERS = 2**32 - 1
UNDEFINED_AT_MOST = 0.05

Seed = int | np.random.Generator
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
        raise ValueError(f"`level` must be between 0 and 1, got {level}")
    if method not in get_args(Method):
        raise ValueError(f"`method` must be one of {', '.join(get_args(Method))}, got {method!r}")
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


def drawn_sums(sums: FloatArray, seed: Seed, resamples: int = RESAMPLES) -> FloatArray:
    """Bootstrap: sums (K, clusters) over clusters drawn with replacement, (resamples, K)."""
    from voirdire.stats.compiled import sum_drawn

    key = _key(seed, sums, resamples)
    out = np.empty((resamples, len(sums)))
    # A column that is the same in every cluster (their number, or their size) is the same in every resample.
    varying = np.ptp(sums, axis=1) > 0
    out[:, ~varying] = sums[~varying, 0] * sums.shape[1]
    drawn = np.empty((resamples, int(varying.sum())))
    sum_drawn(np.ascontiguousarray(sums[varying]), key, drawn)
    out[:, varying] = drawn
    return out


def swapped_sums(first: FloatArray, second: FloatArray, seed: Seed, resamples: int = RESAMPLES) -> FloatArray:
    """Permutation: sums (K, clusters) of `first` with half of the clusters, by fair coins, taken from `second`.

    Gives (resamples, K); the other system's sums are what is left: total of both minus these. Where there are no more
    swaps than that in all, each but the empty one comes once, so that a test of them is exact.
    """
    from voirdire.stats.compiled import sum_swapped

    change = second - first
    key = _key(seed, change, resamples)
    clusters = change.shape[1]
    if 2**clusters - 1 <= resamples:
        swaps = np.arange(1, 2**clusters)[:, np.newaxis] >> np.arange(clusters) & 1
        every: FloatArray = first.sum(axis=1) + np.einsum("bc,kc->bk", swaps, change)
        return every
    out = np.zeros((resamples, len(change)))
    # A column that both systems share (the number of cases) stays as it is.
    moving = change.any(axis=1)
    swapped = np.empty((resamples, int(moving.sum())))
    sum_swapped(np.ascontiguousarray(change[moving]), key, swapped)
    out[:, moving] = swapped
    out += first.sum(axis=1)
    return out


def _key(seed: Seed, sums: FloatArray, resamples: int) -> npt.NDArray[np.uint64]:
    if resamples < 1:
        raise ValueError(f"`resamples` must be at least 1, got {resamples}")
    if not 1 <= sums.shape[1] <= MOST_CLUSTERS:
        raise ValueError(f"`sums` must be of 1 to {MOST_CLUSTERS:,} clusters, got {sums.shape[1]}")
    rng = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)
    return rng.integers(0, 2**64, size=2, dtype=np.uint64)
