"""Two runs on their shared units: every measure's sums, drawn and swapped once for all measures together.

The columns of a measure are added up by cluster, in both runs; columns that several measures share are kept once. The
clusters are then drawn, and swapped, once, and each measure reads its interval and its p off the same resamples. So a
measure's figures do not depend on which others are compared.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Measure
from voirdire.stats.aggregate import FloatArray
from voirdire.stats.bootstrap import Interval, interval
from voirdire.stats.paired import difference_of, permutation_p
from voirdire.stats.resampling import drawn_sums, swapped_sums
from voirdire.stats.sums import cluster_sums, columns
from voirdire.verdict.pairing import Pairing, Side

__all__ = ["Contest", "Entry", "Outcome"]

ALIKE = 1e-12
"""Figures of a unit that differ by no more than this share of them, or this much, are alike: it is rounding."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the resamples say of one entry: figures of both runs, their difference (second − first), interval and p."""

    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    p: float | None


@dataclass(frozen=True, eq=False)
class Entry:
    """One measure in the contest.

    test      what is tested: entries with the same columns and the same aggregate are one test under several names
    clusters  in how many a case of either run lies
    units     that are a case in either run
    both      the numbers of the units that have a figure in both runs; first, second: these figures
    """

    measure: Measure
    test: tuple[int, ...]
    clusters: int
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

    def enter(self, measure: Measure, sides: tuple[Side, Side]) -> Entry:
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
        return Entry(
            measure,
            (id(aggregate), *(self._place(*pair) for pair in zip(*by_cluster, strict=True))),
            len(np.unique(self._pairing.clusters[either])),
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

    def decide(self, entries: list[Entry], seed: int, resamples: int) -> list[Outcome]:
        """Draw and swap the clusters, and read off what each entry's figures and their difference are."""
        if not self._first:
            return []
        first, second = np.array(self._first), np.array(self._second)
        swapped = swapped_sums(second, first, seed, resamples)
        drawn = _drawn(first, second, seed, resamples) if self._pairing.count > 1 else None
        return [_outcome(entry, first, second, swapped, drawn) for entry in entries]


def _drawn(first: FloatArray, second: FloatArray, seed: int, resamples: int) -> tuple[FloatArray, FloatArray]:
    """Both runs' sums over the same drawn clusters; a column that is the same in both is drawn once."""
    apart = (first != second).any(axis=1)
    both = drawn_sums(np.concatenate([first, second[apart]]), seed, resamples)
    ours = both[:, : len(first)]
    theirs = ours.copy()
    theirs[:, apart] = both[:, len(first) :]
    return ours, theirs


def _outcome(
    entry: Entry,
    first: FloatArray,
    second: FloatArray,
    swapped: FloatArray,
    drawn: tuple[FloatArray, FloatArray] | None,
) -> Outcome:
    at = list(entry.test[1:])
    aggregate = entry.measure.aggregate
    ours, theirs = second[at], first[at]
    figures = [float(aggregate.of(sums.sum(axis=1))) for sums in (theirs, ours)]
    values = [figure if np.isfinite(figure) else None for figure in figures]
    if None in values:
        return Outcome(values[0], values[1], None, None, None)
    difference = figures[1] - figures[0]
    if entry.clusters < 2:
        return Outcome(figures[0], figures[1], difference, None, None)
    found = None
    if drawn is not None:
        resampled = np.concatenate([drawn[1][:, at], drawn[0][:, at]], axis=1)
        found = interval(difference_of(aggregate, len(at)), np.concatenate([ours, theirs]), resampled)
    p = permutation_p(aggregate, ours.sum(axis=1), theirs.sum(axis=1), swapped[:, at])
    return Outcome(figures[0], figures[1], difference, found, p)
