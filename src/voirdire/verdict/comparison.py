"""Is one model better than another? Two or more runs of the same exam, unit by unit.

    difference = figure of the second run − figure of the first, both over the units that the two runs share
    low, high    percentile interval of the difference: clusters drawn with replacement, the same for both runs
    p            permutation: each cluster's units are swapped by a fair coin; two-sided, see `stats.paired`
    p_holm       p after Holm's correction over all measures of the call; slices are a family of their own

A unit is what both runs were asked: a round, a question, a game, a point. Units that only one run has are counted and
left out, so a figure may differ from the run's own. What a model did never decides whether a unit counts: where it
decides whether the unit is a case of a measure (effectiveness of the games that were won), each run has its own cases.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

from voirdire.drawings import DrawnChart, chart
from voirdire.errors import UsageError
from voirdire.exam.short_answers import caveats_of, lead_by_short_answers, leading_views, why_short_answers
from voirdire.figures import (
    ALPHA,
    ARROWS,
    DAGGER,
    counted,
    name_list,
    show_count,
    show_difference,
    show_figure,
    show_interval,
    show_p,
    stars,
)
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.progress import Progress, silent
from voirdire.runs import Run
from voirdire.runs.run import frame_for_pandas
from voirdire.runs.view import Role, View
from voirdire.stats import holm
from voirdire.stats.bootstrap import RESAMPLES, Interval
from voirdire.verdict.pairing import PairedMeasure, PairedResult, PairedSums, check_comparable, pair_units
from voirdire.verdict.slices import is_whole, slice_measures

MOST_CHANGED = 10
NAMED = 5
LEGEND = "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001, corrected (Holm); ↑ higher is better, ↓ lower"


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of two runs.

    first, second  the figures over the units that both runs have; None where a figure is undefined
    difference     second − first
    low, high      ends of the difference's interval
    first_low, …   ends of the intervals of both figures, from the same resamples
    p, p_holm      of a difference as large if the runs were alike, uncorrected and corrected
    wins           units in which the second run is better (or higher, where neither way is better)
    ties, losses   units in which both are alike, and in which the second is worse; None where units have no figures
    n              paired units that are a case in either run
    caveat         why the measure cannot rank the two, with the run of which it is so; empty where it can
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
    caveat: str = ""

    @property
    def differs(self) -> bool:
        """Whether the figures differ beyond chance, after the correction."""
        return self.p_holm is not None and self.p_holm <= ALPHA and bool(self.difference)

    @property
    def mark(self) -> str:
        """Stars by the p after the correction; a dagger where the measure cannot rank the two."""
        return DAGGER if self.caveat else stars(self.p_holm)

    @property
    def tone(self) -> Literal["good", "bad", "plain"]:
        """Whether the second figure is the better one, the worse one, or neither."""
        if self.measure.better == "neither" or not self.difference or self.caveat:
            return "plain"
        return "good" if (self.difference > 0) == (self.measure.better == "higher") else "bad"

    @property
    def best(self) -> tuple[bool, bool]:
        """Whether the first figure, and the second, is the better one; both where they are equal."""
        if self.first is None or self.second is None or self.measure.better == "neither" or self.caveat:
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
            self.mark.ljust(3),
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
    """One unit, as "image 12, round 4", and by how much a measure changed there: `difference` is second − first."""

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
    paired       units that both have; only_first, only_second: those that one of them lacks
    measures     in the exam's order
    slices       the measures on parts of the units, as `cider4[round 3]`
    changed      the units that changed most
    warnings     what the reader of the figures should know
    noun         what a unit is: a round, a question, a game, a point
    cluster      what is swapped as a whole: an image, a dialogue
    least_p      the smallest p that a measure could have after the correction: few clusters allow few swaps
    did          what both did with a unit: they were asked it, or played it
    lead         why figures by short answers lead; empty where the official ones do
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
    did: str = "were asked"
    lead: str = ""

    @property
    def heading(self) -> str:
        """Who is compared with whom, and on what."""
        first, second = self.labels
        return f"{self.title}: {second} against {first}, {self.basis}"

    @property
    def basis(self) -> str:
        """On what they are compared: `10 games that both played`."""
        return f"{counted(self.paired, self.noun)} that both {self.did}"

    def table(self, shown: Sequence[Compared] | None = None) -> tuple[list[str], list[list[str]]]:
        """Head and rows for a reader, of all measures or of those given."""
        head = ["measure", *self.labels, "difference", "", "95 % interval", "p", "p (Holm)", "win/tie/loss", "n"]
        return head, [compared.row() for compared in (self.measures if shown is None else shown)]

    def __repr__(self) -> str:
        return f"Comparison({self.heading!r}, {len(self.measures):,} measures, {len(self.slices):,} slices)"

    def _repr_html_(self) -> str:
        from voirdire.pages import table

        return table(self.heading, *self.table(), LEGEND)

    def to_frame(self) -> "pl.DataFrame":
        """The measures as a table: both figures, the difference with its interval, p and p after the correction."""
        names = ("first", "second", "difference", "low", "high", "p", "p_holm")
        rows = [(row.measure.name, *(getattr(row, name) for name in names), row.n) for row in self.measures]
        schema = {"measure": pl.String, **dict.fromkeys(names, pl.Float64), "n": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_pandas(self) -> Any:
        """The same table for pandas, which needs no pyarrow."""
        return frame_for_pandas(self.to_frame())

    def plot(self, *measures: str) -> DrawnChart:
        """Differences with their intervals as a chart: of the measures that are named, or of all that have one.

        Shown in a notebook as it is; `save` writes it to a file.
        """
        first, second = self.labels
        rows = [row for row in self.measures if not measures or row.measure.name in measures]
        if unknown := set(measures) - {row.measure.name for row in rows}:
            known = ", ".join(row.measure.name for row in self.measures)
            raise UsageError(f"`measures` must be among those compared, got {min(unknown)!r}; there are: {known}")
        points = [
            {"measure": row.measure.name, "value": row.difference, "low": row.low, "high": row.high, "runs": "one"}
            for row in rows
            if row.low is not None
        ]
        if not points:
            raise UsageError(f"{self.heading}: no difference with an interval to plot")
        across = {"field": "measure", "type": "nominal", "sort": None, "title": None}
        up = {"field": "value", "type": "quantitative", "title": f"{second} − {first}, 95 % interval"}
        return DrawnChart(chart(points, across, up, "runs", joined="false", line=(0.0, "no difference")))

    def to_dict(self) -> dict[str, Any]:
        """For programs: plain values only."""
        lists = {name: [row.to_dict() for row in getattr(self, name)] for name in ("measures", "slices", "changed")}
        return {name: getattr(self, name) for name in self.__slots__} | lists


@overload
def compare_runs(first: Run, second: Run, /, *, seed: int = 0, slices: bool = True) -> Comparison: ...
@overload
def compare_runs(
    labels: Sequence[str],
    runs: Sequence[Run],
    *,
    seed: int = 0,
    slices: bool = True,
    resamples: int = RESAMPLES,
    progress: Progress = silent,
    short: bool | None = None,
) -> tuple[Comparison, ...]: ...
def compare_runs(labels: Any, runs: Any, *, seed: int = 0, slices: bool = True, **how: Any) -> Any:
    """Compare two runs, `compare_runs(a, b)`, or with their labels each further run with the first.

    seed    of the swaps and the resamples
    slices  whether the headline measures are also compared on parts of the units
    """
    if isinstance(labels, Run) or isinstance(runs, Run):
        if not (isinstance(labels, Run) and isinstance(runs, Run)):
            raise UsageError("compare two runs, or a list of labels and a list of runs")
        (comparison,) = _compare_labelled(("first", "second"), (labels, runs), seed=seed, slices=slices, **how)
        return comparison
    return _compare_labelled(labels, runs, seed=seed, slices=slices, **how)


def _compare_labelled(
    labels: Sequence[str],
    runs: Sequence[Run],
    *,
    seed: int = 0,
    slices: bool = True,
    resamples: int = RESAMPLES,
    progress: Progress = silent,
    short: bool | None = None,
) -> tuple[Comparison, ...]:
    """Compare each further run with the first.

    short      whether figures by short answers lead; if not given, they do where any of the runs answers in sentences
    slices     whether the headline measures are also compared on parts of the units
    resamples  of the permutation test and of the bootstrap each
    progress   called with how many of the tests are done
    """
    if len(labels) != len(runs):
        raise UsageError(f"{counted(len(runs), 'run')} and {counted(len(labels), 'label')}; give as many of both")
    if len(runs) < 2:
        raise UsageError(f"found {counted(len(runs), 'run')}, expected two or more to compare")
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if list(labels).count(label) > 1)
        raise UsageError(f"two runs are called {twice!r}; give one of them another label: LABEL=RUN")
    short = lead_by_short_answers(runs) if short is None else short
    lead = why_short_answers(zip(labels, runs, strict=True)) if short else ""
    pairs = [
        _PairOfRuns((labels[0], label), runs[0], run, slices, lead)
        for label, run in zip(labels[1:], runs[1:], strict=True)
    ]
    return _compare(pairs, seed, resamples, progress)


def compare_alike(
    labels: Sequence[str], runs: Sequence[Run], *, seed: int = 0
) -> tuple[list[tuple[Comparison, ...]], list[str]]:
    """Compare all that can be compared: each run with the first, the rest with the first of the rest, and so on.

    Returns the comparisons, one family of tests for each run that others are compared with, and the reasons why runs
    could not be compared with the very first one.
    """
    left = list(zip(labels, runs, strict=True))
    lead = why_short_answers(left) if lead_by_short_answers(runs) else ""
    families: list[tuple[Comparison, ...]] = []
    reasons: list[str] = []
    while left:
        (label, first), *others = left
        pairs, left = [], []
        for other, run in others:
            try:
                pairs.append(_PairOfRuns((label, other), first, run, True, lead))
            except UsageError as error:
                left.append((other, run))
                if first is runs[0]:
                    reasons.append(str(error))
        if pairs:
            families.append(_compare(pairs, seed, RESAMPLES, silent))
    return families, list(dict.fromkeys(reasons))


def _compare(pairs: "Sequence[_PairOfRuns]", seed: int, resamples: int, progress: Progress) -> tuple[Comparison, ...]:
    """The comparisons of all pairs, their tests corrected together."""
    total, before = sum(pair.tests for pair in pairs), 0
    progress(0, total)
    for pair in pairs:
        pair.test(seed, resamples, lambda done, before=before: progress(before + done, total))  # type: ignore[misc]
        before += pair.tests
    measures, counts = _corrected([pair.measures for pair in pairs])
    slices, _ = _corrected([pair.slices for pair in pairs])
    comparisons = []
    for pair, compared, sliced in zip(pairs, measures, slices, strict=True):
        # Tests of more clusters may have smaller p, and Holm then counts them no more.
        tests = sum(
            count for other, count in zip(pairs, counts, strict=True) if other.pairing.count <= pair.pairing.count
        )
        comparisons.append(pair.comparison(compared, sliced, tests))
    return tuple(comparisons)


_Results = list[tuple[PairedMeasure, PairedResult]]


class _PairOfRuns:
    """One run against the first: their measures on the units that both have, and the results of these."""

    def __init__(self, labels: tuple[str, str], first: Run, second: Run, slices: bool, lead: str) -> None:
        self.title, self.labels, self.lead = first.title, labels, lead
        self.warnings = check_comparable(labels, first, second)
        sides = _compared_views(first, bool(lead)), _compared_views(second, bool(lead))
        self._caveats = _caveats(labels, (first, second))
        view = sides[0][0]
        self.noun, self.cluster, self.did = view.noun, view.word(view.clusters), view.did
        self.pairing = pair_units(labels, first.items, second.items, view)
        if not len(self.pairing):
            raise UsageError(f"{labels[0]} and {labels[1]} have no {self.noun} in common")
        self._sums = PairedSums(self.pairing)
        self._measures: list[PairedMeasure] = []
        self._slices: list[PairedMeasure] = []
        self._headlines: list[PairedMeasure] = []
        matches = _matched(*sides)
        matched = [id(view) for both in matches for view in both]
        self._missing: list[list[str]] = [
            [measure.name for view in views if id(view) not in matched for measure in _compared_measures(view)]
            for views in sides
        ]
        for both in matches:
            self._add(both, slices)
        if not self._measures:
            raise UsageError(f"{labels[0]} and {labels[1]} have no measure in common")
        self._slices = [measure for measure in self._slices if measure.units]

    def _add(self, views: tuple[View, View], slices: bool) -> None:
        """Add up the measures that both views have."""
        roles = _roles(views)
        measures = [[measure for measure in view.measures if roles.get(measure.key) != "aside"] for view in views]
        keys = [{measure.key for measure in side} for side in measures]
        for missing, side, others in zip(self._missing, measures, reversed(keys), strict=True):
            missing += [measure.name for measure in side if measure.key not in others]
        common = [measure for measure in measures[0] if measure.key in keys[1]]
        if not common:
            return
        rows = self.pairing.sides(*views)
        for measure in common:
            role = roles.get(measure.key)
            if role == "slice" and (not slices or is_whole(measure, views)):
                continue
            paired = self._sums.add(measure, rows)
            (self._slices if role == "slice" else self._measures).append(paired)
            if role == "headline":
                self._headlines.append(paired)
        if slices:
            self._slices += [self._sums.add(measure, rows) for measure in slice_measures(views, common)]

    @property
    def tests(self) -> int:
        """How many measures and slices there are to test."""
        return len(self._measures) + len(self._slices)

    def test(self, seed: int, resamples: int, progress: Callable[[int], None]) -> None:
        """Test all measures and slices; `progress` is called with how many are done."""
        paired = [*self._measures, *self._slices]
        results = list(zip(paired, self._sums.results(paired, seed, resamples, progress), strict=True))
        self.measures: _Results = results[: len(self._measures)]
        self.slices: _Results = results[len(self._measures) :]

    def comparison(self, measures: list[Compared], slices: list[Compared], tests: int) -> Comparison:
        """The comparison of the two runs; the smallest p is multiplied by at least this many `tests`."""
        changed = [
            Changed(self.pairing.name(unit), headline.measure, first, second, second - first)
            for headline in self._headlines
            for unit, first, second in headline.changed(MOST_CHANGED)
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
            measures=tuple(map(self._with_caveat, measures)),
            slices=tuple(map(self._with_caveat, slices)),
            changed=tuple(changed),
            warnings=tuple(
                self.warnings
                + self._lone_units()
                + self._few_clusters(least, tests)
                + self._lone_measures()
                + self._unranked(measures)
            ),
            noun=self.noun,
            cluster=self.cluster,
            least_p=min(1.0, least * max(1, tests)),
            did=self.did,
            lead=self.lead,
        )

    def _with_caveat(self, compared: Compared) -> Compared:
        key = compared.measure.key
        return replace(compared, caveat=self._caveats.get(replace(key, slice=()), ""))

    def _unranked(self, measures: Sequence[Compared]) -> list[str]:
        """Which of the measures cannot rank the two, and why."""
        names: dict[str, list[str]] = {}
        for compared in measures:
            if reason := self._caveats.get(compared.measure.key):
                names.setdefault(reason, []).append(compared.measure.name)
        return [f"{DAGGER} {name_list(of_reason, NAMED)}: no rank; {reason}." for reason, of_reason in names.items()]

    def _lone_units(self) -> list[str]:
        return [
            f"{counted(count, self.noun)} only in {label}, so left out of the comparison."
            for label, count in zip(self.labels, self.pairing.alone, strict=True)
            if count
        ]

    def _few_clusters(self, least: float, tests: int) -> list[str]:
        """A warning where even the most extreme of all swaps has a p above 5 %, as it is or corrected."""
        few = f"{counted(self.pairing.count, self.cluster)} in both: no p can be below"
        if least > ALPHA:
            return [f"{few} {show_figure(least)}."]
        if least * tests > ALPHA:
            corrected = show_figure(min(1.0, least * tests))
            return [f"{few} {show_p(least)}, and after the correction for {tests} tests none below {corrected}."]
        return []

    def _lone_measures(self) -> list[str]:
        warnings = []
        for label, names in zip(self.labels, self._missing, strict=True):
            if names:
                more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
                warnings.append(f"Only {label} has {', '.join(names[:NAMED])}{more}; not compared.")
        return warnings


def _compared_measures(view: View) -> list[Measure]:
    return [measure for measure in view.measures if view.roles.get(measure.key) != "aside"]


def _compared_views(run: Run, short: bool) -> list[View]:
    """The views of a run with something to compare, with `short` led by short answers."""
    return [view for view in leading_views(run, short) if _compared_measures(view)]


def _caveats(labels: tuple[str, str], runs: tuple[Run, Run]) -> dict[Key, str]:
    """The figures that cannot rank two runs, each with the reason: of which run it is so, and why."""
    reasons: dict[Key, list[str]] = {}
    for label, run in zip(labels, runs, strict=True):
        for key, reason in caveats_of(run).items():
            reasons.setdefault(key, []).append(f"{label}: {reason}")
    return {key: "; ".join(of_key) for key, of_key in reasons.items()}


def _matched(ours: list[View], theirs: list[View]) -> list[tuple[View, View]]:
    """The views of two runs side by side; where one run has more, those that have a measure in common."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    keys = [{measure.key for measure in view.measures} for view in theirs]
    return [
        (view, other)
        for view in ours
        for other, known in zip(theirs, keys, strict=True)
        if any(measure.key in known for measure in view.measures)
    ]


def _roles(views: tuple[View, View]) -> dict[Key, Role]:
    """The roles of measures in both views; what only one of them puts aside is compared."""
    compared = {measure.key for view in views for measure in _compared_measures(view)}
    merged = {**views[0].roles, **views[1].roles}
    return {key: role for key, role in merged.items() if role != "aside" or key not in compared}


def _corrected(families: Sequence[_Results]) -> tuple[list[list[Compared]], list[int]]:
    """The results of all comparisons, corrected as one family, and how many of its tests each of them has.

    A test under several names counts once, and one that could not be made does not count.
    """
    tests: dict[tuple[int, ...], float | None] = {}
    for number, family in enumerate(families):
        for paired, result in family:
            tests[number, *paired.test] = result.p
    corrected = dict(zip(tests, holm(list(tests.values())), strict=True))
    compared = [
        [_compared(paired, result, corrected[number, *paired.test]) for paired, result in family]
        for number, family in enumerate(families)
    ]
    counts = Counter(number for (number, *_), p in tests.items() if p is not None)
    return compared, [counts[number] for number in range(len(families))]


def _compared(paired: PairedMeasure, result: PairedResult, p_holm: float | None) -> Compared:
    def ends(interval: Interval | None) -> tuple[float | None, float | None]:
        return (interval.low, interval.high) if interval else (None, None)

    wins, ties, losses = paired.wins() or (None, None, None)
    return Compared(
        paired.measure,
        result.first,
        result.second,
        result.difference,
        *ends(result.interval),
        *ends(result.of_first),
        *ends(result.of_second),
        result.p,
        p_holm,
        wins,
        ties,
        losses,
        paired.units,
    )
