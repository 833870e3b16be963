"""Products with the rows of a working set, which stay in single precision: every number is made double as it is read.

A float32 is a double exactly, so nothing is lost, and the rows take half the way from memory, which is what costs.
"""

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.fast import fast

__all__ = ["correlate", "inner", "times"]

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]


@fast
def inner(first: Rows, second: Rows) -> float:  # pragma: no cover - compiled
    """a · b in double."""
    total = 0.0
    for i in range(len(first)):
        total += np.float64(first[i]) * np.float64(second[i])
    return total


@fast
def correlate(rows: Rows, places: Int64, count: int, vector: Float64, out: Float64) -> None:  # pragma: no cover
    """out[i] = rows[places[i]] · vector for i < count."""
    for i in range(count):
        out[i] = inner(rows[places[i]], vector)


@fast
def times(rows: Rows, places: Int64, count: int, weights: Float64, out: Float64) -> None:  # pragma: no cover
    """out = Σ_i weights[i] · rows[places[i]], four rows at a time."""
    out[:] = 0.0
    whole = count - count % 4
    for i in range(0, whole, 4):
        a, b, c, d = rows[places[i]], rows[places[i + 1]], rows[places[i + 2]], rows[places[i + 3]]
        p, q, r, s = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for j in range(len(out)):
            out[j] += p * a[j] + q * b[j] + r * c[j] + s * d[j]
    for i in range(whole, count):
        a, p = rows[places[i]], weights[i]
        for j in range(len(out)):
            out[j] += p * a[j]
