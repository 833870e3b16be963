"""The section that compares models: each against the first, on what both were asked.

Figures here are over the units that both models have, so they may differ from those of a run. A difference counts as
one where p is at most 5 % after Holm's correction over all measures of an exam's part.
"""

from collections.abc import Iterable, Sequence

from voirdire.errors import UsageError
from voirdire.figures import ALPHA, show_count, show_difference, show_figure, show_interval, show_p, stars
from voirdire.formats.words import counted
from voirdire.report.charts import Point, data_table, interval_chart
from voirdire.report.content import Cell, Chart, Finding, Model, Section, Table, Tone
from voirdire.verdict.comparison import Compared, Comparison, compare_runs

__all__ = ["COMPARISON", "comparison_section"]

COMPARISON = "comparison"
DRAWN, SLICES = 14, 12
"""Measures in a chart, and slices in a table, at most."""


def comparison_section(models: Sequence[Model]) -> tuple[Section | None, list[str]]:
    """All comparisons that the runs allow, if any, and why others could not be made."""
    contents: list[Table | Chart] = []
    findings: list[Finding] = []
    notes: list[str] = []
    for title in dict.fromkeys(model.run.title for model in models):
        same = [model for model in models if model.run.title == title]
        if len(same) < 2:
            continue
        try:
            compared = compare_runs([model.label for model in same], [model.run for model in same])
        except UsageError as error:
            notes.append(f"Runs of {title} are not compared: {error}")
            continue
        slug = title.replace(" ", "-")
        contents += _forests(slug, title, compared)
        for number, comparison in enumerate(compared, start=1):
            contents += _tables(f"compare-{slug}-{number}", comparison)
            findings.append(_finding(comparison))
    if not contents:
        return None, notes
    asks = "Is one model really better than another, on what both were asked?"
    section = Section(COMPARISON, "Comparison", asks, (), findings, contents, cites=("permutation", "holm"))
    return section, notes


def _finding(comparison: Comparison) -> Finding:
    """How many measures differ, which way, and by how much the first of them does."""
    first, second = comparison.labels
    differ = [one for one in comparison.measures if _differs(one)]
    tested = [one for one in comparison.measures if one.p is not None]
    where = f"On {counted(comparison.paired, 'item')} of {comparison.title}"
    if not differ:
        said = f"{where}, none of {counted(len(tested), 'measure')} differs from {first} beyond chance."
        return Finding(second, said)
    tones = [_tone(one) for one in differ]
    ways = [f"{tones.count(tone)} {word}" for tone, word in _WAYS if tone in tones]
    leading = {one.measure for one in comparison.changed}
    lead = next((one for one in differ if one.measure in leading), differ[0])
    said = (
        f"{where}, {len(differ)} of {counted(len(tested), 'measure')} differ from {first} beyond chance "
        f"({', '.join(ways)}); {lead.measure} by {show_difference(lead.difference)} "
        f"(95 % interval {show_interval(lead.low, lead.high)})."
    )
    best: Tone = "good" if set(tones) == {"good"} else "bad" if set(tones) == {"bad"} else "plain"
    return Finding(second, said, best)


_WAYS: tuple[tuple[Tone, str], ...] = (("good", "better"), ("bad", "worse"), ("plain", "neither better nor worse"))


def _tables(name: str, comparison: Comparison) -> list[Table]:
    first, second = comparison.labels
    title = f"{second} against {first}: {comparison.title}"
    made = [_measures(name, title, comparison)]
    if differ := sorted((one for one in comparison.slices if _differs(one)), key=lambda one: one.p_holm or 0.0):
        more = f" The {SLICES} with the smallest p are shown." if len(differ) > SLICES else ""
        note = (
            f"{len(differ):,} of {counted(len(comparison.slices), 'slice')} differ after Holm's correction over all "
            f"slices.{more}"
        )
        rows = tuple(map(_row, differ[:SLICES]))
        made.append(
            Table(
                f"{name}-slices",
                f"Slices in which {second} and {first} differ",
                _head(comparison),
                rows,
                note,
                folded=True,
            )
        )
    if comparison.changed:
        made.append(_changed(f"{name}-changed", comparison))
    return made


def _measures(name: str, title: str, comparison: Comparison) -> Table:
    slices = (
        ""
        if any(map(_differs, comparison.slices)) or not comparison.slices
        else (f" None of {counted(len(comparison.slices), 'slice')} differs after a correction of their own.")
    )
    note = " ".join(
        [
            f"On the {counted(comparison.paired, 'item')} that both have.",
            "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001 after Holm's correction;",
            f"wins are items in which {comparison.labels[1]} is better.{slices}",
            *comparison.warnings,
        ]
    )
    return Table(name, title, _head(comparison), tuple(map(_row, comparison.measures)), note)


def _head(comparison: Comparison) -> tuple[str, ...]:
    first, second = comparison.labels
    return ("measure", first, second, "difference", "95 % interval", "p", "p (Holm)", "wins", "ties", "losses", "n")


def _row(one: Compared) -> tuple[Cell | str, ...]:
    unit = f" ({one.unit})" if one.unit else ""
    mark = _tone(one) if _differs(one) else "plain"
    return (
        f"{one.measure}{unit}",
        _plain(one.first),
        _plain(one.second),
        Cell(
            f"{show_difference(one.difference)}{stars(one.p_holm)}",
            value=one.difference,
            low=one.low,
            high=one.high,
            mark=mark,
        ),
        show_interval(one.low, one.high),
        show_p(one.p),
        show_p(one.p_holm),
        *map(show_count, (one.wins, one.ties, one.losses, one.n)),
    )


def _changed(name: str, comparison: Comparison) -> Table:
    first, second = comparison.labels
    leading = comparison.changed[0].measure
    rows = tuple(
        (
            one.unit,
            _plain(one.first),
            _plain(one.second),
            Cell(show_difference(one.difference), value=one.difference),
        )
        for one in comparison.changed
        if one.measure == leading
    )
    head = ("item", first, second, "difference")
    return Table(name, f"Where {leading} changed most from {first} to {second}", head, rows, folded=True)


def _forests(slug: str, title: str, comparisons: Iterable[Comparison]) -> list[Chart]:
    """Differences with their intervals, measures of one unit in one chart; others are left to the tables."""
    points: dict[str, list[Point]] = {"%": [], "": []}
    first = ""
    for comparison in comparisons:
        first = comparison.labels[0]
        for one in comparison.measures:
            if one.unit in points and one.low is not None and _share(one) and not set("@[") & set(one.measure):
                points[one.unit].append(Point(comparison.labels[1], one.measure, one.difference, one.low, one.high))
    charts = []
    for unit, found in points.items():
        shown = list(dict.fromkeys(point.at for point in found))[:DRAWN]
        kept = [point for point in found if point.at in shown]
        if not kept:
            continue
        name = f"forest-{slug}{'-percent' if unit else ''}"
        heading = f"Differences from {first}: {title}" + (", in percent" if unit else "")
        says = f"Each model's figure minus that of {first}, with 95 % intervals; one that holds 0 may be chance."
        axis = f"difference{' (points of a percent scale)' if unit else ''}"
        spec = interval_chart(kept, value=axis, line=(0.0, "no difference"))
        charts.append(Chart(heading, spec, says, data_table(name, heading, kept, at="measure")))
    return charts


def _share(one: Compared) -> bool:
    """Whether the figures are shares or per cent, which one axis can show together."""
    return one.unit == "%" or all(figure is not None and abs(figure) <= 1 for figure in (one.first, one.second))


def _differs(one: Compared) -> bool:
    return one.p_holm is not None and one.p_holm <= ALPHA and bool(one.difference)


def _tone(one: Compared) -> Tone:
    if one.better == "neither" or not one.difference:
        return "plain"
    return "good" if (one.difference > 0) == (one.better == "higher") else "bad"


def _plain(figure: float | None) -> Cell:
    return Cell(show_figure(figure), value=figure)
