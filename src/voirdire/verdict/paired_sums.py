"""Sums of two runs' statistics over their shared units, resampled once for all measures together.

The columns of a measure are added up by cluster, in both runs; columns that several measures share are kept once. The
clusters are then drawn, and swapped, once, and each measure takes its interval and its p from the same resamples. Drawn
for a measure are the clusters with a case of it: for a slice of one kind of question, the images that have such a
question. So a measure's figures do not depend on which others are compared.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Measure
from voirdire.stats.aggregate import Aggregate, FloatArray, cluster_sums, columns
from voirdire.stats.bootstrap import Interval, drawn_sums, interval, swapped_sums
from voirdire.stats.paired import difference_of, permutation_p
from voirdire.verdict.pairing import PairedRows, Pairing

ALIKE = 1e-12
"""Figures of a unit that differ by at most this share of them, or by at most this, are alike: that is rounding."""


@dataclass(frozen=True, eq=False)
class PairedResult:
    """One measure's figures of both runs, their difference (second − first), intervals of all three, and p."""

    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    p: float | None
    of_first: Interval | None = None
    of_second: Interval | None = None


@dataclass(frozen=True, eq=False)
class PairedMeasure:
    """One measure of two runs.

    test      what is tested: measures with the same columns and the same aggregate are one test under several names
    clusters  which clusters have a case of either run
    units     how many units are a case in either run
    both      the numbers of the units that have a figure in both runs; first, second: these figures
    """

    measure: Measure
    test: tuple[int, ...]
    clusters: npt.NDArray[np.bool_]
    units: int
    both: npt.NDArray[np.intp]
    first: FloatArray
    second: FloatArray

    def wins(self) -> tuple[int, int, int] | None:
        """In how many units the second run is better, alike and worse; None where no unit has a figure in both."""
        if not len(self.both):
            return None
        gain = self.second - self.first
        if self.measure.better == "lower":
            gain = -gain
        alike = np.abs(gain) <= ALIKE * np.maximum(1.0, np.abs(self.first))
        ties = int(alike.sum())
        wins = int(((gain > 0) & ~alike).sum())
        return wins, ties, len(gain) - wins - ties

    def changed(self, most: int) -> list[tuple[int, float, float]]:
        """The units that changed most: number, and both figures; units that changed alike come in their order."""
        change = np.abs(self.second - self.first)
        order = np.argsort(-change, kind="stable")[:most]
        return [
            (int(self.both[place]), float(self.first[place]), float(self.second[place]))
            for place in order.tolist()
            if change[place] > ALIKE * max(1.0, abs(self.first[place]))
        ]


class PairedSums:
    """The sums of two runs' measures over their shared units."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self._first: list[FloatArray] = []
        self._second: list[FloatArray] = []
        self._places: dict[bytes, int] = {}

    def add(self, measure: Measure, sides: tuple[PairedRows, PairedRows]) -> PairedMeasure:
        """Add a measure's columns up, by unit and by cluster, in both runs."""
        units, count, aggregate = len(self._pairing), self._pairing.count, measure.aggregate
        statistics = [measure.statistics(side.columns) for side in sides]
        # Together, since an aggregate may centre its columns on the mean of all that it is given.
        table = columns(np.concatenate([rows for rows, _ in statistics]), aggregate)
        halves = table[: len(statistics[0][0])], table[len(statistics[0][0]) :]
        places = [side.units[kept] for side, (_, kept) in zip(sides, statistics, strict=True)]
        by_cluster = [
            cluster_sums(half, self._pairing.clusters[at], count) for half, at in zip(halves, places, strict=True)
        ]
        by_unit = [cluster_sums(half, at, units) for half, at in zip(halves, places, strict=True)]
        cases = [np.bincount(at, minlength=units) > 0 for at in places]
        first, second = (aggregate.of(sums.T) for sums in by_unit)
        both = np.flatnonzero(cases[0] & cases[1] & np.isfinite(first) & np.isfinite(second))
        either = cases[0] | cases[1]
        clusters = np.zeros(count, dtype=np.bool_)
        clusters[self._pairing.clusters[either]] = True
        test = (id(aggregate), *(self._place(*pair) for pair in zip(*by_cluster, strict=True)))
        return PairedMeasure(measure, test, clusters, int(either.sum()), both, first[both], second[both])

    def _place(self, first: FloatArray, second: FloatArray) -> int:
        place = self._places.setdefault(first.tobytes() + second.tobytes(), len(self._first))
        if place == len(self._first):
            self._first.append(first)
            self._second.append(second)
        return place

    def results(
        self, measures: list[PairedMeasure], seed: int, resamples: int, progress: Callable[[int], None]
    ) -> list[PairedResult]:
        """Draw and swap the clusters: each measure's figures, their difference, intervals and p.

        progress  called with how many of the measures are done
        """
        groups: dict[bytes, list[int]] = {}
        for number, measure in enumerate(measures):
            groups.setdefault(measure.clusters.tobytes(), []).append(number)
        results: dict[int, PairedResult] = {}
        for numbers in groups.values():
            group = [measures[number] for number in numbers]
            results |= zip(numbers, self._resample(group, seed, resamples), strict=True)
            progress(len(results))
        return [results[number] for number in range(len(measures))]

    def _resample(self, measures: list[PairedMeasure], seed: int, resamples: int) -> list[PairedResult]:
        """The results of measures with cases in the same clusters."""
        clusters = measures[0].clusters
        places = sorted({place for measure in measures for place in measure.test[1:]})
        at = {place: number for number, place in enumerate(places)}
        first, second = (np.array([sums[place] for place in places]) for sums in (self._first, self._second))
        draws = _Draws(first[:, clusters], second[:, clusters], seed, resamples) if clusters.sum() > 1 else None
        totals = first.sum(axis=1), second.sum(axis=1)
        return [
            _result(measure.measure.aggregate, [at[place] for place in measure.test[1:]], *totals, draws)
            for measure in measures
        ]


class _Draws:
    """Both runs' sums (K, clusters), and (resamples, K): over the same drawn clusters, and the second's after swaps."""

    def __init__(self, first: FloatArray, second: FloatArray, seed: int, resamples: int) -> None:
        self.sums = np.concatenate([second, first])
        self.swapped = swapped_sums(second, first, seed, resamples)
        # A column that is the same in both runs is drawn once.
        apart = (first != second).any(axis=1)
        drawn = drawn_sums(np.concatenate([first, second[apart]]), seed, resamples)
        self.drawn = np.concatenate([drawn[:, : len(first)]] * 2, axis=1)
        self.drawn[:, np.flatnonzero(apart)] = drawn[:, len(first) :]

    def columns(self, at: list[int]) -> list[int]:
        """The places of these columns of the second run, and then of the first, in `sums` and in `drawn`."""
        return [*at, *(place + len(self.sums) // 2 for place in at)]


def _result(
    aggregate: Aggregate, at: list[int], first: FloatArray, second: FloatArray, draws: _Draws | None
) -> PairedResult:
    """The result of a measure whose columns have these places among both runs' totals (K,)."""
    ours, theirs = second[at], first[at]
    figures = float(aggregate.of(theirs)), float(aggregate.of(ours))
    values = [figure if np.isfinite(figure) else None for figure in figures]
    if None in values:
        return PairedResult(values[0], values[1], None, None, None)
    difference = figures[1] - figures[0]
    if draws is None:
        return PairedResult(*figures, difference, None, None)
    both = draws.columns(at)
    of_difference = interval(difference_of(aggregate, len(at)), draws.sums[both], draws.drawn[:, both])
    p = permutation_p(aggregate, ours, theirs, draws.swapped[:, at])
    own = [interval(aggregate, draws.sums[half], draws.drawn[:, half]) for half in (both[len(at) :], both[: len(at)])]
    return PairedResult(*figures, difference, of_difference, p, *own)
