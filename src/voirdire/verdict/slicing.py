"""The headline measures on parts of the units: one slice for each value of each facet of a view."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from voirdire.metrics.measure import Measure
from voirdire.runs.view import View

__all__ = ["slices_of"]


def slices_of(views: Sequence[View], measures: Sequence[Measure]) -> list[Measure]:
    """The slices of those measures that runs with the same view share, by all values that any of the runs has."""
    view, made = views[0], []
    names = {measure.name for one in views for measure in one.measures}
    own = {measure.where: measure.of for measure in measures if view.roles.get(measure.name) == "slice"}
    for measure in measures:
        if view.roles.get(measure.name) != "headline" or measure.where is not None:
            continue
        for facet in view.facets:
            for value in _values(views, facet):
                if own.get((facet, value)) == measure.of:
                    continue
                name = _name(measure.name, _label(facet, value))
                if name in names:
                    name = _name(measure.name, f"{_words(facet)} {value}")
                names.add(name)
                made.append(replace(measure, name=name, where=(facet, value)))
    return made


def _values(views: Sequence[View], facet: str) -> list[Any]:
    return sorted({value for view in views for value in view.items[facet].unique().to_list() if value is not None})


def _label(facet: str, value: Any) -> str:
    return value if isinstance(value, str) else f"{_words(facet)} {value}"


def _words(facet: str) -> str:
    return facet.replace("_", " ")


def _name(name: str, label: str) -> str:
    """`cider4[round 3]`, `drop[yes/no]:partition1`, `l2[minilm, round 3]`: one pair of brackets, before a variant."""
    # A colon inside brackets belongs to the name of an encoder.
    at = name.rfind(":") if name.rfind(":") > name.rfind("]") else len(name)
    base, variant = name[:at], name[at:]
    return (f"{base[:-1]}, {label}]" if base.endswith("]") else f"{base}[{label}]") + variant
