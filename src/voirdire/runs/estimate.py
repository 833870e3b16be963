"""From items and measures to figures with intervals, all from one set of resamples.

Every measure turns its items into columns that are added up within clusters; the clusters are then drawn once, and each
measure takes its figures from the same draws. So a measure's interval does not depend on which others are computed.
A measure without a case has value None. It has no interval where fewer than two clusters have a case of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.stats.aggregate import FloatArray, cluster_sums, columns, numbered
from voirdire.stats.bootstrap import LEVEL, RESAMPLES, Interval, Method, Seed, drawn_sums, interval

Columns = Mapping[str, npt.ArrayLike]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure's figure, both ends of its interval, and the number of its items; each None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int | None

    @classmethod
    def within(cls, value: float | None, bounds: Interval | None, n: int | None) -> "Estimate":
        """A figure with its interval, where it has one."""
        if bounds is None or value is None:
            return cls(value, None, None, n)
        return cls(value, bounds.low, bounds.high, n)


NOTHING = Estimate(None, None, None, None)
"""The figure of a measure that a run does not have."""

D = TypeVar("D")


class Measures(Mapping[Key, Estimate]):
    """Figures by their keys, in the exam's order; a key may also be given as text: `measures["cider4@5"]`."""

    def __init__(self, figures: Mapping[Key, Estimate] | None = None) -> None:
        self._figures = dict(figures or {})

    def __getitem__(self, key: Key | str) -> Estimate:
        return self._figures[_key(key)]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, Key | str) and _key(key) in self._figures

    def get(self, key: Key | str, default: D | None = None) -> Estimate | D | None:  # type: ignore[override]
        """The figure, or `default` where there is none."""
        return self._figures.get(_key(key), default)

    def figure(self, key: Key | str) -> Estimate:
        """The figure, or one without a value where there is none."""
        return self._figures.get(_key(key), NOTHING)

    def of(self, measure: str) -> dict[Key, Estimate]:
        """All figures of one measure, whatever their k, slice, condition and variant."""
        return {key: figure for key, figure in self._figures.items() if key.measure == measure}

    def __or__(self, other: Mapping[Key, Estimate]) -> "Measures":
        return Measures({**self._figures, **other})

    def __repr__(self) -> str:
        return f"Measures({{{', '.join(f'{str(key)!r}: {figure.value}' for key, figure in self._figures.items())}}})"


def _key(key: Key | str) -> Key:
    return Key.parse(key) if isinstance(key, str) else key


class ItemColumns(Mapping[str, Any]):
    """The items' columns as arrays, each made when it is first used: texts that no measure uses are never copied.

    Where a cell is null the array is masked, so that null and NaN stay apart.
    """

    def __init__(self, items: "pl.DataFrame") -> None:
        self._items = items
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in self._items.columns:
                raise KeyError(name)
            self._made[name] = _array(self._items[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items.columns)

    def __len__(self) -> int:
        return self._items.width


def _array(series: "pl.Series") -> Any:
    if series.null_count() == len(series):
        return np.ma.masked_array(np.zeros(len(series)), mask=True)
    if series.null_count():
        filled = series.fill_null(series.drop_nulls()[0])
        return np.ma.masked_array(filled.to_numpy(), series.is_null().to_numpy())
    return series.to_numpy()


def estimate(
    items: "Columns | pl.DataFrame",
    measures: Sequence[Measure],
    *,
    seed: Seed,
    clusters: str | npt.ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "percentile",
) -> Measures:
    """Each measure's figure with its interval; `clusters` names the column (or is the array) of the items' clusters."""
    keys = [measure.key for measure in measures]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"`measures` must each be there once, got {str(twice)!r} twice")
    table, rows = _table(items)
    numbers, count = numbered(_ids(table, clusters), rows)

    pool = _Pool()
    cases = [_Case(measure, table, numbers, count, pool) for measure in measures]
    drawn = drawn_sums(np.array(pool.columns), seed, resamples) if pool.columns and count > 1 else None
    return Measures({case.measure.key: case.estimate(pool, drawn, level, method) for case in cases})


def _table(items: "Columns | pl.DataFrame") -> tuple[Columns, int]:
    """The items as columns, and how many there are."""
    if not isinstance(items, Mapping):
        return ItemColumns(items), items.height
    lengths = {name: len(np.ma.asanyarray(column)) for name, column in items.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"items: columns of different lengths, {lengths}")
    return items, next(iter(lengths.values()), 0)


def _ids(table: Columns, clusters: str | npt.ArrayLike | None) -> npt.ArrayLike | None:
    if not isinstance(clusters, str):
        return clusters
    if clusters not in table:
        raise ValueError(f"clusters: the items have no column {clusters!r}; there are {sorted(table)}")
    ids = table[clusters]
    if np.ma.getmaskarray(np.ma.asanyarray(ids)).any():
        raise ValueError(f"clusters: column {clusters!r} has missing cells; every item needs the id of its cluster")
    return ids


class _Pool:
    """Cluster sums of all measures, each different column once."""

    def __init__(self) -> None:
        self.columns: list[FloatArray] = []
        self._places: dict[bytes, int] = {}

    def place(self, column: FloatArray) -> int:
        """Where `column` stands in the pool."""
        place = self._places.setdefault(column.tobytes(), len(self.columns))
        if place == len(self.columns):
            self.columns.append(column)
        return place


class _Case:
    """One measure on its items."""

    def __init__(
        self, measure: Measure, table: Columns, numbers: npt.NDArray[np.intp], count: int, pool: _Pool
    ) -> None:
        self.measure = measure
        statistics, kept = measure.statistics(table)
        try:
            statistic_columns = columns(statistics, measure.aggregate)
        except ValueError as error:
            raise ValueError(f"measure {measure.name}: {error}") from None
        self.n = len(statistic_columns)
        self.clusters = len(np.unique(numbers[kept]))
        self.places = [pool.place(column) for column in cluster_sums(statistic_columns, numbers[kept], count)]

    def estimate(self, pool: _Pool, drawn: FloatArray | None, level: float, method: Method) -> Estimate:
        """The figure, and its interval where there is one."""
        sums = np.array([pool.columns[place] for place in self.places])
        figure = float(self.measure.aggregate.of(sums.sum(axis=1))) if self.n else np.nan
        value = figure if np.isfinite(figure) else None
        bounds = None
        if value is not None and drawn is not None and self.clusters > 1:
            bounds = interval(self.measure.aggregate, sums, drawn[:, self.places], level, method)
        return Estimate(value, bounds.low if bounds else None, bounds.high if bounds else None, self.n)
