"""The columns of A as the solver sees them, wherever they are, and their products with vectors.

The columns are in the solver's own memory, or split into parts that are elsewhere. Whoever solves knows the *space* of
the columns (a few numbers per column, the rotation and the main range), and asks for two things, for many problems at
once:

    see    the product of all columns with each problem's residual, of which only what the problem needs comes back:
           the columns of the largest correlations, how many are beyond a bound, and the certificate's maximum
    take   the columns of working sets

Two implementations: `Dictionary`, where nothing is copied, and `SplitColumns`, which sends messages. Both give the same
bits: products are split into blocks of `BLOCK` columns, parts begin where blocks do, and the answers of the parts are
put together exactly as they would be found in the whole.

The product of all columns, for the screening, is taken in single precision, `BLOCK` columns at a time with all problems
of a batch. The shape of a product and the place in it decide the last bits, so both are part of the definition: they
depend on the batch, never on the number of threads. Of these correlations with the residuals of many problems at once,
the largest make a working set.

The rows of a working set stay where they are, in single precision, and every number is made double as it is read. A
float32 is a double exactly, so nothing is lost, and the rows take half the way from memory, which is what costs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

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
Each = Callable[[Callable[[Any], None], Iterable[Any]], None]
"""Runs a function over tasks, in any order and in as many threads as it likes."""


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
    turned, correlated = vectors.astype(np.float32).T, out[: len(vectors)]

    def product(start: int) -> None:
        # Long side first: BLAS is faster by a seventh so, and the block is turned while it is in the cache.
        correlated[:, start : start + BLOCK] = (single[start : start + BLOCK] @ turned).T

    each(product, range(0, len(single), BLOCK))
    return correlated


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


class Check(NamedTuple):
    """What tells whether a dual point y is feasible; see `certificate`.

    y        in the space of the rows, and `size` its length
    penalty  λ
    scale    what y was divided by for the product in single precision
    bound    how far that product may be off, as a share of ‖a‖; `double` the same for double precision, as a share of
             ‖a‖ ‖y‖
    turned   what the rotation may have lost, as a share of ‖a‖
    rest     the length of the part of y outside of the main range
    tiny     what underflows may add
    """

    y: Float64
    size: float
    penalty: float
    scale: float
    bound: float
    double: float
    turned: float
    rest: float
    tiny: float


class ColumnAsk(NamedTuple):
    """What one problem wants to know of all columns.

    vector    in the space of the rows; the product is taken in single precision
    left_out  columns that the problem does not have
    most      how many columns of the largest |product| it may ask for
    beyond    the bound of |product| above which columns are counted
    check     a dual point whose feasibility is asked for; None where it is not
    """

    vector: Float64
    left_out: Int64
    most: int
    beyond: float
    check: Check | None


class ColumnAnswer(Protocol):
    """The answer to a `ColumnAsk`."""

    def largest(self, most: int) -> Int64:
        """About the `most` columns of the largest |product|, none of them 0, in order; no more than were asked for."""
        ...

    def beyond(self) -> int:
        """How many columns are beyond the bound."""
        ...

    def highest(self) -> tuple[float, float]:
        """Bounds of max |a·y|, with and without what a rotation lost; 0 where all columns are feasible for sure."""
        ...


class Screening(Protocol):
    """A batch of problems and all columns."""

    def see(self, asks: Sequence[ColumnAsk]) -> Sequence[ColumnAnswer]:
        """One answer per problem. Answers are valid until the next call."""
        ...

    def take(self, places: Sequence[Int64]) -> Iterator[list[WorkingSet]]:
        """One working set per entry, of these columns, in order, as many at a time as fit into memory."""
        ...

    def original(self, places: Int64) -> Float32:
        """Columns as they came; those of the working sets that are cached cost nothing, where nothing was rotated."""
        ...


@dataclass(frozen=True, eq=False)
class LassoColumns(ABC):
    """Distinct columns of A, one per row.

    norms    float64[n], lengths of the rows
    group    int64[columns that came], the row of each column, −1 for a column of zeros
    twins    int64[n], how many columns each row stands for
    basis    float64[d, r], the rotation; None where there is none
    main     float64[r, q], the main range; None where it is the whole space
    length   d, the length of a target
    """

    norms: Float64
    group: Int64
    twins: Int64
    basis: Float64 | None
    main: Float64 | None
    length: int

    @property
    def count(self) -> int:
        """n, how many different columns there are."""
        return len(self.norms)

    @property
    def width(self) -> int:
        """r, the length of a row."""
        return self.length if self.basis is None else int(self.basis.shape[1])

    @property
    def rank(self) -> int:
        """How many columns can be active at once."""
        return self.width if self.main is None else int(self.main.shape[1])

    def into(self, targets: Float64) -> tuple[Float64, Float64]:
        """Targets in the space of the rows, and ½‖·‖² of what lies outside of the range, one per target."""
        if self.basis is None:
            return targets, np.zeros(len(targets))
        inside = np.stack([target @ self.basis for target in targets]) if len(targets) else targets[:, :0]
        outside = np.array([t - self.basis @ i for t, i in zip(targets, inside, strict=True)])
        return inside, 0.5 * np.square(outside).reshape(len(targets), -1).sum(axis=1)

    def visible(self, vector: Float64) -> tuple[Float64, float]:
        """The part of a vector inside the main range, and the length of the rest."""
        if self.main is None:
            return vector, 0.0
        inside = self.main @ (vector @ self.main)
        return inside, float(np.linalg.norm(vector - inside))

    @abstractmethod
    def screening(self, most: int, each: Each) -> Screening:
        """Whom to ask, for at most so many problems at once."""
