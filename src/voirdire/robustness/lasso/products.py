"""Products of columns with vectors.

All columns, for the screening: the product is taken in single precision, `BLOCK` columns at a time with all problems of
a batch. The shape of a product and the place in it decide the last bits, so both are part of the definition: they
depend on the batch, never on the number of threads. Of these correlations with the residuals of many problems at once,
the largest make a working set.

The rows of a working set stay where they are, in single precision, and every number is made double as it is read. A
float32 is a double exactly, so nothing is lost, and the rows take half the way from memory, which is what costs.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.stats.compiled import fast

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Rows = Float32 | Float64

BLOCK = 1024
# One entry in so many is looked at to guess how many exceed a bound.
SAMPLE = 8


class WorkingSet(NamedTuple):
    """Some rows of a dictionary, by their places, in order."""

    rows: Rows
    places: Int64

    def products(self, vector: Float64) -> Float64:
        """a_j · vector, one per row of the working set."""
        out = np.empty(len(self.places))
        correlate(self.rows, self.places, len(self.places), vector, out)
        return out


def correlations(
    single: Float32, vectors: Rows, each: Callable[[Callable[[Any], None], Iterable[Any]], None], out: Float32
) -> Float32:
    """float32[m, n]: every row of `single` with every vector, in the first rows of `out`.

    each  runs a function over tasks, in any order and in as many threads as it likes
    """
    turned, found = vectors.astype(np.float32).T, out[: len(vectors)]

    def product(start: int) -> None:
        # Long side first: BLAS is faster by a seventh so, and the block is turned while it is in the cache.
        found[:, start : start + BLOCK] = (single[start : start + BLOCK] @ turned).T

    each(product, range(0, len(single), BLOCK))
    return found


def largest(values: Float32, most: int) -> Int64:
    """Places of about the `most` entries of largest absolute value, none of them 0, in order.

    Their bound is guessed from a sample, so a few more or fewer may come.
    """
    places: Int64 = above(values, sample_bound(sample_of(values, most), most) if len(values) > most else np.float32(0))
    return places


def sample_of(values: Float32, most: int) -> Float32:
    """The largest absolute values of a sample: as many as decide the bound of the `most` largest, in any order."""
    sample: Float32 = np.abs(values[::SAMPLE])
    rest = len(sample) - (most // SAMPLE + 1)
    return np.partition(sample, rest)[rest:] if rest > 0 else sample


def sample_bound(sample: Float32, most: int) -> np.float32:
    """The bound that about `most` entries exceed, by the largest of their sample; 0 where the sample is too small."""
    rest = len(sample) - (most // SAMPLE + 1)
    return np.float32(np.partition(sample, rest)[rest] if rest >= 0 else 0.0)


@fast
def beyond(values: Float32, bound: float) -> int:  # pragma: no cover - compiled
    """How many entries have an absolute value above `bound`."""
    count = 0
    for i in range(len(values)):
        count += abs(values[i]) > bound
    return count


@fast
def above(values: Float32, floor: float) -> Int64:  # pragma: no cover - compiled
    """Places of the entries whose absolute value is above `floor`, in order."""
    count = 0
    for i in range(len(values)):
        count += abs(values[i]) > floor
    out = np.empty(count, np.int64)
    count = 0
    for i in range(len(values)):
        if abs(values[i]) > floor:
            out[count] = i
            count += 1
    return out


@fast
def inner(first: Rows, second: Rows) -> float:  # pragma: no cover - compiled
    """a · b in double."""
    total = 0.0
    for i in range(len(first)):
        total += np.float64(first[i]) * np.float64(second[i])
    return total


@fast
def correlate(rows: Rows, places: Int64, count: int, vector: Float64, out: Float64) -> None:  # pragma: no cover
    """out[i] = rows[places[i]] · vector for i < count, four rows at a time; rows may be longer than the vector."""
    whole = count - count % 4
    for i in range(0, whole, 4):
        a, b, c, d = rows[places[i]], rows[places[i + 1]], rows[places[i + 2]], rows[places[i + 3]]
        p = q = r = s = 0.0
        for j in range(len(vector)):
            p += a[j] * vector[j]
            q += b[j] * vector[j]
            r += c[j] * vector[j]
            s += d[j] * vector[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = p, q, r, s
    for i in range(whole, count):
        out[i] = inner(rows[places[i], : len(vector)], vector)
