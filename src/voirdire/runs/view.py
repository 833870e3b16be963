"""What the figures of a run are made of: rows of its items, and the measures that read them.

An exam states its views once. Its own figures come from them, and so does all that is asked of a stored run later:
comparisons, slices, the sample that a wished interval needs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voirdire.metrics.measure import Measure
from voirdire.runs.estimate import Estimate, estimate
from voirdire.stats.resampling import Seed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["View", "estimate_views"]


@dataclass(frozen=True, eq=False)
class View:
    """Some of a run's items and the measures that are made of them.

    items     the rows that count here
    measures  in the exam's order
    unit      the columns that together name what two runs have in common: a round, a question, a game, a point
    clusters  the column of what is drawn, and swapped between two runs, as a whole
    """

    items: "pl.DataFrame"
    measures: tuple[Measure, ...]
    unit: tuple[str, ...]
    clusters: str


def estimate_views(views: Iterable[View], *, seed: Seed) -> dict[str, Estimate]:
    """The figures of all views, in their order."""
    found: dict[str, Estimate] = {}
    for view in views:
        found |= estimate(view.items, view.measures, seed=seed, clusters=view.clusters)
    return found
