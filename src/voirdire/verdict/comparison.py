"""Is one model better than another? Two or more runs of the same exam, unit by unit.

    difference = figure of the second run − figure of the first, both over the units that the two runs share
    low, high    percentile interval of the difference: clusters drawn with replacement, the same for both runs
    p            permutation: each cluster's units change sides by a fair coin; two-sided, see `stats.paired`
    p_holm       p after Holm's correction over all measures of the call; slices are a family of their own

A unit is what both runs were asked: a round, a question, a game, a point. Units that only one run has are counted and
left out, so a figure may differ from the run's own. What a model did never decides whether a unit counts: where it
decides whether the unit is a case of a measure (effectiveness of the games that were won), each run has its own cases.
"""

from dataclasses import dataclass

from voirdire.metrics.measure import Better

__all__ = ["Changed", "Compared", "Comparison"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of two runs.

    first, second  the figures over the units that both runs have; None where one is undefined
    difference     second − first
    low, high      ends of the difference's interval
    p, p_holm      of a difference as large if the runs were alike, as it is and corrected
    wins           units in which the second run is better (or higher, where neither way is better)
    ties, losses   units in which both are alike, and in which the second is worse; None where a unit has no figure
    n              paired units that are a case in either run
    """

    measure: str
    unit: str
    better: Better
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    wins: int | None
    ties: int | None
    losses: int | None
    n: int


@dataclass(frozen=True, slots=True)
class Changed:
    """One unit, as "image 12, round 4", and how far a measure changed there: `difference` is second − first."""

    unit: str
    measure: str
    first: float
    second: float
    difference: float


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
