"""Comparisons as tables for a paper (LaTeX) and for a spreadsheet (CSV, one file per table).

With intervals, all models are in one table, one column per model and one row per measure: the figure, its interval
over the units that all of them share, and stars where it differs from the first model's. Without, there is one table
per further model beside the first, with the difference, its interval and p. The best figure of a row is in bold.

    ±  half of the interval's width; percentile intervals need not lie evenly around their figure
    […, …]  both ends
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Literal, TypeVar

from voirdire.errors import UsageError
from voirdire.figures import ARROWS, show_figure
from voirdire.metrics.measure import Measure
from voirdire.tables import BestFigure, csv_text, slug, tabular
from voirdire.verdict.comparison import Changed, Compared, Comparison

IntervalForm = Literal["pm", "brackets"]
INTERVALS: tuple[IntervalForm, ...] = ("pm", "brackets")

_T = TypeVar("_T", Compared, Changed)
_SIDES = (("first", "first_low", "first_high"), ("second", "second_low", "second_high"))


def only_measures(comparisons: Sequence[Comparison], wanted: Sequence[str]) -> list[Comparison]:
    """The comparisons with the wanted measures alone, in the order of `wanted`; the correction stays as it was.

    `recall` stands for all figures of that measure: `recall@1`, `recall@5` …
    """
    known = [compared.measure for comparison in comparisons for compared in comparison.measures]
    for name in wanted:
        if not any(_is(measure, name) for measure in known):
            names = ", ".join(dict.fromkeys(measure.name for measure in known))
            raise UsageError(f"`measures` names {name}, which is no measure to compare here; there are {names}")

    def named(rows: Sequence[_T]) -> tuple[_T, ...]:
        return tuple(row for name in wanted for row in rows if _is(row.measure, name))

    return [
        replace(each, measures=named(each.measures), slices=named(each.slices), changed=named(each.changed))
        for each in comparisons
    ]


def _is(measure: Measure, name: str) -> bool:
    return name in (measure.name, measure.key.measure)


def latex_tables(comparisons: Sequence[Comparison], form: IntervalForm | None = None) -> list[tuple[str, list[str]]]:
    """Each table as its heading and its lines."""
    if form is None:
        return [(comparison.heading, _pairwise(comparison)) for comparison in comparisons]
    complete = all(not comparison.only_first and not comparison.only_second for comparison in comparisons)
    if not complete or len({tuple(row.measure.key for row in each.measures) for each in comparisons}) > 1:
        # The figures of the first model differ from pair to pair, so no single column can show them.
        return [(comparison.heading, _side_by_side([comparison], form)) for comparison in comparisons]
    first = comparisons[0]
    others = ", ".join(comparison.labels[1] for comparison in comparisons)
    heading = f"{first.title}: {others} against {first.labels[0]}, {first.paired:,} in all"
    return [(heading, _side_by_side(comparisons, form))]


def _pairwise(comparison: Comparison) -> list[str]:
    head, rows = comparison.table()
    marked = []
    for compared, (name, *figures) in zip(comparison.measures, rows, strict=True):
        sides = [BestFigure(cell) if best else cell for cell, best in zip(figures, compared.best, strict=False)]
        marked.append([name, *sides, *figures[2:]])
    return tabular(head, marked)


def _side_by_side(comparisons: Sequence[Comparison], form: IntervalForm) -> list[str]:
    head = ["measure", comparisons[0].labels[0], *(comparison.labels[1] for comparison in comparisons)]
    rows: list[list[str | BestFigure]] = []
    for several in zip(*(comparison.measures for comparison in comparisons), strict=True):
        measure = several[0].measure
        sides = [(several[0], 0), *((compared, 1) for compared in several)]
        values = [getattr(compared, _SIDES[side][0]) for compared, side in sides]
        best = None if any(compared.caveat for compared in several) else _best(values, measure)
        row: list[str | BestFigure] = [measure.name + ARROWS[measure.better]]
        for (compared, side), value in zip(sides, values, strict=True):
            rest = _interval(compared, side, form) + (compared.mark if side else "")
            figure = show_figure(value)
            row.append(BestFigure(figure, rest) if value is not None and value == best else figure + rest)
        rows.append(row)
    return tabular(head, rows)


def _best(values: Iterable[float | None], measure: Measure) -> float | None:
    known = [value for value in values if value is not None]
    if not known or measure.better == "neither":
        return None
    return max(known) if measure.better == "higher" else min(known)


def _interval(compared: Compared, side: int, form: IntervalForm) -> str:
    low, high = (getattr(compared, name) for name in _SIDES[side][1:])
    if low is None or high is None:
        return ""
    return f" ± {show_figure((high - low) / 2)}" if form == "pm" else f" [{show_figure(low)}, {show_figure(high)}]"


def csv_tables(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """Every table by the name of its file: measures, slices and the units that changed most; figures in full."""
    tables: dict[str, str] = {}
    for comparison in comparisons:
        first, second = comparison.labels
        name = "-".join(map(slug, (comparison.title, second, "against", first)))
        for kind in ("measures", "slices", "changed"):
            rows: Sequence[Compared | Changed] = getattr(comparison, kind)
            if rows:
                text = csv_text([_head(rows[0], comparison.labels), *map(_row, rows)])
                tables[_free(f"{name}-{kind}", tables)] = text
    return tables


def _head(row: Compared | Changed, labels: tuple[str, str]) -> list[str]:
    """The fields, with the labels of the models in place of `first` and `second`."""
    named = dict(zip(("first", "second"), labels, strict=True))
    return [
        re.sub(r"^(first|second)", lambda side: named[side[0]], field.name).replace("_", " ") for field in fields(row)
    ]


def _row(row: Compared | Changed) -> list[str]:
    values = (getattr(row, field.name) for field in fields(row))
    return ["" if value is None else value.name if isinstance(value, Measure) else str(value) for value in values]


def _free(name: str, taken: dict[str, str]) -> str:
    """The name, with a number where different labels give the same name of a file."""
    if name not in taken:
        return name
    return next(at for number in range(2, len(taken) + 3) if (at := f"{name}-{number}") not in taken)
