"""Headline measures on parts of the items: where does a model fail?

A view's facets split its items by what was asked, its cuts by what came of it, and a user's labels by what the user
knows. Of one run, a slice for which the run has a figure is that figure; any other is estimated from the items of the
slice alone, with whole clusters drawn. Whole numbers with few units (games of 4 objects, of 5) are put together. Slices
of fewer than `LEAST` items have no figure: three right answers out of three do not show that a model is always right.

Two runs are compared on every value of every facet (`slice_measures`), which are tested however few units they have.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from voirdire.errors import UsageError
from voirdire.exam import part_of, views_of
from voirdire.exam.short_answers import leading_views
from voirdire.metrics.measure import Key, Measure
from voirdire.runs import Estimate, Run
from voirdire.runs.estimate import Measures, estimate
from voirdire.runs.view import View
from voirdire.verdict.labels import Labels

if TYPE_CHECKING:
    import polars as pl

LEAST = 20
"""Items that a slice must have for its figure to be shown."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the items: the facet in words, its value there, the figure, and the run's own key for it, if any."""

    facet: str
    value: str
    figure: Estimate
    key: Key | None = None

    @property
    def few(self) -> bool:
        """Whether there are too few items for a figure; `figure.n` says how many there are."""
        return (self.figure.n or 0) < LEAST


@dataclass(frozen=True, slots=True)
class Sliced:
    """A headline measure of a run: its figure over all items, and its slices in the order of the facets."""

    measure: Measure
    noun: str
    whole: Estimate
    slices: tuple[Slice, ...]


def ids_of(runs: Sequence[Run]) -> set[str]:
    """The columns that identify items of these runs: those of units and of clusters."""
    views = [view for run in runs if part_of(run).views for view in views_of(run)]
    return {column for view in views for column in (*view.unit, view.clusters)}


def slice_run(run: Run, labels: Labels | None = None, short: bool = False) -> list[Sliced]:
    """The slices of each headline measure, with `short` by short answers; none for a part that has no views."""
    views = leading_views(run, short) if part_of(run).views else ()
    return [sliced for view in views for sliced in _slices(run, view, views, labels)]


def _slices(run: Run, view: View, views: Sequence[View], labels: Labels | None) -> Iterator[Sliced]:
    headlines = _headlines(view, view.measures)
    items = view.items
    own: tuple[str, ...] = ()
    if labels is not None and labels.fits(items):
        if taken := sorted(set(labels.columns) & set(items.columns)):
            hint = f"`{run.title}` has a column of this name already"
            raise UsageError(f"{labels.file}: column {taken[0]!r}: {hint}; give it another name")
        items, own = labels.joined(items), labels.columns

    # All headline measures of a slice use the same draws, which are made once.
    @cache
    def figures(facet: str, values: tuple[Any, ...]) -> Measures:
        part = items.filter(items[facet].is_in(list(values)))
        return estimate(part, headlines, seed=run.signature.seed or 0, clusters=view.clusters)

    for measure in headlines:
        slices: list[Slice] = []
        for facet in (*view.facets, *view.cuts.get(measure.key, ()), *own):
            of_facet = _by_facet(run, view, views, items, measure, facet, figures)
            # A single slice is the whole under another name.
            slices += of_facet if len(of_facet) > 1 else []
        if slices:
            yield Sliced(measure, view.noun, run.measures.figure(measure.key), tuple(slices))


def _headlines(view: View, measures: Sequence[Measure]) -> list[Measure]:
    """Those measures that are headlines of the view, over all of its items."""
    return [measure for measure in measures if view.roles.get(measure.key) == "headline" and measure.where is None]


def _by_facet(
    run: Run,
    view: View,
    views: Sequence[View],
    items: "pl.DataFrame",
    measure: Measure,
    facet: str,
    figures: Callable[[str, tuple[Any, ...]], Measures],
) -> list[Slice]:
    """The slices by one facet: those that the run has as measures, and the others estimated from the items."""
    word = view.word(facet)
    known: dict[Any, Slice] = {}
    other_columns = False
    for declared in (declared for other in views for declared in other.measures if declared.key in run.measures):
        if declared.where is not None and declared.where[0] == facet and _is_slice_of(declared.key, measure.key):
            value = declared.where[1]
            known[value] = Slice(word, str(value), run.measures[declared.key], declared.key)
            other_columns = other_columns or declared.of != measure.of
    if other_columns:
        # As effectiveness by turn: the items of a slice would give another figure.
        return list(known.values())
    parts: dict[Any, pl.DataFrame] = {
        value: part for (value,), part in items.group_by(facet, maintain_order=True) if value is not None
    }
    for values in _classes({value: part.n_unique(view.unit) for value, part in parts.items() if value not in known}):
        figure = figures(facet, tuple(values))[measure.key]
        name = str(values[0]) if len(values) == 1 else f"{values[0]} to {values[-1]}"
        known[values[0]] = Slice(word, name, figure)
    return [known[value] for value in (sorted(known) if parts.keys() >= known.keys() else known)]


def _is_slice_of(key: Key, whole: Key) -> bool:
    """Whether a key belongs to a slice of another measure."""
    same = (key.measure, key.condition, key.variant) == (whole.measure, whole.condition, whole.variant)
    return same and key.slice[: len(whole.slice)] == whole.slice


def _classes(counts: Mapping[Any, int]) -> list[list[Any]]:
    """The values one by one; whole numbers with few units together with the next ones, until they have enough."""
    values = sorted(counts)
    if not all(isinstance(value, int) for value in values):
        return [[value] for value in values]

    def few(values: list[Any]) -> bool:
        return sum(counts[value] for value in values) < LEAST

    classes: list[list[Any]] = []
    for value in values:
        if classes and few(classes[-1]):
            classes[-1].append(value)
        else:
            classes.append([value])
    if len(classes) > 1 and few(classes[-1]):
        last = classes.pop()
        classes[-1] += last
    return classes


def is_whole(measure: Measure, views: Sequence[View]) -> bool:
    """Whether a measure on a slice is over all items: no view has another value there."""
    if measure.where is None:
        return True
    facet, value = measure.where
    return all(set(view.items[facet].unique().drop_nulls()) <= {value} for view in views)


def slice_measures(views: Sequence[View], measures: Sequence[Measure]) -> list[Measure]:
    """The slices of these measures, which runs with the same view share, by all values that any of the runs has."""
    view, slices = views[0], []
    keys = {measure.key for view in views for measure in view.measures}
    own = {measure.where: measure.of for measure in measures if view.roles.get(measure.key) == "slice"}
    facets = [facet for facet in view.facets if all(facet in other.items.columns for other in views)]
    for measure in _headlines(view, measures):
        for facet in facets:
            values = sorted({value for view in views for value in view.items[facet].unique().drop_nulls()})
            # A single slice is the whole under another name.
            for value in values if len(values) > 1 else ():
                if own.get((facet, value)) == measure.of:
                    continue
                words = f"{facet.replace('_', ' ')} {value}"
                key = measure.key.on(value if isinstance(value, str) else words)
                if key in keys:
                    key = measure.key.on(words)
                keys.add(key)
                slices.append(replace(measure, key=key, where=(facet, value)))
    return slices
