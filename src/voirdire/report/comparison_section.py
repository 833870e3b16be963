"""The section that compares models: each against the first that it can be compared with, on what both were asked.

Figures here are over the units that both models have, so they may differ from those of a run. Two models differ in a
measure where p is at most 5 % after Holm's correction over all measures of an exam's part.
"""

from collections.abc import Sequence

from voirdire.figures import (
    ALPHA,
    ARROWS,
    counted,
    show_count,
    show_difference,
    show_figure,
    show_interval,
    show_p,
)
from voirdire.metrics.key import Key
from voirdire.section.charts import Point, data_table, interval_chart
from voirdire.section.content import Cell, Chart, Finding, Fold, Model, Row, Section, Table, Tone
from voirdire.verdict.comparison import Compared, Comparison, compare_alike

COMPARISON = "comparison"
SEED = 0
DRAWN, SLICES = 42, 12
"""The most differences in a chart, and slices in a table."""
OPEN = 4
"""The most comparisons that are shown open; more are folded, each by itself."""

Families = Sequence[tuple[Comparison, ...]]
"""Comparisons with the same first model, their tests corrected together."""

_WAYS: tuple[tuple[Tone, str], ...] = (("good", "better"), ("bad", "worse"), ("plain", "neither better nor worse"))
_LEGEND = "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001 after Holm's correction; ↑ higher is better, ↓ lower."


def compare_models(models: Sequence[Model]) -> tuple[Families, list[str]]:
    """All comparisons that the runs allow, and notes on why others could not be made."""
    families: list[tuple[Comparison, ...]] = []
    notes: list[str] = []
    for title in dict.fromkeys(model.run.title for model in models):
        same = [model for model in models if model.run.title == title]
        compared, reasons = compare_alike([model.label for model in same], [model.run for model in same], seed=SEED)
        families += compared
        notes += [f"Runs of {title}: {reason}." for reason in reasons]
    return families, notes


def comparison_section(families: Families) -> Section | None:
    """The section on all comparisons; None where there are none."""
    comparisons = [comparison for family in families for comparison in family]
    if not comparisons:
        return None
    is_open = len(comparisons) <= OPEN
    contents: list[Table | Chart | Fold] = [
        _summary(comparisons),
        *(chart for number, family in enumerate(families, start=1) for chart in _forests(number, family)),
        *(_pair(number, comparison, is_open) for number, comparison in enumerate(comparisons, start=1)),
    ]
    asks = "Is one model really better than another, on what both were asked?"
    findings = list(map(_finding, comparisons))
    return Section(COMPARISON, "Comparison", asks, (), findings, contents, cites=("permutation", "holm"))


def _summary(comparisons: Sequence[Comparison]) -> Table:
    """A row per comparison: how many measures differ, which way, and by how much the leading one does."""
    rows: list[Row] = []
    for comparison in comparisons:
        first, second = comparison.labels
        lead = _leading(comparison, comparison.measures)
        tones = _tones(comparison)
        counts = (*(tones.count(tone) for tone, _ in _WAYS), _tested(comparison) - len(tones))
        figures = (_difference(lead), _interval(lead), _p(lead.p_holm))
        rows.append((f"{second} against {first}", comparison.title, *map(show_count, counts), _named(lead), *figures))
    head = ("comparison", "part", *(words for _, words in _WAYS), "no clear difference", "leading measure")
    note = (
        "How many measures differ after Holm's correction, which way, and how many do not; beside them the measure "
        f"that leads its part. {_LEGEND}"
    )
    columns = (*head, "difference", "95 % interval", "p (Holm)")
    return Table("comparison-summary", "All comparisons", columns, tuple(rows), note)


def _finding(comparison: Comparison) -> Finding:
    """How many measures differ, which way, and by how much the leading one of them does."""
    first, second = comparison.labels
    differ = [compared for compared in comparison.measures if compared.differs]
    measures = counted(_tested(comparison), "measure")
    where = f"On {comparison.basis}, {comparison.title}"
    if comparison.least_p > ALPHA:
        few = f"too few {comparison.cluster}s to tell it from {first}"
        least = show_figure(comparison.least_p)
        return Finding(second, f"{where}, {few}: no p can be below {least} after the correction.")
    if not differ:
        return Finding(second, f"{where}, none of {measures} differs from {first} beyond chance.")
    tones = _tones(comparison)
    lead = _leading(comparison, differ)
    unit = " points" if _percent(lead) else ""
    by = f"{_signed(lead)}{unit} (95 % interval {_interval(lead)})"
    text = (
        f"{where}, {len(differ)} of {measures} differ from {first} beyond chance ({_ways(tones)}); "
        f"{lead.measure.name} by {by}."
    )
    return Finding(second, text, tones[0] if len(set(tones)) == 1 else "plain")


def _tones(comparison: Comparison) -> list[Tone]:
    """Of the measures that differ, which way each does."""
    return [compared.tone for compared in comparison.measures if compared.differs]


def _ways(tones: Sequence[Tone]) -> str:
    return ", ".join(f"{tones.count(tone)} {word}" for tone, word in _WAYS if tone in tones)


def _leading(comparison: Comparison, among: Sequence[Compared]) -> Compared:
    """The first of the part's headlines, which are those that changed; any other where none of them is among these."""
    headlines = {changed.measure.key for changed in comparison.changed}
    leading = [compared for compared in among if compared.measure.key in headlines]
    return min(leading, key=lambda compared: compared.measure.leads or len(among), default=among[0])


def _tested(comparison: Comparison) -> int:
    """How many measures have a p."""
    return sum(compared.p is not None for compared in comparison.measures)


def _pair(number: int, comparison: Comparison, is_open: bool) -> Fold:
    """The tables on two runs: the measures, the slices that differ, the units that changed most."""
    first, second = comparison.labels
    name = f"compare-{_slug(comparison)}-{number}"
    tables = [_measures(name, comparison)]
    if differ := sorted((part for part in comparison.slices if part.differs), key=lambda part: part.p_holm or 0.0):
        more = f" The {SLICES} with the smallest p are shown." if len(differ) > SLICES else ""
        note = (
            f"{len(differ):,} of {counted(len(comparison.slices), 'slice')} differ after Holm's correction over all "
            f"slices.{more}"
        )
        title = f"Slices in which {second} and {first} differ: {comparison.title}"
        rows = tuple(map(_row, differ[:SLICES]))
        tables.append(Table(f"{name}-slices", title, _head(comparison), rows, note, folded=True))
    if comparison.changed:
        tables.append(_changed(f"{name}-changed", comparison))
    tones = _tones(comparison)
    count = f"{len(tones)} of {counted(_tested(comparison), 'measure')} differ"
    return Fold(tuple(tables), f"{count} ({_ways(tones)})" if tones else count, is_open)


def _measures(name: str, comparison: Comparison) -> Table:
    first, second = comparison.labels
    notes = [
        *([comparison.lead] if comparison.lead else []),
        f"On {comparison.basis}. {_LEGEND}",
        f"Wins are {comparison.noun}s in which {second} is better.",
    ]
    if comparison.slices and not any(part.differs for part in comparison.slices):
        notes.append(f"None of {counted(len(comparison.slices), 'slice')} differs after a correction of their own.")
    note = " ".join([*notes, *comparison.warnings])
    title = f"{second} against {first}: {comparison.title}"
    return Table(name, title, _head(comparison), tuple(map(_row, comparison.measures)), note)


def _head(comparison: Comparison) -> tuple[str, ...]:
    first, second = comparison.labels
    return ("measure", first, second, "difference", "95 % interval", "p", "p (Holm)", "wins", "ties", "losses", "n")


def _row(compared: Compared) -> Row:
    return (
        _named(compared),
        _plain(compared.first, compared.measure.scale),
        _plain(compared.second, compared.measure.scale),
        _difference(compared),
        _interval(compared),
        *map(_p, (compared.p, compared.p_holm)),
        *map(show_count, (compared.wins, compared.ties, compared.losses, compared.n)),
    )


def _named(compared: Compared) -> str:
    """`accuracy (%) ↑`."""
    measure = compared.measure
    unit = f" ({measure.display_unit})" if measure.display_unit else ""
    return f"{measure.name}{unit}{ARROWS[measure.better]}"


def _difference(compared: Compared) -> Cell:
    text = f"{_signed(compared)}{compared.mark}"
    mark = compared.tone if compared.differs else "plain"
    figures = compared.difference, compared.low, compared.high
    return Cell(text, "", "", *figures, mark, compared.measure.scale)


def _signed(compared: Compared) -> str:
    return show_difference(_scaled(compared.difference, compared.measure.scale))


def _interval(compared: Compared) -> str:
    scale = compared.measure.scale
    return show_interval(_scaled(compared.low, scale), _scaled(compared.high, scale))


def _scaled(figure: float | None, scale: float) -> float | None:
    return None if figure is None else figure * scale


def _changed(name: str, comparison: Comparison) -> Table:
    first, second = comparison.labels
    leading = comparison.changed[0].measure
    scale = leading.scale
    rows = tuple(
        (
            changed.unit,
            _plain(changed.first, scale),
            _plain(changed.second, scale),
            Cell(show_difference(changed.difference * scale), value=changed.difference, scale=scale),
        )
        for changed in comparison.changed
        if changed.measure.key == leading.key
    )
    title = f"Where {leading.name} changed most from {first} to {second}: {comparison.title}"
    return Table(name, title, (comparison.noun, first, second, "difference"), rows, folded=True)


def _forests(number: int, comparisons: Sequence[Comparison]) -> list[Chart]:
    """Differences with their intervals, measures of one unit per chart; shares and per cent alone have a chart."""
    points: dict[str, list[Point]] = {"%": [], "": []}
    first, title = comparisons[0].labels[0], comparisons[0].title
    rows = [(comparison.labels[1], compared) for comparison in comparisons for compared in comparison.measures]
    keys = {compared.measure.key for _, compared in rows}
    # One of `cider4` and `cider4@5` is enough, and an axis of shares has no room for anything else.
    left_out = {compared.measure.key for _, compared in rows if not _share(compared)}
    left_out |= {key for key in keys if (key.k is not None or key.slice) and Key(key.measure) in keys}
    for label, compared in rows:
        unit, key = "%" if _percent(compared) else compared.measure.display_unit, compared.measure.key
        if unit in points and compared.low is not None and key not in left_out:
            at = f"{key}{ARROWS[compared.measure.better]}"
            figures = (compared.difference, compared.low, compared.high)
            points[unit].append(Point(label, at, *figures, scale=compared.measure.scale))
    charts = []
    for unit, of_unit in points.items():
        measures = list(dict.fromkeys(point.at for point in of_unit))
        shown = measures[: max(1, DRAWN // len(comparisons))]
        if not shown:
            continue
        kept = [point for point in of_unit if point.at in shown]
        heading = f"Differences from {first}: {title}" + (", in percent" if unit else "")
        says = f"Each model's figure minus that of {first}, with 95 % intervals; one that includes 0 may be chance."
        if len(shown) < len(measures):
            says += f" The first {len(shown)} of {len(measures)} measures; the tables have all."
        axis = f"difference{' (points of a percent scale)' if unit else ''}"
        spec = interval_chart(kept, value=axis, line=(0.0, "no difference"))
        name = f"forest-{_slug(comparisons[0])}-{number}{'-percent' if unit else ''}"
        data = data_table(name, heading, kept, at="measure")
        charts.append(Chart(heading, spec, says, data))
    return charts


def _slug(comparison: Comparison) -> str:
    return comparison.title.replace(" ", "-")


def _percent(compared: Compared) -> bool:
    return compared.measure.display_unit in ("%", "points")


def _share(compared: Compared) -> bool:
    """Whether the figures are shares or per cent, which one axis can show together."""
    figures = [figure for figure in (compared.first, compared.second) if figure is not None]
    return _percent(compared) or all(abs(figure) <= 1 for figure in figures)


def _p(value: float | None) -> Cell:
    return Cell(show_p(value), value=value)


def _plain(figure: float | None, scale: float) -> Cell:
    return Cell(show_figure(_scaled(figure, scale)), value=figure, scale=scale)
