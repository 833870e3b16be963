"""The frame of every metric: one statistic per item, then an aggregate of the statistics.

    measure = aggregate( statistic(columns of the items) )

The statistic's parameters are named as the columns of the items that it reads, or `of` names them; `identity` reads the
column that has the measure's own name. Intervals, tests and slices are made from the statistics; no metric makes its
own. An item where one of the columns is missing (masked) is left out of the measure.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.metrics.key import Key
from voirdire.stats.aggregate import Aggregate, FloatArray, mean, of_means, of_sums, ratio, std

__all__ = ["Better", "Key", "Measure", "identity", "mean", "of_means", "of_sums", "ratio", "std"]

Better = Literal["higher", "lower", "neither"]


def identity(value: npt.ArrayLike) -> FloatArray:
    """The statistic of a column that is one already."""
    return np.asarray(value, dtype=np.float64)


def _no_statistic(*_: npt.ArrayLike) -> FloatArray:
    raise TypeError("this figure is not made item by item")


@dataclass(frozen=True)
class Measure:
    """What is measured, with its label, unit, direction, description and citation; not who computes it.

    key          its name; the same in tables, JSON, files and on the command line: `recall@5`
    statistic    from whole columns of the items to one number per item (or the row of numbers that the aggregate takes)
    aggregate    from statistics to the figure
    better       which way is better: "higher", "lower", or "neither"
    unit         "" for shares and plain numbers, "%" for per cent, "points" for a difference of two such, "p" for a
                 probability of chance
    of           the columns that the statistic takes, in order
    where        (column, value): only the items that hold this value there
    label        its name for readers: "CIDEr-4", "mean rank"
    description  one line for a reader
    citation     where it was defined: a key of the bibliography, then the place there: "dense-visdial, §3.1"
    leads        its place, from 1, among the measures that a page shows where there is no room for all; 0 for none
    share        whether it is a share, which a page shows in percent; runs and JSON have it between 0 and 1
    """

    key: Key
    statistic: Callable[..., FloatArray]
    aggregate: Aggregate
    better: Better
    unit: str = ""
    of: tuple[str, ...] = ()
    where: tuple[str, Any] | None = None
    label: str = ""
    description: str = ""
    citation: str = ""
    leads: int = 0
    share: bool = False

    def __post_init__(self) -> None:
        if self.better not in get_args(Better):
            raise ValueError(f"`better` must be one of {', '.join(get_args(Better))}, got {self.better!r}")
        if not self.of:
            own = self.statistic is identity
            of = (str(self.key),) if own else tuple(inspect.signature(self.statistic).parameters)
            object.__setattr__(self, "of", of)
        if not self.label:
            object.__setattr__(self, "label", self.key.measure.replace("_", " "))

    @classmethod
    def averaged(cls, key: str | Key, better: Better, unit: str = "", **about: Any) -> "Measure":
        """The mean of a column: the one with the measure's own name, unless `of` names another."""
        return cls(Key(key) if isinstance(key, str) else key, identity, mean, better, unit, **about)

    @classmethod
    def figure(cls, name: str, better: Better, unit: str = "", **about: Any) -> "Measure":
        """A figure that is not made item by item, such as a p-value or an agreement: described, never estimated."""
        return cls(Key(name), _no_statistic, mean, better, unit, **about)

    @property
    def name(self) -> str:
        """The key as a text."""
        return str(self.key)

    @property
    def scale(self) -> float:
        """The factor of its figures on a page."""
        return 100.0 if self.share else 1.0

    @property
    def display_unit(self) -> str:
        """Its unit on a page."""
        return "%" if self.share else self.unit

    @property
    def work(self) -> str:
        """The bibliography key of the work that defines it; empty where none is named."""
        return self.citation.partition(",")[0]

    def named(self, name: str, **changes: Any) -> "Measure":
        """Another measure that is made like this one: `last_referring`."""
        return replace(self, key=Key(name), **{"label": "", "leads": 0, **changes})

    def at(self, k: int, **changes: Any) -> "Measure":
        """The same measure at k: `cider4@5`."""
        return replace(self, key=self.key.at(k), **changes)

    def under(self, condition: str, **changes: Any) -> "Measure":
        """The same measure in a condition: `accuracy:partition1`."""
        return replace(self, key=self.key.under(condition), **changes)

    def variant(self, variant: str, **changes: Any) -> "Measure":
        """Another figure of the same measure: `cider4:best`."""
        return replace(self, key=self.key.as_variant(variant), **changes)

    def spread(self, ddof: int = 0) -> "Measure":
        """The standard deviation of the same statistics: `cider4:std`."""
        return self.variant("std", aggregate=std(ddof), better="neither")

    def slice(self, column: str, value: Any, *words: str) -> "Measure":
        """The same measure on the items whose `column` is `value`: `accuracy[yes/no]`; `words` name it otherwise."""
        return replace(self, key=self.key.on(*(words or (str(value),))), where=(column, value))

    def statistics(self, items: Mapping[str, npt.ArrayLike]) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        """The statistics of the items that this measure covers, and which of all items these are."""
        needed = (*self.of, self.where[0]) if self.where else self.of
        if missing := [column for column in needed if column not in items]:
            raise ValueError(
                f"`items` must have a column {missing[0]!r}, which measure {self.name} needs; got {sorted(items)}"
            )
        columns: list[Any] = [np.ma.asanyarray(items[column]) for column in needed]
        kept = ~np.logical_or.reduce([np.ma.getmaskarray(column) for column in columns])
        if self.where:
            kept &= np.ma.filled(columns.pop() == self.where[1], False)
        statistics = np.asarray(self.statistic(*(np.asarray(column)[kept] for column in columns)), dtype=np.float64)
        if statistics.shape[:1] != (int(kept.sum()),):
            raise ValueError(
                f"`statistic` of measure {self.name} must give one entry per item, {int(kept.sum())}, "
                f"got shape {statistics.shape}"
            )
        return statistics, kept
