"""The frame of every metric: one statistic an item, then an aggregate of the statistics.

    measure = aggregate( statistic(columns of the items) )

The statistic's parameters are named as the columns of the items that it reads (or `of` names them, where a column has
a name like `cider4@5`). Intervals, tests and slices are made from the statistics; no metric makes its own.
An item where one of the columns is missing (masked) is no case for the measure and is left out of it.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import Aggregate, FloatArray, mean, of_means, of_sums, ratio, std

__all__ = ["Better", "Measure", "identity", "mean", "of_means", "of_sums", "ratio", "std"]

Better = Literal["higher", "lower", "neither"]


def identity(value: npt.ArrayLike) -> FloatArray:
    """The statistic of a column that is one already."""
    return np.asarray(value, dtype=np.float64)


@dataclass(frozen=True)
class Measure:
    """What is measured, apart from who computes it.

    name         the same in tables, JSON, files and on the command line: "recall@5"
    statistic    from whole columns of the items to one number an item (or the row of numbers that the aggregate takes)
    aggregate    from statistics to the figure
    better       which way is better: "higher", "lower", or "neither"
    unit         "" for shares and plain numbers, "%" for per cent
    of           the columns that the statistic takes, in order; its parameters' names if not given
    where        (column, value): only the items that hold this value there
    description  one line for a reader
    citation     where it was defined
    """

    name: str
    statistic: Callable[..., FloatArray]
    aggregate: Aggregate
    better: Better
    unit: str = ""
    of: tuple[str, ...] = ()
    where: tuple[str, Any] | None = None
    description: str = ""
    citation: str = ""

    def __post_init__(self) -> None:
        if self.better not in get_args(Better):
            raise ValueError(f"better: {self.better!r}; may be one of {', '.join(get_args(Better))}")
        if not self.of:
            object.__setattr__(self, "of", tuple(inspect.signature(self.statistic).parameters))

    def variant(self, suffix: str, **changes: Any) -> "Measure":
        """The same measure as a spread or at a k: `variant(":std", aggregate=std())`, `variant("@5", of=("at_5",))`."""
        return replace(self, name=self.name + suffix, **changes)

    def slice(self, column: str, value: Any) -> "Measure":
        """The same measure on the items whose `column` holds `value`: `accuracy[yes/no]`."""
        return replace(self, name=f"{self.name}[{value}]", where=(column, value))

    def statistics(self, items: Mapping[str, npt.ArrayLike]) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        """The statistics of the items that are a case for this measure, and which of all items these are."""
        needed = (*self.of, self.where[0]) if self.where else self.of
        if missing := [column for column in needed if column not in items]:
            raise ValueError(
                f"items: no column {missing[0]!r}, which measure {self.name} needs; there are {sorted(items)}"
            )
        columns: list[Any] = [np.ma.asanyarray(items[column]) for column in needed]
        kept = ~np.logical_or.reduce([np.ma.getmaskarray(column) for column in columns])
        if self.where:
            kept &= np.ma.filled(columns.pop() == self.where[1], False)
        statistics = np.asarray(self.statistic(*(np.asarray(column)[kept] for column in columns)), dtype=np.float64)
        if statistics.shape[:1] != (int(kept.sum()),):
            raise ValueError(
                f"statistic: measure {self.name} made shape {statistics.shape} from {int(kept.sum())} items; "
                "one entry an item is needed"
            )
        return statistics, kept
