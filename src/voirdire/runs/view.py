"""Views: rows of a run's items, and the measures that read them.

An exam states its views once. Its own figures are made from them, and so is everything that is computed from a stored
run later: comparisons, slices, the sample size for an interval of a given width.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.runs.coverage import ASKED
from voirdire.runs.estimate import Measures, estimate
from voirdire.stats.bootstrap import Seed

__all__ = ["Role", "View", "estimate_views", "with_missing_as_wrong"]

Role = Literal["headline", "slice", "aside"]


@dataclass(frozen=True, eq=False)
class View:
    """Some of a run's items and the measures that are made from them.

    items     the rows that count here
    measures  in the exam's order
    unit      the columns that together identify a unit, the thing that two runs have in common
    noun      what a unit is: "round", "question", "game"
    clusters  the column of clusters, which are resampled, and swapped between two runs, as a whole
    roles     of measures when runs are compared; a measure without a role is compared beside the headlines
                  headline  also compared by facet, and shown for the units that changed most
                  slice     of a part of the units already, so compared among the slices
                  aside     not compared: a spread, or a figure that does not depend on the model
    facets    columns that split units into slices: round, type of question, number of objects
    cuts      for headline measures: further columns that split the items of one run; they depend on what the model
              did (the outcome of a game), so two runs are not compared by them
    given     columns that have the same value for a unit in every run, whatever the model did
    words     what a column is, where its name does not say it: {"index": "proposition"}
    did       what two runs have in common with a unit: both were asked it, both played it
    """

    items: "pl.DataFrame"
    measures: tuple[Measure, ...]
    unit: tuple[str, ...]
    noun: str
    clusters: str
    roles: Mapping[Key, Role] = field(default_factory=dict)
    facets: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    cuts: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    did: str = "were asked"

    def word(self, column: str) -> str:
        """What a column is, in a sentence: `image_id` is an image."""
        return self.words.get(column, column.removesuffix("_id").replace("_", " "))


def with_missing_as_wrong(view: View, missing: "pl.Series", wrong: Mapping[str, float]) -> tuple[View, ...]:
    """The same measures over all that was asked, `accuracy:asked`; nothing where no answer is missing.

    missing  whether an item has no answer of the model
    wrong    the value of each column for a wrong answer; measures of other columns are left out
    """
    some = [measure for measure in view.measures if set(measure.of) <= set(wrong) and not measure.key.variant]
    if not some or not missing.any():
        return ()
    items = view.items.with_columns(
        pl.when(missing).then(pl.lit(value)).otherwise(pl.col(name)).alias(name) for name, value in wrong.items()
    )
    measures = tuple(measure.variant(ASKED) for measure in some)
    return (replace(view, items=items, measures=measures, roles={measure.key: "aside" for measure in measures}),)


def estimate_views(views: Iterable[View], *, seed: Seed) -> Measures:
    """The figures of all views, in their order."""
    figures = Measures()
    for view in views:
        figures |= estimate(view.items, view.measures, seed=seed, clusters=view.clusters)
    return figures
