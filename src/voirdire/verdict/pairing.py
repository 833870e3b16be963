"""Whether two runs can be compared, which units they share, and the rows of each run that belong to these.

Only figures that were made in the same way from the same data say something about the models, so everything in a
signature must agree, with these exceptions, which become notes: the seed (resamples move p and intervals a little, and
a test compares the trainings that were made, not their luck), a limit (the units that both runs have are compared), the
wording in which live models were asked, and what the part of the exam declares. The version of Voir Dire must agree:
two versions may count differently, and scoring again takes little time. A model's own outputs are in no signature.

Units are those of all items, whatever a view leaves out: a game that one model gave up and another finished is paired,
and is simply no case where only finished games count.

The columns of a measure are added up by cluster, in both runs; columns that several measures share are kept once. The
clusters are then drawn, and swapped, once, and each measure takes its interval and its p from the same resamples. Drawn
for a measure are the clusters with a case of it: for a slice of one kind of question, the images that have such a
question. So a measure's figures do not depend on which others are compared.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.exam import part_of
from voirdire.lazy import pl
from voirdire.metrics.measure import Measure
from voirdire.runs import Difference, Run, differences
from voirdire.runs.estimate import ItemColumns
from voirdire.runs.view import View
from voirdire.stats.aggregate import Aggregate, FloatArray, cluster_sums, columns
from voirdire.stats.bootstrap import Interval, drawn_sums, interval, swapped_sums
from voirdire.stats.paired import difference_of, permutation_p

UNIT = "place of the unit"
"""The column with the number of a row's unit."""

Numbers = npt.NDArray[np.intp]


def check_comparable(labels: tuple[str, str], first: Run, second: Run) -> list[str]:
    """Refuse two runs that differ in what matters, naming each difference; return a note on every other difference."""
    if first.title != second.title:
        raise UsageError(
            f"{labels[0]} is a run of `{first.title}` and {labels[1]} one of `{second.title}`; only runs of the same "
            "part can be compared"
        )
    rules = part_of(first).differ
    signatures = first.signature, second.signature
    parts = [signature.flat() for signature in signatures]
    unknown = [
        name for name, rule in rules.items() if rule.unknown and rule.unknown in (flat.get(name) for flat in parts)
    ]
    differing = [
        difference for difference in differences(*signatures) if not any(_is_in(difference, name) for name in unknown)
    ]

    def allowed(difference: Difference) -> bool:
        if any(_is_in(difference, name) for name in ("seed", "options.limit", "options.asked")):
            return True
        rule = rules.get(difference.part)
        values = str(difference.first), str(difference.second)
        return rule is not None and not rule.unknown and all(value.startswith(rule.kind) for value in values)

    if wrong := [difference for difference in differing if not allowed(difference)]:
        named = "; ".join(map(str, wrong))
        raise UsageError(f"{labels[0]} and {labels[1]} cannot be compared, since their signatures differ in {named}")
    notes = [rules[name].note.format(*labels) for name in unknown]
    if any(_is_in(difference, "options.limit") for difference in differing):
        limits = [
            f"{label} is {f'limited to {run.limit}' if run.limit else 'not limited'}"
            for label, run in zip(labels, (first, second), strict=True)
        ]
        notes.append(f"{'; '.join(limits)}: only what both have is compared.")
    for difference in differing:
        # A model that brought files does not say how it was asked.
        from_files = _is_in(difference, "options.asked") and None in (difference.first, difference.second)
        if from_files or _is_in(difference, "options.limit"):
            continue
        rule = rules.get(difference.part)
        known = rule is not None and rule.note
        notes.append(known.format(*labels) if known else f"{labels[0]} and {labels[1]} differ in {difference}.")
    return notes


def _is_in(difference: Difference, part: str) -> bool:
    """Whether it is a difference in this part of the signatures, or in a part of this part."""
    return difference.part == part or difference.part.startswith(f"{part}.")


@dataclass(frozen=True, eq=False)
class PairedRows:
    """One run's rows of the shared units: their columns, and the number of each one's unit."""

    columns: ItemColumns
    units: Numbers


@dataclass(frozen=True, eq=False)
class Pairing:
    """The units that two runs share.

    labels     of the runs
    view       of the first run, which says what units are
    keys       one row per unit, sorted: its number and the columns that name it
    clusters   the number of each unit's cluster; count: how many clusters there are
    alone      how many units only the first has, and only the second
    """

    labels: tuple[str, str]
    view: View
    keys: "pl.DataFrame"
    clusters: Numbers
    count: int
    alone: tuple[int, int]

    def __len__(self) -> int:
        return self.keys.height

    def name(self, unit: int) -> str:
        """What a unit is called: `image 12, round 4`."""
        row = self.keys.row(unit, named=True)
        return ", ".join(f"{self.view.word(column)} {value}" for column, value in row.items() if column != UNIT)

    def sides(self, first: View, second: View) -> tuple[PairedRows, PairedRows]:
        """The rows of a view in both runs; a unit of which they hold different facts is refused."""
        tables = [
            view.items.join(self.keys, on=list(view.unit), how="inner", maintain_order="left")
            for view in (first, second)
        ]
        if first.given:
            self._check_given(first, *(table.select(UNIT, *first.given).unique() for table in tables))
        ours, theirs = (PairedRows(ItemColumns(table), table[UNIT].to_numpy().astype(np.intp)) for table in tables)
        return ours, theirs

    def _check_given(self, view: View, ours: "pl.DataFrame", theirs: "pl.DataFrame") -> None:
        both = ours.join(theirs, on=UNIT, suffix=" there").sort(UNIT)
        for column in view.given:
            other = both[f"{column} there"]
            if (apart := both.filter(both[column].ne_missing(other))).height:
                unit, here, there = apart.select(UNIT, column, f"{column} there").row(0)
                raise UsageError(
                    f"{self.name(unit)}: {view.word(column)} {here} in {self.labels[0]}, {there} in {self.labels[1]}, "
                    f"and so in {apart.height:,} of {len(self):,}; it is not the same {view.noun} that both were asked"
                )


def pair_units(labels: tuple[str, str], first: "pl.DataFrame", second: "pl.DataFrame", view: View) -> Pairing:
    """Pair the units of two runs' items; `view` says what a unit and a cluster are."""
    unit, clusters, word = view.unit, view.clusters, view.word
    columns = list(unit)
    wanted = list(dict.fromkeys([*unit, clusters]))
    ours, theirs = (items.select(wanted).unique(columns) for items in (first, second))
    shared = ours.join(theirs, on=columns, suffix=" there").sort(columns).with_row_index(UNIT)
    if clusters not in unit:
        apart = shared.filter(shared[clusters].ne_missing(shared[f"{clusters} there"]))
        if apart.height:
            what = ", ".join(f"{word(column)} {apart[column][0]}" for column in columns)
            raise UsageError(
                f"{what}: {word(clusters)} {apart[clusters][0]} in {labels[0]}, "
                f"{apart[f'{clusters} there'][0]} in {labels[1]}; the runs are not of the same data"
            )
    names, numbers = np.unique(shared[clusters].to_numpy(), return_inverse=True)
    alone = (ours.height - shared.height, theirs.height - shared.height)
    return Pairing(labels, view, shared.select(UNIT, *columns), numbers.reshape(-1), len(names), alone)


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
