"""Comparisons as tables for a paper (LaTeX) and for a spreadsheet (CSV, one file per table).

With an interval all models stand side by side, one column each and one row per measure: the figure, its own interval
over the units that all of them share, and stars where it differs from the first model's. Without, there is a table for
each model beside the first, with the difference, its interval and p. The best figure of a row is in bold.

    ±  half of the interval's width; percentile intervals need not lie evenly around their figure
    […, …]  both ends
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Literal

from voirdire.errors import UsageError
from voirdire.figures import ARROWS, show_figure, stars
from voirdire.metrics.measure import Measure
from voirdire.tables import BestFigure, csv_text, tabular
from voirdire.verdict.comparison import Changed, Compared, Comparison

IntervalForm = Literal["pm", "brackets"]
INTERVALS: tuple[IntervalForm, ...] = ("pm", "brackets")

_SIDES = (("first", "first_low", "first_high"), ("second", "second_low", "second_high"))


def only_measures(made: Sequence[Comparison], wanted: Sequence[str]) -> list[Comparison]:
    """The comparisons with the wanted measures alone, in the order of wishes; their tests are corrected as before.

    `recall` stands for all figures of that measure: `recall@1`, `recall@5` …
    """
    known = [one.measure for comparison in made for one in comparison.measures]
    for name in wanted:
        if not any(_is(measure, name) for measure in known):
            names = ", ".join(dict.fromkeys(measure.name for measure in known))
            raise UsageError(f"`measures` names {name}, which is no measure to compare here; there are {names}")
    return [
        replace(
            comparison,
            measures=tuple(one for name in wanted for one in comparison.measures if _is(one.measure, name)),
            slices=tuple(one for name in wanted for one in comparison.slices if _is(one.measure, name)),
            changed=tuple(one for name in wanted for one in comparison.changed if _is(one.measure, name)),
        )
        for comparison in made
    ]


def _is(measure: Measure, name: str) -> bool:
    return name in (measure.name, measure.key.measure)


def latex_tables(made: Sequence[Comparison], form: IntervalForm | None = None) -> list[tuple[str, list[str]]]:
    """Each table as its heading and its lines."""
    if form is None:
        return [(one.heading, _pairwise(one)) for one in made]
    if not _share_units(made):
        # The figures of the first model are others in each pair, so that no column could hold them.
        return [(one.heading, _side_by_side([one], form)) for one in made]
    first = made[0]
    others = ", ".join(one.labels[1] for one in made)
    return [(f"{first.title}: {others} against {first.labels[0]}, {first.paired:,} in all", _side_by_side(made, form))]


def _share_units(made: Sequence[Comparison]) -> bool:
    """Whether all runs have the same units and measures."""
    whole = all(not one.only_first and not one.only_second for one in made)
    return whole and len({tuple(each.measure.key for each in one.measures) for one in made}) == 1


def _pairwise(made: Comparison) -> list[str]:
    head, rows = made.table()
    marked = []
    for one, (name, *figures) in zip(made.measures, rows, strict=True):
        sides = [BestFigure(cell) if best else cell for cell, best in zip(figures, one.best, strict=False)]
        marked.append([name, *sides, *figures[2:]])
    return tabular(head, marked)


def _side_by_side(made: Sequence[Comparison], form: IntervalForm) -> list[str]:
    head = ["measure", made[0].labels[0], *(one.labels[1] for one in made)]
    rows: list[list[str | BestFigure]] = []
    for several in zip(*(one.measures for one in made), strict=True):
        measure = several[0].measure
        sides = [(several[0], 0), *((one, 1) for one in several)]
        values = [getattr(one, _SIDES[side][0]) for one, side in sides]
        best = _best(values, measure)
        row: list[str | BestFigure] = [measure.name + ARROWS[measure.better]]
        for (one, side), value in zip(sides, values, strict=True):
            rest = _ends(one, side, form) + (stars(one.p_holm) if side else "")
            shown = show_figure(value)
            row.append(BestFigure(shown, rest) if value is not None and value == best else shown + rest)
        rows.append(row)
    return tabular(head, rows)


def _best(values: Iterable[float | None], measure: Measure) -> float | None:
    there = [value for value in values if value is not None]
    if not there or measure.better == "neither":
        return None
    return max(there) if measure.better == "higher" else min(there)


def _ends(one: Compared, side: int, form: IntervalForm) -> str:
    low, high = (getattr(one, name) for name in _SIDES[side][1:])
    if low is None or high is None:
        return ""
    return f" ± {show_figure((high - low) / 2)}" if form == "pm" else f" [{show_figure(low)}, {show_figure(high)}]"


def csv_tables(made: Sequence[Comparison]) -> dict[str, str]:
    """Every table by the name of its file: measures, slices and the units that changed most; figures in full."""
    tables: dict[str, str] = {}
    for one in made:
        name = "-".join(map(_slug, (one.title, one.labels[1], "against", one.labels[0])))
        several: tuple[tuple[str, Sequence[Compared | Changed]], ...] = (
            ("measures", one.measures),
            ("slices", one.slices),
            ("changed", one.changed),
        )
        for kind, rows in several:
            if rows:
                at = _free(f"{name}-{kind}", tables)
                tables[at] = csv_text([_head(rows[0], one.labels), *map(_row, rows)])
    return tables


def _head(row: Compared | Changed, labels: tuple[str, str]) -> list[str]:
    """The fields, with the labels of the models in place of `first` and `second`."""
    named = dict(zip(("first", "second"), labels, strict=True))
    return [
        re.sub(r"^(first|second)", lambda found: named[found[0]], one.name).replace("_", " ") for one in fields(row)
    ]


def _row(row: Compared | Changed) -> list[str]:
    values = (getattr(row, one.name) for one in fields(row))
    return ["" if value is None else value.name if isinstance(value, Measure) else str(value) for value in values]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def _free(name: str, taken: "dict[str, str]") -> str:
    """The name, or with a number where labels that differ are alike as names of files."""
    if name not in taken:
        return name
    return next(at for number in range(2, len(taken) + 3) if (at := f"{name}-{number}") not in taken)
