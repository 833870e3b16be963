"""Products of columns with vectors.

All columns, for the screening: the product is taken in single precision, tile by tile: `TILE` problems (the last tile
filled up with zeros) with `BLOCK` columns. The shape of a tile and the place in it decide the last bits, so both are
part of the definition: they depend on the batch, never on the number of threads. Of these correlations with the
residuals of many problems at once, the largest make a working set.

The rows of a working set stay in single precision, and every number is made double as it is read. A float32 is a double
exactly, so nothing is lost, and the rows take half the way from memory, which is what costs.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.stats.compiled import fast

__all__ = ["TILE", "Rows", "beyond", "correlate", "correlations", "inner", "largest", "room_for", "times"]

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Rows = Float32 | Float64

TILE = 64
BLOCK = 2048
# One entry in so many is looked at to guess how many exceed a bound.
SAMPLE = 8


def room_for(single: Float32, most: int) -> Float32:
    """Where the correlations of up to `most` vectors go, to be used again: new memory costs as much as a product."""
    return np.empty((_filled(most), len(single)), np.float32)


def correlations(
    single: Float32, vectors: Float64, each: Callable[[Callable[[Any], None], Iterable[Any]], None], out: Float32
) -> Float32:
    """float32[m, n]: every row of `single` with every vector, in the first rows of `out`.

    each  runs a function over tasks, in any order and in as many threads as it likes
    """
    filled = _filled(len(vectors))
    padded = np.zeros((filled, single.shape[1]), np.float32)
    padded[: len(vectors)] = vectors

    def product(task: tuple[int, int]) -> None:
        tile, block = slice(task[0], task[0] + TILE), slice(task[1], task[1] + BLOCK)
        np.matmul(padded[tile], single[block].T, out=out[tile, block])

    each(product, [(i, j) for j in range(0, len(single), BLOCK) for i in range(0, filled, TILE)])
    return out[: len(vectors)]


def _filled(count: int) -> int:
    return -(-count // TILE) * TILE


def largest(values: Float32, floor: float, most: int) -> Int64:
    """Places of the entries of absolute value above `floor`, about the `most` largest of them, in order.

    The bound for `most` is guessed from a sample, so a few more or fewer may come.
    """
    if len(values) > most:
        sample = np.abs(values[::SAMPLE])
        above = most // SAMPLE
        if above < len(sample):
            floor = max(floor, float(np.partition(sample, len(sample) - above - 1)[len(sample) - above - 1]))
    places: Int64 = _above(values, np.float32(floor))
    return places


@fast
def beyond(values: Float32, bound: float) -> int:  # pragma: no cover - compiled
    """How many entries have an absolute value above `bound`."""
    count = 0
    for i in range(len(values)):
        count += abs(values[i]) > bound
    return count


@fast
def _above(values: Float32, floor: float) -> Int64:  # pragma: no cover - compiled
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
