"""Which candidates of a round form its top cluster, by their correlations: three methods, for all rounds at once.

    S  {c : c ≥ anchor − std}        anchor the largest correlation (or the ground truth's), std with ddof 1
    M  mean shift with its usual defaults: flat kernel, the width the mean distance to the neighbour at 0.3 n
    G  agglomerative clustering by Ward's rule down to n clusters

M and G take the cluster that holds the anchor; the largest value is always in the cluster of highest centre or mean.
In one dimension both are computed here on sorted values. Where rounding could decide, scikit-learn does.
"""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from numba import prange

from voirdire.stats.compiled import compiled

Method = Literal["S", "M", "G"]

Bool = npt.NDArray[np.bool_]
Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

NEIGHBOURS = 0.3
CONVERGED = 1e-3
STEPS = 300
# Two numbers that differ by less than this, as a share, may compare either way after different rounding.
DOUBT = 1e-9


def top_cluster(values: Float64, method: Method, anchor: Int64 | None = None, clusters: int = 5) -> Bool:
    """bool[n, m]: the members of each row's cluster.

    values  float64[n, m]
    anchor  the column whose cluster is taken, one per row; the one of the largest value where None
    """
    if method not in get_args(Method):
        raise ValueError(f"`method` must be one of {', '.join(get_args(Method))}, got {method!r}")
    if method == "G" and not 1 <= clusters <= values.shape[1]:
        raise ValueError(f"`clusters` must be from 1 to {values.shape[1]}, got {clusters}")
    values = np.ascontiguousarray(values)
    if method == "S":
        top = values.max(axis=1) if anchor is None else values[np.arange(len(values)), anchor]
        result: Bool = values >= (top - values.std(axis=1, ddof=1))[:, None]
        return result
    order = np.argsort(values, axis=1, kind="stable")
    line = np.take_along_axis(values, order, axis=1)
    # Where each row's anchor is in the sorted row.
    place = np.full(len(values), values.shape[1] - 1) if anchor is None else (order == anchor[:, None]).argmax(axis=1)
    start, stop, doubtful = _by_hand(line, place, clusters if method == "G" else 0)
    ranks = np.arange(values.shape[1])
    inside = np.empty(values.shape, np.bool_)
    np.put_along_axis(inside, order, (ranks >= start[:, None]) & (ranks < stop[:, None]), axis=1)
    for row in np.flatnonzero(doubtful).tolist():
        inside[row] = _by_library(values[row], method, None if anchor is None else int(anchor[row]), clusters)
    return inside


def _by_library(values: Float64, method: Method, anchor: int | None, clusters: int) -> Bool:
    """One row by scikit-learn."""
    from sklearn.cluster import AgglomerativeClustering, MeanShift

    column = values[:, None]
    if method == "M":
        fitted = MeanShift().fit(column)
        best = int(fitted.cluster_centers_[:, 0].argmax())
    else:
        fitted = AgglomerativeClustering(n_clusters=clusters).fit(column)
        best = int(np.argmax([values[fitted.labels_ == label].mean() for label in range(clusters)]))
    result: Bool = fitted.labels_ == (best if anchor is None else fitted.labels_[anchor])
    return result


@compiled(parallel=True)
def _by_hand(line: Float64, place: Int64, clusters: int) -> tuple[Int64, Int64, Bool]:  # pragma: no cover - compiled
    """Of each sorted row the part that is the cluster of `place`, and whether rounding decides; 0 is mean shift."""
    start, stop = np.empty(len(line), np.int64), np.empty(len(line), np.int64)
    doubtful = np.empty(len(line), np.bool_)
    for row in prange(len(line)):
        if clusters:
            start[row], stop[row], doubtful[row] = _ward(line[row], place[row], clusters)
        else:
            start[row], stop[row], doubtful[row] = _mean_shift(line[row], place[row])
    return start, stop, doubtful


@compiled
def _ward(x: Float64, place: int, clusters: int) -> tuple[int, int, bool]:  # pragma: no cover - compiled
    """Merge the two neighbours that cost least until `clusters` are left.

        cost(A, B) = |A||B| / (|A| + |B|) · (mean A − mean B)²

    Two sets with a third between them are never the cheapest pair: the third costs less with one of them.
    """
    left, doubtful = len(x), False
    count, mean, cost = np.ones(left), x.copy(), np.empty(left)
    nothing = 1e-24 * (x[-1] - x[0]) ** 2
    for i in range(left - 1):
        cost[i] = 0.5 * (x[i + 1] - x[i]) ** 2
    while left > clusters:
        at = int(np.argmin(cost[: left - 1]))
        least = cost[at]
        # A tie between merges of equal values makes no difference.
        if least > nothing:
            doubtful |= np.sum(cost[: left - 1] <= least * (1 + DOUBT)) > 1
        total = count[at] + count[at + 1]
        mean[at] = (count[at] * mean[at] + count[at + 1] * mean[at + 1]) / total
        count[at] = total
        left -= 1
        count[at + 1 : left] = count[at + 2 : left + 1].copy()
        mean[at + 1 : left] = mean[at + 2 : left + 1].copy()
        cost[at : left - 1] = cost[at + 1 : left].copy()
        for i in range(max(at - 1, 0), min(at + 1, left - 1)):
            cost[i] = count[i] * count[i + 1] / (count[i] + count[i + 1]) * (mean[i + 1] - mean[i]) ** 2
    if left > 1:
        # Equal values in different clusters: only their order decides.
        doubtful |= np.min(cost[: left - 1]) <= nothing
    begin, at = 0, 0
    while begin + count[at] <= place:
        begin += int(count[at])
        at += 1
    return begin, begin + int(count[at]), doubtful


@compiled
def _mean_shift(x: Float64, place: int) -> tuple[int, int, bool]:  # pragma: no cover - compiled
    """Every point climbs to the mean of its neighbourhood; of centres closer than the width the fuller one stays."""
    m = len(x)
    sums = np.zeros(m + 1)
    sums[1:] = np.cumsum(x)
    width = _width(x, max(int(m * NEIGHBOURS), 1))
    if not width > 1e-12:
        return 0, m, True
    doubt, doubtful = DOUBT * width, False
    centres, weights = np.empty(m), np.empty(m)
    for seed in range(m):
        mean, moved, steps = x[seed], np.inf, 0
        while moved > CONVERGED * width and steps <= STEPS:
            low, high = np.searchsorted(x, mean - width), np.searchsorted(x, mean + width, side="right")
            doubtful |= _near(x, mean - width, low, doubt) or _near(x, mean + width, high, doubt)
            old, mean = mean, (sums[high] - sums[low]) / (high - low)
            moved, steps = abs(mean - old), steps + 1
            doubtful |= abs(moved - CONVERGED * width) <= doubt
            weights[seed] = high - low
        centres[seed] = mean
    kept, close = _distinct(centres, weights, width, doubt)
    # A point belongs to the nearest centre: the borders lie halfway between neighbouring centres.
    borders = (kept[1:] + kept[:-1]) / 2
    for border in borders:
        close |= _near(x, border, np.searchsorted(x, border), doubt)
    at = np.searchsorted(borders, x[place])
    begin = np.searchsorted(x, borders[at - 1]) if at > 0 else 0
    end = np.searchsorted(x, borders[at]) if at < len(borders) else m
    return begin, end, doubtful or close


@compiled
def _width(x: Float64, neighbours: int) -> float:  # pragma: no cover - compiled
    """The mean, over all points, of the distance to the `neighbours`-th nearest point, the point itself among them."""
    total = 0.0
    for i in range(len(x)):
        low = high = i
        for _ in range(neighbours - 1):
            down = x[i] - x[low - 1] if low > 0 else np.inf
            up = x[high + 1] - x[i] if high < len(x) - 1 else np.inf
            if down <= up:
                low -= 1
            else:
                high += 1
        total += max(x[i] - x[low], x[high] - x[i])
    return total / len(x)


@compiled
def _near(x: Float64, edge: float, at: int, doubt: float) -> bool:  # pragma: no cover - compiled
    """Whether the point before or after the edge is so close to it that rounding decides on which side it is."""
    return (at > 0 and abs(x[at - 1] - edge) <= doubt) or (at < len(x) and abs(x[at] - edge) <= doubt)


@compiled
def _distinct(
    centres: Float64, weights: Float64, width: float, doubt: float
) -> tuple[Float64, bool]:  # pragma: no cover - compiled
    """The centres that are left when those within the width of a fuller (or equally full and higher) one are gone."""
    order = np.argsort(weights * 4.0 + centres)[::-1]
    kept, unsure = np.empty(len(order)), False
    count = 0
    for i in order:
        alone = True
        for c in range(count):
            gap = abs(centres[i] - kept[c])
            unsure |= abs(gap - width) <= doubt
            alone &= gap > width
        if alone:
            kept[count] = centres[i]
            count += 1
    return np.sort(kept[:count]), unsure
