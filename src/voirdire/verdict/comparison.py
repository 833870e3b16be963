"""Is one model better than another? Two or more runs of the same exam, unit by unit.

    difference = figure of the second run − figure of the first, both over the units that the two runs share
    low, high    percentile interval of the difference: clusters drawn with replacement, the same for both runs
    p            permutation: each cluster's units change sides by a fair coin; two-sided, see `stats.paired`
    p_holm       p after Holm's correction over all measures of the call; slices are a family of their own

A unit is what both runs were asked: a round, a question, a game, a point. Units that only one run has are counted and
left out, so a figure may differ from the run's own. What a model did never decides whether a unit counts: where it
decides whether the unit is a case of a measure (effectiveness of the games that were won), each run has its own cases.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from voirdire.errors import UsageError
from voirdire.exam import views_of
from voirdire.figures import (
    ALPHA,
    ARROWS,
    counted,
    show_count,
    show_difference,
    show_figure,
    show_interval,
    show_p,
    stars,
)
from voirdire.metrics.measure import Key, Measure
from voirdire.progress import Progress, silent
from voirdire.runs import Run
from voirdire.runs.view import Role, View
from voirdire.stats import holm
from voirdire.stats.bootstrap import RESAMPLES
from voirdire.verdict.comparable import check_comparable
from voirdire.verdict.contest import Contest, ContestOutcome, Entry
from voirdire.verdict.pairing import pair
from voirdire.verdict.slicing import slices_of

MOST_CHANGED = 10
NAMED = 5
LEGEND = "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001, corrected (Holm); ↑ higher is better, ↓ lower"


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of two runs.

    first, second  the figures over the units that both runs have; None where one is undefined
    difference     second − first
    low, high      ends of the difference's interval
    first_low, …   ends of the intervals of both figures, from the same resamples
    p, p_holm      of a difference as large if the runs were alike, as it is and corrected
    wins           units in which the second run is better (or higher, where neither way is better)
    ties, losses   units in which both are alike, and in which the second is worse; None where a unit has no figure
    n              paired units that are a case in either run
    """

    measure: Measure
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    first_low: float | None
    first_high: float | None
    second_low: float | None
    second_high: float | None
    p: float | None
    p_holm: float | None
    wins: int | None
    ties: int | None
    losses: int | None
    n: int

    @property
    def best(self) -> tuple[bool, bool]:
        """Whether the first figure, and the second, is the better one; both where they are equal."""
        if self.first is None or self.second is None or self.measure.better == "neither":
            return False, False
        higher = self.measure.better == "higher"
        ahead = (self.first - self.second) * (1 if higher else -1)
        return ahead >= 0, ahead <= 0

    def row(self) -> list[str]:
        """Its row of a table for a reader."""
        return [
            self.measure.name + ARROWS[self.measure.better],
            show_figure(self.first),
            show_figure(self.second),
            show_difference(self.difference),
            stars(self.p_holm).ljust(3),
            show_interval(self.low, self.high),
            show_p(self.p),
            show_p(self.p_holm),
            "/".join(map(show_count, (self.wins, self.ties, self.losses))),
            show_count(self.n),
        ]

    def to_dict(self) -> dict[str, Any]:
        """For programs: plain values only."""
        figures = {name: getattr(self, name) for name in self.__slots__ if name != "measure"}
        return {"measure": self.measure.name, "unit": self.measure.unit, "better": self.measure.better, **figures}


@dataclass(frozen=True, slots=True)
class Changed:
    """One unit, as "image 12, round 4", and how far a measure changed there: `difference` is second − first."""

    unit: str
    measure: Measure
    first: float
    second: float
    difference: float

    def to_dict(self) -> dict[str, Any]:
        """For programs: plain values only."""
        return {name: getattr(self, name) for name in self.__slots__} | {"measure": self.measure.name}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against the first one.

    title        the exam and its part
    labels       of the first run and of this one
    paired       units that both have; only_first, only_second: that one of them lacks
    measures     in the exam's order
    slices       the measures on parts of the units, as `cider4[round 3]`
    changed      the units that changed most
    warnings     what the reader of the figures should know
    noun         what a unit is: a round, a question, a game, a point
    cluster      what is swapped as a whole: an image, a dialogue
    least_p      the smallest p that a measure could have after the correction: of few clusters few swaps can be made
    """

    title: str
    labels: tuple[str, str]
    paired: int
    only_first: int
    only_second: int
    measures: tuple[Compared, ...]
    slices: tuple[Compared, ...]
    changed: tuple[Changed, ...]
    warnings: tuple[str, ...]
    noun: str = "unit"
    cluster: str = "image"
    least_p: float = 0.0

    @property
    def heading(self) -> str:
        """Who is compared with whom, and on how much."""
        first, second = self.labels
        return f"{self.title}: {second} against {first}, {counted(self.paired, self.noun)} in both"

    def table(self, shown: Sequence[Compared] | None = None) -> tuple[list[str], list[list[str]]]:
        """Head and rows for a reader, of all measures or of those given."""
        head = ["measure", *self.labels, "difference", "", "95 % interval", "p", "p (Holm)", "win/tie/loss", "n"]
        return head, [one.row() for one in (self.measures if shown is None else shown)]

    def __repr__(self) -> str:
        return f"Comparison({self.heading!r}, {len(self.measures):,} measures, {len(self.slices):,} slices)"

    def _repr_html_(self) -> str:
        from voirdire.pages import table

        return table(self.heading, *self.table(), LEGEND)

    def to_dict(self) -> dict[str, Any]:
        """For programs: plain values only."""
        lists = {name: [one.to_dict() for one in getattr(self, name)] for name in ("measures", "slices", "changed")}
        return {name: getattr(self, name) for name in self.__slots__} | lists


def compare_runs(
    labels: Sequence[str],
    runs: Sequence[Run],
    *,
    seed: int = 0,
    slices: bool = True,
    resamples: int = RESAMPLES,
    progress: Progress = silent,
) -> tuple[Comparison, ...]:
    """Compare each further run with the first.

    slices     whether the headline measures are also compared on parts of the units
    resamples  of the permutation test and of the bootstrap each
    progress   told how many of the tests are done
    """
    if len(labels) != len(runs):
        raise UsageError(f"{counted(len(runs), 'run')} and {counted(len(labels), 'label')}; give as many of both")
    if len(runs) < 2:
        raise UsageError(f"found {counted(len(runs), 'run')}, expected two or more to compare")
    if len(set(labels)) < len(labels):
        twice = next(one for one in labels if list(labels).count(one) > 1)
        raise UsageError(f"two runs are called {twice!r}; give one of them another label: LABEL=RUN")
    duels = [
        _Duel((labels[0], label), runs[0], run, slices)
        for label, run in islice(zip(labels, runs, strict=True), 1, None)
    ]
    return _decided(duels, seed, resamples, progress)


def compare_alike(
    labels: Sequence[str], runs: Sequence[Run], *, seed: int = 0
) -> tuple[list[tuple[Comparison, ...]], list[str]]:
    """Compare all that can be: each run with the first, those that cannot be with the first of them, and so on.

    Returns the comparisons, a family of tests for each run that others are compared with, and for each run that is not
    compared with the very first one why that is so.
    """
    left = list(zip(labels, runs, strict=True))
    families: list[tuple[Comparison, ...]] = []
    reasons: list[str] = []
    while left:
        (label, first), *others = left
        duels, left = [], []
        for other, run in others:
            try:
                duels.append(_Duel((label, other), first, run, slices=True))
            except UsageError as error:
                left.append((other, run))
                if first is runs[0]:
                    reasons.append(str(error))
        if duels:
            families.append(_decided(duels, seed, RESAMPLES))
    return families, list(dict.fromkeys(reasons))


def _decided(
    duels: "Sequence[_Duel]", seed: int, resamples: int, progress: Progress = silent
) -> tuple[Comparison, ...]:
    """What comes out of them, their tests corrected together."""
    total, before = sum(duel.tests for duel in duels), 0
    progress(0, total)
    for duel in duels:
        duel.decide(seed, resamples, lambda done, before=before: progress(before + done, total))  # type: ignore[misc]
        before += duel.tests
    measures, counts = _corrected([duel.measures for duel in duels])
    parts, _ = _corrected([duel.slices for duel in duels])
    made = []
    for duel, ours, sliced in zip(duels, measures, parts, strict=True):
        # Tests of more clusters may have smaller p, and Holm then counts them no more.
        tests = sum(
            count for other, count in zip(duels, counts, strict=True) if other.pairing.count <= duel.pairing.count
        )
        made.append(duel.comparison(ours, sliced, tests))
    return tuple(made)


_Decided = list[tuple[Entry, ContestOutcome]]


class _Duel:
    """One run against the first: its entries, and what came out for them."""

    def __init__(self, labels: tuple[str, str], first: Run, second: Run, slices: bool) -> None:
        self.title, self.labels = first.title, labels
        self.warnings = check_comparable(labels, first, second)
        sides = _compared_views(first), _compared_views(second)
        views = _matched(*sides)
        one = sides[0][0]
        self.noun, self.cluster = one.noun, one.word(one.clusters)
        self.pairing = pair(labels, first.items, second.items, one)
        if not len(self.pairing):
            raise UsageError(f"{labels[0]} and {labels[1]} have no {self.noun} in common")
        self.contest = Contest(self.pairing)
        self._measures: list[Entry] = []
        self._slices: list[Entry] = []
        self._headlines: list[Entry] = []
        matched = [id(view) for both in views for view in both]
        self._missing: tuple[list[str], list[str]] = (
            [name for view in sides[0] if id(view) not in matched for name in _names(view)],
            [name for view in sides[1] if id(view) not in matched for name in _names(view)],
        )
        for pair_of_views in views:
            self._enter(pair_of_views, slices)
        if not self._measures:
            raise UsageError(f"{labels[0]} and {labels[1]} have no measure in common")
        self._slices = [entry for entry in self._slices if entry.units]

    def _enter(self, views: tuple[View, View], slices: bool) -> None:
        roles = _roles(views)
        shown = [[one for one in view.measures if roles.get(one.key) != "aside"] for view in views]
        keys = [{one.key for one in some} for some in shown]
        for missing, some, others in zip(self._missing, shown, reversed(keys), strict=True):
            missing += [one.name for one in some if one.key not in others]
        common = [one for one in shown[0] if one.key in keys[1]]
        if not common:
            return
        sides = self.pairing.sides(*views)
        for measure in common:
            role = roles.get(measure.key)
            if role == "slice" and not slices:
                continue
            entry = self.contest.enter(measure, sides)
            (self._slices if role == "slice" else self._measures).append(entry)
            if role == "headline":
                self._headlines.append(entry)
        if slices:
            self._slices += [self.contest.enter(one, sides) for one in slices_of(views, common)]

    @property
    def tests(self) -> int:
        """How many entries there are to test."""
        return len(self._measures) + len(self._slices)

    def decide(self, seed: int, resamples: int, progress: Callable[[int], None]) -> None:
        """Test all entries; `progress` is told how many are done."""
        entries = [*self._measures, *self._slices]
        decided = list(zip(entries, self.contest.decide(entries, seed, resamples, progress), strict=True))
        self.measures: _Decided = decided[: len(self._measures)]
        self.slices: _Decided = decided[len(self._measures) :]

    def comparison(self, measures: list[Compared], slices: list[Compared], tests: int) -> Comparison:
        """All that is said of the two runs; by so many `tests` at least the smallest p is multiplied."""
        changed = [
            Changed(self.pairing.name(unit), entry.measure, first, second, second - first)
            for entry in self._headlines
            for unit, first, second in entry.changed(MOST_CHANGED)
        ]
        alone = self.pairing.alone
        # The most extreme of all swaps, and its mirror image.
        least = 2.0 ** (1 - self.pairing.count)
        return Comparison(
            title=self.title,
            labels=self.labels,
            paired=len(self.pairing),
            only_first=alone[0],
            only_second=alone[1],
            measures=tuple(measures),
            slices=tuple(slices),
            changed=tuple(changed),
            warnings=tuple(
                self.warnings + self._lone_units() + self._few_clusters(least, tests) + self._lone_measures()
            ),
            noun=self.noun,
            cluster=self.cluster,
            least_p=min(1.0, least * tests),
        )

    def _lone_units(self) -> list[str]:
        return [
            f"{counted(count, self.noun)} only in {label}, so left out of the comparison."
            for label, count in zip(self.labels, self.pairing.alone, strict=True)
            if count
        ]

    def _few_clusters(self, least: float, tests: int) -> list[str]:
        """Where even the most extreme of all swaps is no rarity, or is none after the correction."""
        few = f"{counted(self.pairing.count, self.cluster)} in both: no p can be below"
        if least > ALPHA:
            return [f"{few} {show_figure(least)}."]
        if least * tests > ALPHA:
            corrected = show_figure(min(1.0, least * tests))
            return [f"{few} {show_p(least)}, and after the correction for {tests} tests none below {corrected}."]
        return []

    def _lone_measures(self) -> list[str]:
        said = []
        for label, names in zip(self.labels, self._missing, strict=True):
            if names:
                more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
                said.append(f"Only {label} has {', '.join(names[:NAMED])}{more}; not compared.")
        return said


def _compared_views(run: Run) -> list[View]:
    """The views of a run that hold something to compare."""
    return [view for view in views_of(run) if any(view.roles.get(one.key) != "aside" for one in view.measures)]


def _matched(ours: list[View], theirs: list[View]) -> list[tuple[View, View]]:
    """The views of two runs side by side; where one run has more, those that have a measure in common."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    keys = [{one.key for one in view.measures} for view in theirs]
    return [
        (view, other)
        for view in ours
        for other, known in zip(theirs, keys, strict=True)
        if any(one.key in known for one in view.measures)
    ]


def _roles(views: tuple[View, View]) -> dict[Key, Role]:
    """The roles of measures in both views; what only one of them puts aside is compared."""
    shown = {one.key for view in views for one in view.measures if view.roles.get(one.key) != "aside"}
    merged = {**views[0].roles, **views[1].roles}
    return {key: role for key, role in merged.items() if role != "aside" or key not in shown}


def _names(view: View) -> list[str]:
    return [one.name for one in view.measures if view.roles.get(one.key) != "aside"]


def _corrected(families: Sequence[_Decided]) -> tuple[list[list[Compared]], list[int]]:
    """The results of all comparisons, corrected as one family, and how many of its tests each of them has.

    A test that goes by several names counts once, and one that could not be made does not count.
    """
    tests: dict[tuple[int, ...], float | None] = {}
    for number, family in enumerate(families):
        for entry, outcome in family:
            tests[number, *entry.test] = outcome.p
    corrected = dict(zip(tests, holm(list(tests.values())), strict=True))
    made = [
        [_compared(entry, outcome, corrected[number, *entry.test]) for entry, outcome in family]
        for number, family in enumerate(families)
    ]
    counts = Counter(number for (number, *_), p in tests.items() if p is not None)
    return made, [counts[number] for number in range(len(families))]


def _compared(entry: Entry, outcome: ContestOutcome, p_holm: float | None) -> Compared:
    found = outcome.interval
    wins, ties, losses = entry.wins() or (None, None, None)
    return Compared(
        measure=entry.measure,
        first=outcome.first,
        second=outcome.second,
        difference=outcome.difference,
        low=found.low if found else None,
        high=found.high if found else None,
        first_low=outcome.of_first.low if outcome.of_first else None,
        first_high=outcome.of_first.high if outcome.of_first else None,
        second_low=outcome.of_second.low if outcome.of_second else None,
        second_high=outcome.of_second.high if outcome.of_second else None,
        p=outcome.p,
        p_holm=p_holm,
        wins=wins,
        ties=ties,
        losses=losses,
        n=entry.units,
    )
