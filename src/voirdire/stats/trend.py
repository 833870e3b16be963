"""Page's test for ordered alternatives: do k conditions rise (or fall) in the order that was predicted?

    L = Σ_j j · R_j                  R_j: sum over the m rows of the rank of condition j within its row
    z = (L − E) / √V                 E = m k (k + 1)² / 4
                                     V = (k (k + 1) / 12) · Σ_rows Σ_j (r_j − (k + 1)/2)²
    p = 1 − Φ(z)

Ties share their mean rank, and V is taken from the ranks that are there, so ties do not make the test timid; without
ties V = m k² (k + 1)(k² − 1) / 144 as printed in the books. Where there are few rows and no ties p is exact. The tail
of the normal keeps its relative precision down to 1e-300. Where every row is constant, or there is no row, nothing can
be tested: p is None. (Page 1963.)
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

__all__ = ["Direction", "Trend", "page_trend"]

Direction = Literal["rising", "falling"]

# The exact distribution is worth its time up to here; beyond, the normal is as good.
EXACT_ROWS = 12
EXACT_CONDITIONS = 8


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
            f"scores: shape {table.shape}; a table (rows, conditions) with two conditions or more is needed"
        )
    if not np.isfinite(table).all():
        row, condition = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"scores: row {row}, condition {condition} (counted from 0) is {table[row, condition]}")
    if direction not in get_args(Direction):
        raise ValueError(f"direction: {direction!r}; may be one of {', '.join(get_args(Direction))}")
    from scipy.special import ndtr
    from scipy.stats import page_trend_test, rankdata

    rows, k = table.shape
    ranks = rankdata(table if direction == "rising" else -table, axis=1) if rows else table
    statistic = float(ranks.sum(axis=0) @ np.arange(1, k + 1))
    squares = float(((ranks - (k + 1) / 2) ** 2).sum())
    if squares == 0:
        return Trend(statistic, None, None, exact=False)
    z = (statistic - rows * k * (k + 1) ** 2 / 4) / float(np.sqrt(k * (k + 1) / 12 * squares))
    untied = bool((np.diff(np.sort(table, axis=1), axis=1) > 0).all())
    # One row is left to the formula of permutations too, but the library asks for two.
    if untied and 2 <= rows <= EXACT_ROWS and 3 <= k <= EXACT_CONDITIONS:
        exact = page_trend_test(ranks, ranked=True, method="exact")
        return Trend(statistic, z, float(exact.pvalue), exact=True)
    return Trend(statistic, z, float(ndtr(-z)), exact=False)
