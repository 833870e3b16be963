"""Per-item statistics, checked, turned into columns and added up within clusters: all that resampling needs."""

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import Aggregate, FloatArray

__all__ = ["cluster_sums", "columns", "numbered"]


def columns(statistics: npt.ArrayLike, aggregate: Aggregate) -> FloatArray:
    """The columns (items, K) of finite statistics; NaN and infinity are refused with the item that has them."""
    array = np.asarray(statistics, dtype=np.float64)
    if array.ndim == 1 and aggregate.width == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != aggregate.width:
        wanted = "(items,)" if aggregate.width == 1 else f"(items, {aggregate.width})"
        raise ValueError(f"statistics: shape {np.shape(statistics)}; the {aggregate.name} takes {wanted}")
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise ValueError(
            f"statistics: item {bad} (counted from 0) is {array[bad].tolist()}, one of {int((~finite).sum()):,} "
            "that are not finite; only finite numbers can be aggregated"
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
        raise ValueError(f"clusters: shape {ids.shape}; one id an item is needed, so ({items},)")
    if ids.dtype.kind == "f" and not np.isfinite(ids).all():
        raise ValueError("clusters: an id is not a finite number; every item needs the id of its cluster")
    names, numbers = np.unique(ids, return_inverse=True)
    return numbers.reshape(-1), len(names)


def cluster_sums(table: FloatArray, clusters: npt.NDArray[np.intp], count: int) -> FloatArray:
    """Columns (items, K) added up within each cluster: (K, clusters)."""
    sums = [np.bincount(clusters, weights=column, minlength=count) for column in table.T]
    return np.array(sums, dtype=np.float64).reshape(table.shape[1], count)
