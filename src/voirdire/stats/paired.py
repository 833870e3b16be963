"""Tests on the same items: is one system better than another, and do conditions rise in a predicted order?

    d = θ(first) − θ(second)
    permutation   p = (1 + #{ |d*| ≥ |d| }) / (B + 1)         d*: after swapping each cluster by a fair coin
    bootstrap     p = (1 + #{ |d* − d| ≥ |d| }) / (B + 1)     d*: on clusters drawn with replacement, the same for both
    Holm          p̃_(i) = max_{j ≤ i} min( (m − j + 1) · p_(j), 1 )        p_(1) ≤ … ≤ p_(m)

Both tests are two-sided on the absolute difference (Noreen 1989; Efron and Tibshirani 1993, §16). A system against
itself gives p = 1. Where so few clusters are there that all 2^clusters swaps can be gone through within B, they are,
and p is exact. No item gives no difference, no interval and no p. One cluster gives p = 1 by permutation, since a swap
only changes the sign, and by bootstrap neither interval nor p. Resamples in which the difference is undefined are left
out of the interval and count as extreme in p, which errs on the side of no finding.

Holm's correction keeps the chance of any false finding among several tests at the level (Holm 1979). A test without a
p-value (None) is no test: it stays None and does not count in m.

Page's test for ordered alternatives: do k conditions rise (or fall) in the order that was predicted?

    L = Σ_j j · R_j                  R_j: sum over the m rows of the rank of condition j within its row
    z = (L − E) / √V                 E = m k (k + 1)² / 4
                                     V = (k (k + 1) / 12) · Σ_rows Σ_j (r_j − (k + 1)/2)²
    p = P(L* ≥ L)                    L*: each row's ranks in random order; beyond some size, 1 − Φ(z)

Ties share their mean rank, and both the exact distribution and V are taken from the ranks that are there, so ties make
the test neither timid nor bold; without ties V = m k² (k + 1)(k² − 1) / 144 as in the books. Far out the normal's
tail is much too heavy (2.4e-9 where 3.2e-18 is exact), so p is exact up to 200 rows of 8. A p too small for a double is
the smallest one. Where every row is constant, or there is no row, nothing can be tested: p is None. (Page 1963.)
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import factorial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import Aggregate, FloatArray, cluster_sums, columns, mean, numbered
from voirdire.stats.bootstrap import LEVEL, RESAMPLES, Interval, Method, Seed, drawn_sums, interval, swapped_sums

# Differences that are equal in exact arithmetic may differ by rounding; they count as equal within this share.
SLACK = 1e-10


@dataclass(frozen=True, slots=True)
class Paired:
    """A comparison of two systems.

    difference  figure of the first minus figure of the second; None where either is undefined
    interval    of the difference; None for the permutation test, which has none, and where there is none
    p           probability of a difference at least as large if the systems were alike; None where untested
    n           items
    """

    difference: float | None
    interval: Interval | None
    p: float | None
    n: int


def paired_permutation(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    aggregate: Aggregate = mean,
    *,
    seed: Seed,
    clusters: npt.ArrayLike | None = None,
    resamples: int = RESAMPLES,
) -> Paired:
    """Permutation test of two systems' statistics, paired by item; approximate unless there are few clusters."""
    ours, theirs, items = _paired_sums(first, second, aggregate, clusters)
    difference = _difference(aggregate, ours.sum(axis=1), theirs.sum(axis=1))
    if difference is None:
        return Paired(None, None, None, items)
    swapped = swapped_sums(ours, theirs, seed, resamples)
    return Paired(difference, None, permutation_p(aggregate, ours.sum(axis=1), theirs.sum(axis=1), swapped), items)


def permutation_p(aggregate: Aggregate, ours: FloatArray, theirs: FloatArray, swapped: FloatArray) -> float:
    """The test's p from both systems' sums (K,), and the first one's after swapping (resamples, K)."""
    differences = aggregate.of(swapped) - aggregate.of(ours + theirs - swapped)
    return _p(differences, float(aggregate.of(ours) - aggregate.of(theirs)))


def paired_bootstrap(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    aggregate: Aggregate = mean,
    *,
    seed: Seed,
    clusters: npt.ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "percentile",
) -> Paired:
    """Paired bootstrap of two systems' statistics: the difference with its interval and p."""
    ours, theirs, items = _paired_sums(first, second, aggregate, clusters)
    difference = _difference(aggregate, ours.sum(axis=1), theirs.sum(axis=1))
    if difference is None or ours.shape[1] < 2:
        return Paired(difference, None, None, items)
    sums = np.concatenate([ours, theirs])
    drawn = drawn_sums(sums, seed, resamples)
    of_both = difference_of(aggregate, len(ours))
    differences = of_both.of(drawn)
    return Paired(
        difference,
        interval(of_both, sums, drawn, level, method),
        _p(differences - difference, difference),
        items,
    )


def _paired_sums(
    first: npt.ArrayLike, second: npt.ArrayLike, aggregate: Aggregate, clusters: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, int]:
    """Both systems' cluster sums. Their columns are made together: a centre taken from the items must be the same."""
    if np.shape(first) != np.shape(second):
        raise ValueError(f"`second` must be of the shape of `first`, {np.shape(first)}, got {np.shape(second)}")
    items = len(np.asarray(first))
    table = columns(np.concatenate([np.asarray(first), np.asarray(second)]), aggregate)
    numbers, count = numbered(clusters, items)
    return cluster_sums(table[:items], numbers, count), cluster_sums(table[items:], numbers, count), items


def difference_of(aggregate: Aggregate, k: int) -> Aggregate:
    """The aggregate of both systems' columns, k of each side by side, that is their difference."""
    return Aggregate(
        f"difference in {aggregate.name}",
        2 * aggregate.width,
        aggregate.columns,
        lambda sums: aggregate.of(sums[..., :k]) - aggregate.of(sums[..., k:]),
    )


def _difference(aggregate: Aggregate, ours: FloatArray, theirs: FloatArray) -> float | None:
    difference = float(aggregate.of(ours) - aggregate.of(theirs))
    return difference if np.isfinite(difference) else None


def _p(differences: FloatArray, difference: float) -> float:
    extreme = ~(np.abs(differences) < abs(difference) * (1 - SLACK))
    return (1 + int(extreme.sum())) / (1 + len(differences))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The corrected p-values, in the order given."""
    for index, p in enumerate(p_values):
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"`p_values` must be between 0 and 1, or None, got {p} as number {index} (counted from 0)")
    ordered = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(ordered):
        largest = max(largest, min((len(ordered) - rank) * p, 1.0))
        corrected[index] = largest
    return corrected


Direction = Literal["rising", "falling"]

# Up to here the exact distribution takes a fraction of a second.
EXACT_ROWS = 200
EXACT_CONDITIONS = 8
SMALLEST = 5e-324


@dataclass(frozen=True, slots=True)
class Trend:
    """The result of Page's test: its statistic L, the normal score z, p (one-sided), and whether p is exact."""

    statistic: float
    z: float | None
    p: float | None
    exact: bool


def page_trend(scores: npt.ArrayLike, direction: Direction = "rising") -> Trend:
    """Test scores (rows, conditions), the conditions in the predicted order; a row is a block: a model, an item."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            f"`scores` must be a table (rows, conditions) with two conditions or more, got shape {table.shape}"
        )
    if not np.isfinite(table).all():
        row, condition = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"`scores` must be finite, got {table[row, condition]} in row {row}, condition {condition} (counted from 0)"
        )
    if direction not in get_args(Direction):
        raise ValueError(f"`direction` must be one of {', '.join(get_args(Direction))}, got {direction!r}")
    from scipy.special import ndtr
    from scipy.stats import rankdata

    rows, k = table.shape
    ranks = rankdata(table if direction == "rising" else -table, axis=1) if rows else table
    statistic = float(ranks.sum(axis=0) @ np.arange(1, k + 1))
    squares = float(((ranks - (k + 1) / 2) ** 2).sum())
    if squares == 0:
        return Trend(statistic, None, None, exact=False)
    z = (statistic - rows * k * (k + 1) ** 2 / 4) / float(np.sqrt(k * (k + 1) / 12 * squares))
    if rows <= EXACT_ROWS and k <= EXACT_CONDITIONS:
        return Trend(statistic, z, _exact(ranks, statistic), exact=True)
    return Trend(statistic, z, max(float(ndtr(-z)), SMALLEST), exact=False)


def _exact(ranks: npt.NDArray[np.float64], statistic: float) -> float:
    """P(L* ≥ L): the distributions of the rows, convolved; on twice the ranks, which are whole numbers, ties or not."""
    distribution = np.ones(1)
    lowest = 0
    for row, count in Counter(map(tuple, np.sort(np.rint(2 * ranks).astype(int), axis=1).tolist())).items():
        shares, low = _row_distribution(row)
        lowest += count * low
        for _ in range(count):
            distribution = np.convolve(distribution, shares)
    tail = float(distribution[round(2 * statistic) - lowest :].sum())
    return min(max(tail, SMALLEST), 1.0)


@lru_cache(maxsize=64)
def _row_distribution(row: tuple[int, ...]) -> tuple[npt.NDArray[np.float64], int]:
    """The shares of all orders of a row by their Σ_j j · r_j, from the lowest sum on; and that sum."""
    sums = np.array(list(permutations(row))) @ np.arange(1, len(row) + 1)
    low = int(sums.min())
    return np.bincount(sums - low) / factorial(len(row)), low
