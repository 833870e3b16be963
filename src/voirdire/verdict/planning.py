"""How many dialogues does an interval of a given width need, or the power to find a difference? Planned from a run.

    ψ_c   = (C − 1) · (mean of the figures without each cluster − the figure without cluster c)     c = 1 … C
    σ     = standard deviation of ψ          so that a figure of m clusters has the standard error σ / √m
    m     = (z σ / w)²                                    for an interval of half-width w
    m     = ((z + z_P) σ / d)² + z²/2                     to find a difference d with probability P

z and z_P are normal quantiles of 1 − α/2 and of P. What is drawn is a cluster: an image with all its rounds, a game.
With two runs the figure is their difference, so σ reflects how alike they answer. With one run and a difference to
find, the other model is not known yet; it is assumed to be as variable and independent (σ² doubles), as models seldom
are. The z²/2 is what a test that does not know σ costs (Guenther 1981); the permutation of clusters is such a test.

Each size is then tried out: m clusters are drawn from those of the run, two thousand times, and the half-width or the
share of significant differences among these draws is given beside the size. It shows where the normal does not fit.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from voirdire.errors import UsageError
from voirdire.exam import views_of
from voirdire.metrics.measure import Measure
from voirdire.runs.estimate import ItemColumns
from voirdire.runs.run import Run
from voirdire.runs.view import View
from voirdire.stats.aggregate import Aggregate, FloatArray, cluster_sums, columns, numbered
from voirdire.stats.bootstrap import LEVEL
from voirdire.stats.paired import difference_of
from voirdire.verdict.pairing import check_comparable, pair_units

POWER = 0.8
TRIALS = 2_000
# How many counts of draws are in memory at once.
COUNTS = 4_000_000
# Below this a percentile interval is too narrow and a permutation test coarse, whatever a formula says.
FEWEST = 20
# More of anything than anybody could ask about.
MOST = 10**12
# A plan from fewer clusters than these is marked as rough.
FEW = 30
PAIRS = 2_000
# By how much a trial may miss the goal without a warning: this share of a half-width, half as much of a power.
OFF = 0.1
LABELS = ("the first run", "the second run")


@dataclass(frozen=True, slots=True)
class Planned:
    """One measure and the size that it needs.

    of          what a cluster is, as "image"
    figure      of the run, or the difference second − first of two runs
    half_width  of its interval at the run's own size, by the formula
    clusters    of the run; n: its cases
    needed      clusters; None where the run shows no spread, or too little of it to plan on
    cases       about how many the needed clusters have
    tried       what was reached at the needed size when clusters were drawn from the run: a half-width or a power
    """

    measure: str
    unit: str
    of: str
    figure: float | None
    half_width: float | None
    clusters: int
    n: int
    needed: int | None
    cases: int | None
    tried: float | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes for one goal: a half-width, or a power to find a difference; the other fields are None."""

    title: str
    runs: int
    half_width: float | None
    difference: float | None
    power: float | None
    measures: tuple[Planned, ...]
    warnings: tuple[str, ...]


def plan_interval(runs: Sequence[Run], half_width: float, *, measures: Sequence[str] = (), seed: int = 0) -> Plan:
    """The size at which an interval of the run's figures, or of two runs' differences, has this half-width."""
    if not half_width > 0:
        raise UsageError(f"`half_width` must be above 0, got {half_width}")
    z = _normal((1 + LEVEL) / 2)

    def need(spread: float) -> float:
        return (z * spread / half_width) ** 2

    def attempt(sample: _Sample, size: int, rng: np.random.Generator) -> float:
        figures = _drawn(sample.sums, size, rng, sample.aggregate.of)
        low, high = np.quantile(figures[np.isfinite(figures)], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return float(high - low) / 2

    planned, warnings = _plan(runs, measures, seed, need, attempt)
    warnings += [
        f"{plan.measure}: {plan.needed:,} {plan.of}s drawn from the run give a half-width of {plan.tried:.4g}, "
        "more than was asked for; its spread is not normal, so take more."
        for plan in planned
        if plan.tried is not None and plan.tried > half_width * (1 + OFF)
    ]
    return Plan(runs[0].title, len(runs), half_width, None, None, planned, tuple(warnings))


def plan_power(
    runs: Sequence[Run], difference: float, *, power: float = POWER, measures: Sequence[str] = (), seed: int = 0
) -> Plan:
    """The size at which the permutation test finds a difference with this probability, p ≤ 0.05 uncorrected."""
    if not 0 < abs(difference) < np.inf:
        raise UsageError(f"`difference` must not be 0, got {difference}")
    if not 1 - LEVEL < power < 1:
        raise UsageError(f"`power` must be above {1 - LEVEL:.2g} and below 1, got {power}")
    size, z, z_power = abs(difference), _normal((1 + LEVEL) / 2), _normal(power)
    # The other model of one run: as variable, and independent.
    models = 1 if len(runs) == 2 else 2

    def need(spread: float) -> float:
        both = spread * sqrt(models)
        return ((z + z_power) * both / size) ** 2 + z**2 / 2

    def attempt(sample: _Sample, needed: int, rng: np.random.Generator) -> float:
        moves = sample.moves - sample.moves.mean()
        if models == 2:
            # Few clusters are paired in several ways, so that one pairing's luck does not count.
            ways = range(max(1, PAIRS // len(moves)))
            moves = np.concatenate([moves - rng.permutation(moves) for _ in ways])
        total, squares = _drawn(np.array([moves, moves**2]), needed, rng, lambda sums: sums).T
        # The difference may lie on either side; where the moves are lopsided, the side that is harder to see counts.
        powers = []
        for shift in (size, -size):
            spread = np.sqrt(squares + 2 * shift * total + needed * shift**2)
            powers.append(float(np.mean(np.abs(total + needed * shift) > z * spread)))
        return min(powers)

    planned, warnings = _plan(runs, measures, seed, need, attempt)
    warnings += [
        f"{plan.measure}: {plan.needed:,} {plan.of}s drawn from the run find the difference "
        f"{plan.tried:.0%} of the time, less than was asked for; its spread is not normal, so take more."
        for plan in planned
        if plan.tried is not None and plan.tried < power - OFF / 2
    ]
    if models == 2:
        warnings.append(
            "The other model is assumed to be as variable and independent, which needs more than models that make the "
            "same mistakes; give a second run to plan for two."
        )
    return Plan(runs[0].title, len(runs), None, size, power, planned, tuple(warnings))


def _plan(
    runs: Sequence[Run],
    names: Sequence[str],
    seed: int,
    need: Callable[[float], float],
    attempt: "Callable[[_Sample, int, np.random.Generator], float]",
) -> tuple[tuple[Planned, ...], list[str]]:
    """Every measure's size by the formula `need`, tried out by `attempt`; and warnings."""
    if not 1 <= len(runs) <= 2:
        raise ValueError(f"`runs` must be one or two, got {len(runs)}")
    planned: list[Planned] = []
    warnings = check_comparable(LABELS, runs[0], runs[1]) if len(runs) == 2 else []
    for sample in _samples(runs, names):
        spread = sample.spread
        needed = None if not spread else _size(need, spread)
        tried = None if needed is None else attempt(sample, needed, np.random.default_rng(seed))
        clusters = sample.sums.shape[1]
        now = None if spread is None else _normal((1 + LEVEL) / 2) * spread / sqrt(clusters)
        cases = None if needed is None else round(needed * sample.n / clusters)
        name, unit, of = sample.measure.name, sample.measure.unit, sample.of
        planned.append(Planned(name, unit, of, sample.figure, now, clusters, sample.n, needed, cases, tried))
        if spread == 0:
            warnings.append(f"{name}: the same in every {of}, so no size can be planned.")
        elif spread is None:
            warnings.append(f"{name}: no figure, or a single {of}, so no size can be planned.")
        elif needed is None:
            warnings.append(f"{name}: more than {MOST:,} {of}s would be needed; ask for less.")
        elif clusters < FEW:
            warnings.append(f"{name}: planned from {clusters} {of}s, so only roughly.")
    return tuple(planned), warnings


def _size(need: Callable[[float], float], spread: float) -> int | None:
    """The clusters that the formula asks for; None where they are beyond all bounds."""
    try:
        size = need(spread)
    except (OverflowError, ZeroDivisionError):
        return None
    return max(FEWEST, ceil(size)) if size <= MOST else None


@dataclass(frozen=True, eq=False)
class _Sample:
    """A measure's cluster sums (K, clusters), of one run or of two stacked, and their figure, moves and spread."""

    measure: Measure
    of: str
    sums: FloatArray
    n: int
    aggregate: Aggregate

    @property
    def figure(self) -> float | None:
        figure = float(self.aggregate.of(self.sums.sum(axis=1)))
        return figure if np.isfinite(figure) else None

    @property
    def moves(self) -> FloatArray:
        """ψ: how far each cluster moves the figure; clusters without which there is no figure are left out."""
        without = self.aggregate.of((self.sums.sum(axis=1, keepdims=True) - self.sums).T)
        defined = without[np.isfinite(without)]
        return (self.sums.shape[1] - 1) * (defined.mean() - defined) if len(defined) else defined

    @property
    def spread(self) -> float | None:
        """σ; None where there is no figure or no second cluster."""
        moves = self.moves if self.figure is not None else np.zeros(0)
        if len(moves) < 2:
            return None
        spread = float(moves.std(ddof=1))
        # Anything smaller is rounding.
        return spread if spread > 1e-9 * max(abs(self.figure or 0.0), 1e-300) else 0.0


def _samples(runs: Sequence[Run], names: Sequence[str]) -> list[_Sample]:
    """The measures that are named; else the exam's headlines or, where it has none, all that are compared."""
    views = views_of(runs[0])
    roles = {measure.name: view.roles.get(measure.key) for view in views for measure in view.measures}
    if unknown := [name for name in names if name not in roles]:
        raise UsageError(f"the run has no measure {unknown[0]!r}; there are: {', '.join(roles)}")
    headlines = [name for name, role in roles.items() if role == "headline"]
    chosen = list(dict.fromkeys(names)) or headlines or [name for name, role in roles.items() if role is None]
    samples: dict[str, _Sample] = {}
    for view in views:
        measures = [measure for measure in view.measures if measure.name in chosen]
        if measures:
            of_view = _one_run(view, measures) if len(runs) == 1 else _two_runs(runs, view, measures)
            samples |= {sample.measure.name: sample for sample in of_view}
    return [samples[name] for name in chosen]


def _one_run(view: View, measures: Sequence[Measure]) -> Iterator[_Sample]:
    """The sums of the run's clusters."""
    table = ItemColumns(view.items)
    numbers, count = numbered(table[view.clusters], view.items.height)
    for measure in measures:
        statistics, kept = measure.statistics(table)
        sums = cluster_sums(columns(statistics, measure.aggregate), numbers[kept], count)
        yield _Sample(measure, view.word(view.clusters), sums, len(statistics), measure.aggregate)


def _two_runs(runs: Sequence[Run], view: View, measures: Sequence[Measure]) -> Iterator[_Sample]:
    """The sums of both runs over the units that they share, the second on top."""
    paired = pair_units(LABELS, runs[0].items, runs[1].items, view)
    if not len(paired):
        raise UsageError(f"the two runs have no unit in common; a unit is named by {', '.join(view.unit)}")
    for measure in measures:
        other = [its for its in views_of(runs[1]) if measure.key in {known.key for known in its.measures}]
        if not other:
            raise UsageError(f"the second run has no measure {measure.name!r}, which the first one has")
        sums: list[FloatArray] = []
        cases = 0
        for side in paired.sides(view, other[0]):
            statistics, kept = measure.statistics(side.columns)
            clusters = paired.clusters[side.units[kept]]
            sums.insert(0, cluster_sums(columns(statistics, measure.aggregate), clusters, paired.count))
            cases = max(cases, len(statistics))
        aggregate = difference_of(measure.aggregate, len(sums[0]))
        yield _Sample(measure, view.word(view.clusters), np.concatenate(sums), cases, aggregate)


def _drawn(
    sums: FloatArray, size: int, rng: np.random.Generator, value: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """The figures of TRIALS draws of `size` clusters with replacement."""
    clusters = sums.shape[1]
    shares = np.full(clusters, 1 / clusters)
    rows = max(1, COUNTS // clusters)
    parts = [
        value(rng.multinomial(size, shares, size=min(rows, TRIALS - done)) @ sums.T) for done in range(0, TRIALS, rows)
    ]
    return np.concatenate(parts)


def _normal(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))
