"""The columns of A as the solver sees them, wherever they are: in its own memory, or cut into parts that are elsewhere.

Whoever solves knows the *space* of the columns (a few numbers per column, the rotation and the main range), and asks
for two things, for many problems at once:

    see    the product of all columns with each problem's residual, of which only what the problem needs comes back:
           the columns of the largest correlations, how many are beyond a bound, and the certificate's maximum
    take   the columns of working sets

Two implementations: `Dictionary`, where nothing is copied, and `CutColumns`, which sends messages. Both give the same
bits: products are cut into blocks of `BLOCK` columns, parts begin where blocks do, and what the parts answer is put
together exactly as it would be found in the whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from voirdire.robustness.lasso.products import Float32, Float64, Int64, WorkingSet

Each = Callable[[Callable[[Any], None], Iterable[Any]], None]
"""Runs a function over tasks, in any order and in as many threads as it likes."""


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
        """One answer per problem. Answers hold until the next call."""
        ...

    def take(self, places: Sequence[Int64]) -> Iterator[list[WorkingSet]]:
        """One working set per entry, of these columns, in order, as many at a time as fit into memory."""
        ...

    def original(self, places: Int64) -> Float32:
        """Columns as they came; those of the working sets that are at hand cost nothing, where nothing was rotated."""
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
