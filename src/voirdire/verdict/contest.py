"""Two runs on their shared units: every measure's sums, drawn and swapped once for all measures together.

The columns of a measure are added up by cluster, in both runs; columns that several measures share are kept once. The
clusters are then drawn, and swapped, once, and each measure reads its interval and its p off the same resamples. What
is drawn for a measure are the clusters that hold a case of it: a slice of one kind of question draws the images that
have such a question. So a measure's figures do not depend on which others are compared.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Measure
from voirdire.stats.aggregate import FloatArray, cluster_sums, columns
from voirdire.stats.bootstrap import Interval, drawn_sums, interval, swapped_sums
from voirdire.stats.paired import difference_of, permutation_p
from voirdire.verdict.pairing import PairedRows, Pairing

ALIKE = 1e-12
"""Figures of a unit that differ by no more than this share of them, or this much, are alike: it is rounding."""


@dataclass(frozen=True, eq=False)
class ContestOutcome:
    """What the resamples say of one entry: figures of both runs, their difference (second − first), intervals and p."""

    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    p: float | None
    of_first: Interval | None = None
    of_second: Interval | None = None


@dataclass(frozen=True, eq=False)
class Entry:
    """One measure in the contest.

    test      what is tested: entries with the same columns and the same aggregate are one test under several names
    held      which clusters hold a case of either run
    units     that are a case in either run
    both      the numbers of the units that have a figure in both runs; first, second: these figures
    """

    measure: Measure
    test: tuple[int, ...]
    held: npt.NDArray[np.bool_]
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
        at = [place for place in order.tolist() if change[place] > ALIKE * max(1.0, abs(self.first[place]))]
        return [(int(self.both[place]), float(self.first[place]), float(self.second[place])) for place in at]


class Contest:
    """The measures of two runs on their shared units."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self._first: list[FloatArray] = []
        self._second: list[FloatArray] = []
        self._places: dict[bytes, int] = {}

    def enter(self, measure: Measure, sides: tuple[PairedRows, PairedRows]) -> Entry:
        """Add a measure up, by unit and by cluster, in both runs."""
        units, count, aggregate = len(self._pairing), self._pairing.count, measure.aggregate
        found = [measure.statistics(side.columns) for side in sides]
        # Together, since an aggregate may centre its columns on the mean of all that it is given.
        table = columns(np.concatenate([statistics for statistics, _ in found]), aggregate)
        halves = table[: len(found[0][0])], table[len(found[0][0]) :]
        places = [side.units[kept] for side, (_, kept) in zip(sides, found, strict=True)]
        by_cluster = [
            cluster_sums(half, self._pairing.clusters[at], count) for half, at in zip(halves, places, strict=True)
        ]
        by_unit = [cluster_sums(half, at, units) for half, at in zip(halves, places, strict=True)]
        cases = [np.bincount(at, minlength=units) > 0 for at in places]
        first, second = (aggregate.of(sums.T) for sums in by_unit)
        both = np.flatnonzero(cases[0] & cases[1] & np.isfinite(first) & np.isfinite(second))
        either = cases[0] | cases[1]
        held = np.zeros(count, dtype=np.bool_)
        held[self._pairing.clusters[either]] = True
        return Entry(
            measure,
            (id(aggregate), *(self._place(*pair) for pair in zip(*by_cluster, strict=True))),
            held,
            int(either.sum()),
            both,
            first[both],
            second[both],
        )

    def _place(self, first: FloatArray, second: FloatArray) -> int:
        place = self._places.setdefault(first.tobytes() + second.tobytes(), len(self._first))
        if place == len(self._first):
            self._first.append(first)
            self._second.append(second)
        return place

    def decide(
        self, entries: list[Entry], seed: int, resamples: int, progress: Callable[[int], None] = lambda done: None
    ) -> list[ContestOutcome]:
        """Draw and swap the clusters, and read off what each entry's figures and their difference are.

        progress  told how many of the entries are done
        """
        groups: dict[bytes, list[int]] = {}
        for number, entry in enumerate(entries):
            groups.setdefault(entry.held.tobytes(), []).append(number)
        outcomes: dict[int, ContestOutcome] = {}
        for numbers in groups.values():
            some = [entries[number] for number in numbers]
            outcomes |= zip(numbers, self._decide(some, seed, resamples), strict=True)
            progress(len(outcomes))
        return [outcomes[number] for number in range(len(entries))]

    def _decide(self, entries: list[Entry], seed: int, resamples: int) -> list[ContestOutcome]:
        """The same for entries with cases in the same clusters."""
        held = entries[0].held
        places = sorted({place for entry in entries for place in entry.test[1:]})
        at = {place: number for number, place in enumerate(places)}
        first, second = (np.array([sums[place] for place in places]) for sums in (self._first, self._second))
        draws = _Draws(first[:, held], second[:, held], seed, resamples) if held.sum() > 1 else None
        totals = first.sum(axis=1), second.sum(axis=1)
        return [_outcome(entry, [at[place] for place in entry.test[1:]], *totals, draws) for entry in entries]


class _Draws:
    """Both runs' sums (K, clusters): over the same drawn clusters, and the second's after swapping, (resamples, K)."""

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


def _outcome(
    entry: Entry, at: list[int], first: FloatArray, second: FloatArray, draws: _Draws | None
) -> ContestOutcome:
    """One entry, whose columns have these places among both runs' totals (K,)."""
    aggregate = entry.measure.aggregate
    ours, theirs = second[at], first[at]
    figures = float(aggregate.of(theirs)), float(aggregate.of(ours))
    values = [figure if np.isfinite(figure) else None for figure in figures]
    if None in values:
        return ContestOutcome(values[0], values[1], None, None, None)
    difference = figures[1] - figures[0]
    if draws is None:
        return ContestOutcome(*figures, difference, None, None)
    both = draws.columns(at)
    found = interval(difference_of(aggregate, len(at)), draws.sums[both], draws.drawn[:, both])
    p = permutation_p(aggregate, ours, theirs, draws.swapped[:, at])
    own = [interval(aggregate, draws.sums[half], draws.drawn[:, half]) for half in (both[len(at) :], both[: len(at)])]
    return ContestOutcome(*figures, difference, found, p, *own)
