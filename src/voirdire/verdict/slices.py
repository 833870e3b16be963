"""One run's headline measures on parts of its items: where does the model fail?

A view's facets cut its items by what was asked, its cuts by what came of it, and a user's labels by what the user
knows. A slice that the run has a figure of is that figure; any other is made of the items of the slice alone, whose
clusters are drawn as a whole. Whole numbers with few units (games of 4 objects, of 5) are taken together. Slices of
fewer than `LEAST` items have no figure: of three right answers out of three nobody should read that the model is always
right.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from voirdire.errors import UsageError
from voirdire.exam import part_of, views_of
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
    """A part of the items: the facet in words, its value there, the figure, and what the run calls it if it has it."""

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
    """The columns by which items of these runs can be named: those of units and of clusters."""
    views = [view for run in runs if part_of(run).views for view in views_of(run)]
    return {column for view in views for column in (*view.unit, view.clusters)}


def slice_run(run: Run, labels: Labels | None = None) -> list[Sliced]:
    """The slices of each headline measure; none of a part that has no views."""
    if not part_of(run).views:
        return []
    views = views_of(run)
    return [one for view in views for one in _slices(run, view, views, labels)]


def _slices(run: Run, view: View, views: Sequence[View], labels: Labels | None) -> Iterator[Sliced]:
    headlines = [one for one in view.measures if view.roles.get(one.key) == "headline" and one.where is None]
    items = view.items
    own: tuple[str, ...] = ()
    if labels is not None and labels.fits(items):
        if taken := sorted(set(labels.columns) & set(items.columns)):
            hint = f"`{run.title}` has a column of this name already"
            raise UsageError(f"{labels.file}: column {taken[0]!r}: {hint}; give it another name")
        items, own = labels.joined(items), labels.columns

    # All headline measures of a slice are read off the same draws, which are made once.
    @cache
    def figures(facet: str, values: tuple[Any, ...]) -> Measures:
        part = items.filter(items[facet].is_in(list(values)))
        return estimate(part, headlines, seed=run.signature.seed or 0, clusters=view.clusters)

    for measure in headlines:
        found: list[Slice] = []
        for facet in (*view.facets, *view.cuts.get(measure.key, ()), *own):
            made = _by_facet(run, view, views, items, measure, facet, figures)
            # One slice is the whole, under another name.
            found += made if len(made) > 1 else []
        if found:
            yield Sliced(measure, view.noun, run.measures.figure(measure.key), tuple(found))


def _by_facet(
    run: Run,
    view: View,
    views: Sequence[View],
    items: "pl.DataFrame",
    measure: Measure,
    facet: str,
    figures: Callable[[str, tuple[Any, ...]], Measures],
) -> list[Slice]:
    """The slices by one facet: those that the run has as measures, and the others made of the items."""
    declared = [
        one
        for other in views
        for one in other.measures
        if one.where is not None and one.where[0] == facet and _sliced(one.key, measure.key) and one.key in run.measures
    ]
    word = view.word(facet)
    known: dict[Any, Slice] = {}
    for one in declared:
        value = one.where[1] if one.where else None
        known[value] = Slice(word, str(value), run.measures[one.key], one.key)
    if any(one.of != measure.of for one in declared):
        # Made of other columns, as effectiveness by turn is: the items of a slice would say something else.
        return list(known.values())
    parts: dict[Any, pl.DataFrame] = {
        value: part for (value,), part in items.group_by(facet, maintain_order=True) if value is not None
    }
    for values in _classes({value: part.n_unique(view.unit) for value, part in parts.items() if value not in known}):
        figure = figures(facet, tuple(values))[measure.key]
        name = str(values[0]) if len(values) == 1 else f"{values[0]} to {values[-1]}"
        known[values[0]] = Slice(word, name, figure)
    return [known[value] for value in (sorted(known) if parts.keys() >= known.keys() else known)]


def _sliced(key: Key, whole: Key) -> bool:
    """Whether a key is that of a slice of another measure."""
    same = (key.measure, key.condition, key.variant) == (whole.measure, whole.condition, whole.variant)
    return same and key.slice[: len(whole.slice)] == whole.slice


def _classes(counts: Mapping[Any, int]) -> list[list[Any]]:
    """The values one by one; whole numbers with few units together with the next ones, until they have enough."""
    values = sorted(counts)
    if not all(isinstance(value, int) for value in values):
        return [[value] for value in values]
    found: list[list[Any]] = []
    for value in values:
        if found and sum(counts[one] for one in found[-1]) < LEAST:
            found[-1].append(value)
        else:
            found.append([value])
    if len(found) > 1 and sum(counts[one] for one in found[-1]) < LEAST:
        last = found.pop()
        found[-1] += last
    return found
