"""The section that compares models: each against the first that it can be compared with, on what both were asked.

Figures here are over the units that both models have, so they may differ from those of a run. A difference counts as
one where p is at most 5 % after Holm's correction over all measures of an exam's part.
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
    stars,
)
from voirdire.metrics.key import Key
from voirdire.section.charts import Point, data_table, interval_chart
from voirdire.section.content import Cell, Chart, Finding, Fold, Model, Row, Section, Table, Tone
from voirdire.verdict.comparison import Compared, Comparison, compare_alike

COMPARISON = "comparison"
SEED = 0
DRAWN, SLICES = 42, 12
"""Differences in a chart, and slices in a table, at most."""
OPEN = 4
"""Comparisons that are shown at once; more are folded, each for itself."""


Families = Sequence[tuple[Comparison, ...]]
"""Comparisons with the same first model, their tests corrected together."""


def compare_models(models: Sequence[Model]) -> tuple[Families, list[str]]:
    """All comparisons that the runs allow, and why others could not be made."""
    families: list[tuple[Comparison, ...]] = []
    notes: list[str] = []
    for title in dict.fromkeys(model.run.title for model in models):
        same = [model for model in models if model.run.title == title]
        found, reasons = compare_alike([model.label for model in same], [model.run for model in same], seed=SEED)
        families += found
        notes += [f"Runs of {title}: {reason}." for reason in reasons]
    return families, notes


def comparison_section(families: Families) -> Section | None:
    """All that is said of them; None where there are none."""
    made = [comparison for family in families for comparison in family]
    if not made:
        return None
    contents: list[Table | Chart | Fold] = [
        _summary(made),
        *(chart for number, family in enumerate(families, start=1) for chart in _forests(number, family)),
        *(_pair(number, one, len(made) <= OPEN) for number, one in enumerate(made, start=1)),
    ]
    asks = "Is one model really better than another, on what both were asked?"
    findings = list(map(_finding, made))
    return Section(COMPARISON, "Comparison", asks, (), findings, contents, cites=("permutation", "holm"))


def _summary(comparisons: Sequence[Comparison]) -> Table:
    """A row a comparison: how many measures differ, which way, and by how much the leading one does."""
    rows: list[Row] = []
    for made in comparisons:
        first, second = made.labels
        lead = _leading(made, made.measures)
        tones = [_tone(one) for one in made.measures if _differs(one)]
        counts = (tones.count("good"), tones.count("bad"), tones.count("plain"), len(_tested(made)) - len(tones))
        figures = (_difference(lead), _interval(lead), _p(lead.p_holm))
        rows.append((f"{second} against {first}", made.title, *map(show_count, counts), _named(lead), *figures))
    head = (
        "comparison",
        "part",
        *(words for _, words in _WAYS),
        "no clear difference",
        "leading measure",
        "difference",
    )
    note = (
        "How many measures differ after Holm's correction, which way, and how many do not; beside them the measure "
        f"that leads its part. {_LEGEND}"
    )
    title = "All comparisons"
    return Table("comparison-summary", title, (*head, "95 % interval", "p (Holm)"), tuple(rows), note)


def _finding(comparison: Comparison) -> Finding:
    """How many measures differ, which way, and by how much the leading one of them does."""
    first, second = comparison.labels
    differ = [one for one in comparison.measures if _differs(one)]
    measures = counted(len(_tested(comparison)), "measure")
    where = f"On {counted(comparison.paired, comparison.noun)} of {comparison.title}"
    if comparison.least_p > ALPHA:
        few = f"too few {comparison.cluster}s to tell it from {first}"
        least = show_figure(comparison.least_p)
        return Finding(second, f"{where}, {few}: no p can be below {least} after the correction.")
    if not differ:
        return Finding(second, f"{where}, none of {measures} differs from {first} beyond chance.")
    tones = [_tone(one) for one in differ]
    lead = _leading(comparison, differ)
    unit = " points" if _percent(lead) else ""
    by = f"{_shown_difference(lead)}{unit} (95 % interval {_interval(lead)})"
    said = (
        f"{where}, {len(differ)} of {measures} differ from {first} beyond chance ({_ways(tones)}); "
        f"{lead.measure.name} by {by}."
    )
    best: Tone = "good" if set(tones) == {"good"} else "bad" if set(tones) == {"bad"} else "plain"
    return Finding(second, said, best)


_WAYS: tuple[tuple[Tone, str], ...] = (("good", "better"), ("bad", "worse"), ("plain", "neither better nor worse"))
_LEGEND = "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001 after Holm's correction; ↑ higher is better, ↓ lower."


def _ways(tones: Sequence[Tone]) -> str:
    return ", ".join(f"{tones.count(tone)} {word}" for tone, word in _WAYS if tone in tones)


def _leading(comparison: Comparison, among: Sequence[Compared]) -> Compared:
    """The first of the part's headlines, which are those that changed; any other where none of them is among these."""
    headlines = {one.measure.key for one in comparison.changed}
    return next((one for one in among if one.measure.key in headlines), among[0])


def _tested(comparison: Comparison) -> list[Compared]:
    return [one for one in comparison.measures if one.p is not None]


def _pair(number: int, comparison: Comparison, at_once: bool) -> Fold:
    """All that is said of two runs: the measures, the slices that differ, the units that changed most."""
    first, second = comparison.labels
    name = f"compare-{_slug(comparison)}-{number}"
    made = [_measures(name, comparison)]
    if differ := sorted((one for one in comparison.slices if _differs(one)), key=lambda one: one.p_holm or 0.0):
        more = f" The {SLICES} with the smallest p are shown." if len(differ) > SLICES else ""
        note = (
            f"{len(differ):,} of {counted(len(comparison.slices), 'slice')} differ after Holm's correction over all "
            f"slices.{more}"
        )
        title = f"Slices in which {second} and {first} differ: {comparison.title}"
        rows = tuple(map(_row, differ[:SLICES]))
        made.append(Table(f"{name}-slices", title, _head(comparison), rows, note, folded=True))
    if comparison.changed:
        made.append(_changed(f"{name}-changed", comparison))
    tones = [_tone(one) for one in comparison.measures if _differs(one)]
    said = f"{len(tones)} of {counted(len(_tested(comparison)), 'measure')} differ"
    return Fold(tuple(made), f"{said} ({_ways(tones)})" if tones else said, at_once)


def _measures(name: str, comparison: Comparison) -> Table:
    first, second = comparison.labels
    whole = comparison.slices and not any(map(_differs, comparison.slices))
    slices = f"None of {counted(len(comparison.slices), 'slice')} differs after a correction of their own."
    note = " ".join(
        [
            f"On the {counted(comparison.paired, comparison.noun)} that both have. {_LEGEND}",
            f"Wins are {comparison.noun}s in which {second} is better.",
            *([slices] if whole else []),
            *comparison.warnings,
        ]
    )
    title = f"{second} against {first}: {comparison.title}"
    return Table(name, title, _head(comparison), tuple(map(_row, comparison.measures)), note)


def _head(comparison: Comparison) -> tuple[str, ...]:
    first, second = comparison.labels
    return ("measure", first, second, "difference", "95 % interval", "p", "p (Holm)", "wins", "ties", "losses", "n")


def _row(one: Compared) -> Row:
    return (
        _named(one),
        _plain(one.first, one.measure.scale),
        _plain(one.second, one.measure.scale),
        _difference(one),
        _interval(one),
        *map(_p, (one.p, one.p_holm)),
        *map(show_count, (one.wins, one.ties, one.losses, one.n)),
    )


def _named(one: Compared) -> str:
    """`accuracy (%) ↑`."""
    unit = f" ({one.measure.shown_unit})" if one.measure.shown_unit else ""
    return f"{one.measure.name}{unit}{ARROWS[one.measure.better]}"


def _difference(one: Compared) -> Cell:
    text = f"{_shown_difference(one)}{stars(one.p_holm)}"
    mark = _tone(one) if _differs(one) else "plain"
    return Cell(text, value=one.difference, low=one.low, high=one.high, mark=mark, scale=one.measure.scale)


def _shown_difference(one: Compared) -> str:
    return show_difference(_scaled(one.difference, one.measure.scale))


def _interval(one: Compared) -> str:
    return show_interval(_scaled(one.low, one.measure.scale), _scaled(one.high, one.measure.scale))


def _scaled(figure: float | None, scale: float) -> float | None:
    return None if figure is None else figure * scale


def _changed(name: str, comparison: Comparison) -> Table:
    first, second = comparison.labels
    leading = comparison.changed[0].measure
    scale = leading.scale
    rows = tuple(
        (
            one.unit,
            _plain(one.first, scale),
            _plain(one.second, scale),
            Cell(show_difference(one.difference * scale), value=one.difference, scale=scale),
        )
        for one in comparison.changed
        if one.measure.key == leading.key
    )
    title = f"Where {leading.name} changed most from {first} to {second}: {comparison.title}"
    return Table(name, title, (comparison.noun, first, second, "difference"), rows, folded=True)


def _forests(number: int, comparisons: Sequence[Comparison]) -> list[Chart]:
    """Differences with their intervals, measures of one unit in one chart; others are left to the tables."""
    points: dict[str, list[Point]] = {"%": [], "": []}
    first, title = comparisons[0].labels[0], comparisons[0].title
    every = [one for comparison in comparisons for one in comparison.measures]
    keys = {one.measure.key for one in every}
    # Of `cider4` and `cider4@5` one is enough, and an axis of shares has no room for anything else.
    unfit = {one.measure.key for one in every if not _share(one)}
    left_out = unfit | {key for key in keys if (key.k is not None or key.slice) and Key(key.measure) in keys}
    for comparison in comparisons:
        for one in comparison.measures:
            unit, key = "%" if _percent(one) else one.measure.shown_unit, one.measure.key
            if unit in points and one.low is not None and key not in left_out:
                at = f"{key}{ARROWS[one.measure.better]}"
                figures = (one.difference, one.low, one.high)
                points[unit].append(Point(comparison.labels[1], at, *figures, scale=one.measure.scale))
    charts = []
    for unit, found in points.items():
        measures = list(dict.fromkeys(point.at for point in found))
        shown = measures[: max(1, DRAWN // len(comparisons))]
        if not shown:
            continue
        kept = [point for point in found if point.at in shown]
        heading = f"Differences from {first}: {title}" + (", in percent" if unit else "")
        says = f"Each model's figure minus that of {first}, with 95 % intervals; one that holds 0 may be chance."
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


def _percent(one: Compared) -> bool:
    return one.measure.shown_unit in ("%", "points")


def _share(one: Compared) -> bool:
    """Whether the figures are shares or per cent, which one axis can show together."""
    figures = [figure for figure in (one.first, one.second) if figure is not None]
    return _percent(one) or all(abs(figure) <= 1 for figure in figures)


def _differs(one: Compared) -> bool:
    return one.p_holm is not None and one.p_holm <= ALPHA and bool(one.difference)


def _tone(one: Compared) -> Tone:
    if one.measure.better == "neither" or not one.difference:
        return "plain"
    return "good" if (one.difference > 0) == (one.measure.better == "higher") else "bad"


def _p(value: float | None) -> Cell:
    return Cell(show_p(value), value=value)


def _plain(figure: float | None, scale: float) -> Cell:
    return Cell(show_figure(_scaled(figure, scale)), value=figure, scale=scale)
