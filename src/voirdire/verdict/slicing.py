"""The headline measures on parts of the units: one slice for each value of each facet of a view."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from voirdire.metrics.measure import Measure
from voirdire.runs.view import View


def slices_of(views: Sequence[View], measures: Sequence[Measure]) -> list[Measure]:
    """The slices of those measures that runs with the same view share, by all values that any of the runs has."""
    view, made = views[0], []
    keys = {measure.key for one in views for measure in one.measures}
    own = {measure.where: measure.of for measure in measures if view.roles.get(measure.key) == "slice"}
    for measure in measures:
        if view.roles.get(measure.key) != "headline" or measure.where is not None:
            continue
        for facet in (one for one in view.facets if all(one in other.items.columns for other in views)):
            for value in _values(views, facet):
                if own.get((facet, value)) == measure.of:
                    continue
                words = f"{facet.replace('_', ' ')} {value}"
                key = measure.key.on(value if isinstance(value, str) else words)
                if key in keys:
                    key = measure.key.on(words)
                keys.add(key)
                made.append(replace(measure, key=key, where=(facet, value)))
    return made


def _values(views: Sequence[View], facet: str) -> list[Any]:
    return sorted({value for view in views for value in view.items[facet].unique().to_list() if value is not None})
