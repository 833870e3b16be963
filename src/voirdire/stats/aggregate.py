"""From per-item statistics to one figure, through sums: value = f(Σ_i c(s_i)).

An aggregate turns each item's statistic s_i into columns c(s_i) that only ever need to be added up. Drawing items
again, swapping them between two systems or leaving one out changes the sums, never the work per item. Statistics are
checked, turned into columns and added up within clusters once (`columns`, `numbered`, `cluster_sums`): that is all that
resampling needs. A figure that the sums do not define (a mean of nothing) is NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """How items become one figure.

    name     what it is, in messages
    width    how many numbers an item's statistic has; statistics are (items,) for 1 and (items, width) else
    columns  from statistics (items, width) to the columns that are added up (items, K)
    value    from sums (…, K) to figures (…)
    """

    name: str
    width: int
    columns: Callable[[FloatArray], FloatArray]
    value: Callable[[FloatArray], FloatArray]

    def of(self, sums: FloatArray) -> FloatArray:
        """The figures of many sums at once, NaN where undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.value(sums), dtype=np.float64)


def of_sums(function: Callable[..., FloatArray], width: int, name: str = "function of sums") -> Aggregate:
    """value = f(Σ s_1, …, Σ s_width); `function` is vectorised and takes one array per sum."""
    return Aggregate(name, width, lambda statistics: statistics, lambda sums: function(*np.moveaxis(sums, -1, 0)))


def of_means(function: Callable[..., FloatArray], width: int, name: str = "function of means") -> Aggregate:
    """value = f(mean s_1, …, mean s_width); `function` is vectorised and takes one array per mean."""

    def value(sums: FloatArray) -> FloatArray:
        return function(*np.moveaxis(sums[..., :-1] / sums[..., -1:], -1, 0))

    return Aggregate(name, width, lambda statistics: np.column_stack([statistics, np.ones(len(statistics))]), value)


mean = of_means(lambda first: first, 1, "mean")
"""Σ s / n"""

ratio = of_sums(lambda numerator, denominator: numerator / denominator, 2, "ratio of sums")
"""Σ numerator / Σ denominator"""


def std(ddof: int = 0) -> Aggregate:
    """value = √( (Σ s² − (Σ s)²/n) / (n − ddof) ), taken around the items' mean, so that little is lost to rounding."""

    def columns(statistics: FloatArray) -> FloatArray:
        centred = statistics - statistics.mean(axis=0) if len(statistics) else statistics
        return np.column_stack([centred, centred**2, np.ones(len(centred))])

    def value(sums: FloatArray) -> FloatArray:
        total, squares, count = np.moveaxis(sums, -1, 0)
        spread = np.maximum(squares - total**2 / count, 0.0)
        return np.sqrt(np.where(count > ddof, spread / (count - ddof), np.nan))

    return Aggregate(f"standard deviation (ddof {ddof})", 1, columns, value)


def columns(statistics: npt.ArrayLike, aggregate: Aggregate) -> FloatArray:
    """The columns (items, K) of finite statistics; NaN and infinity are refused with the item that has them."""
    array = np.asarray(statistics, dtype=np.float64)
    if array.ndim == 1 and aggregate.width == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != aggregate.width:
        wanted = "(items,)" if aggregate.width == 1 else f"(items, {aggregate.width})"
        raise ValueError(f"`statistics` of a {aggregate.name} must be of shape {wanted}, got {np.shape(statistics)}")
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise ValueError(
            f"`statistics` must be finite numbers, got {array[bad].tolist()} for item {bad} (counted from 0), "
            f"one of {int((~finite).sum()):,} that are not finite"
        )
    return aggregate.columns(array)


def numbered(clusters: npt.ArrayLike | None, items: int) -> tuple[npt.NDArray[np.intp], int]:
    """The number of each item's cluster, and how many clusters there are; without clusters every item is its own.

    Clusters are numbered in the order of their ids, so the order of the items makes no difference.
    """
    if clusters is None:
        return np.arange(items), items
    ids = np.asarray(clusters)
    if ids.shape != (items,):
        raise ValueError(f"`clusters` must have one id per item, so the shape ({items},), got {ids.shape}")
    if ids.dtype.kind == "f" and not np.isfinite(ids).all():
        raise ValueError("`clusters` must be the ids of the items' clusters, got a number that is not finite")
    names, numbers = np.unique(ids, return_inverse=True)
    return numbers.reshape(-1), len(names)


def cluster_sums(table: FloatArray, clusters: npt.NDArray[np.intp], count: int) -> FloatArray:
    """Columns (items, K) added up within each cluster: (K, clusters)."""
    sums = [np.bincount(clusters, weights=column, minlength=count) for column in table.T]
    return np.array(sums, dtype=np.float64).reshape(table.shape[1], count)
