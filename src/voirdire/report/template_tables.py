"""The figures of a model that was asked in several templates, side by side, and over all of them."""

from collections.abc import Sequence
from dataclasses import replace

from voirdire.figures import ARROWS, counted, shown_in
from voirdire.metrics.measure import Measure
from voirdire.section.content import Finding, Model, Row, Section, Table, cell_of
from voirdire.stats.over_wordings import FEWEST
from voirdire.tables import slug
from voirdire.verdict.templates import BETWEEN, OneModel, OverTemplates, asked_in_several, over_templates

NOTE = (
    "The last column has the mean and its 95 % interval, which includes the choice of the templates: Student's t with "
    "templates − 1 degrees of freedom where the templates make all of the difference, with more the larger the part of "
    "chance in the items. Where that cannot be told, as of one image, it has the range."
)
TWO = "The last column has the range: two templates do not say how far others would be from them."


def with_templates(section: Section, models: Sequence[Model]) -> Section:
    """The section with a table for each model that was asked in several templates, and a sentence on it."""
    contents, findings = list(section.contents), list(section.findings)
    for asked in asked_in_several((model.label, model.run) for model in models):
        if measures := over_templates(asked):
            contents.append(_table(asked, measures, models))
            leading = next((measure for measure in measures if measure.leads), measures[0])
            findings += _finding(asked, leading)
    return replace(section, contents=contents, findings=findings)


def _table(asked: OneModel, measures: Sequence[OverTemplates], models: Sequence[Model]) -> Table:
    sides = [
        next(model for model in models if model.label == f"{asked.name}{BETWEEN}{template}" and model.run is run)
        for template, run in asked.runs.items()
    ]
    rows: list[Row] = [
        (
            _named(over.measure),
            *(
                cell_of(side, over.measure.key, _shown(figure.value, over.measure), over.measure.scale)
                for side, figure in zip(sides, over.figures, strict=True)
            ),
            _over_all(over),
        )
        for over in measures
    ]
    name = f"{asked.title.replace(' ', '-')}-templates-{slug(asked.name)}"
    title = f"Does it depend on the words? {asked.name} in {counted(len(sides), 'template')}, {asked.title}"
    note = NOTE if len(sides) >= FEWEST else TWO
    return Table(name, title, ("measure", *asked.runs, "over templates"), tuple(rows), note)


def _finding(asked: OneModel, over: OverTemplates) -> list[Finding]:
    if over.range is None:
        return []
    by_value = sorted(zip(asked.runs, over.figures, strict=True), key=lambda pair: pair[1].value or 0.0)
    (lowest, low), (highest, high) = by_value[0], by_value[-1]
    unit = f" {over.measure.display_unit}" if over.measure.display_unit else ""
    figures = f"{_shown(low.value, over.measure)} ({lowest}) to {_shown(high.value, over.measure)}{unit} ({highest})"
    whole = f"; over templates {_over_all(over)}" if over.mean.low is not None else ""
    text = f"{over.measure.label} in {counted(len(asked.runs), 'template')}: {figures}{whole}."
    return [Finding(asked.name, text)]


def _named(measure: Measure) -> str:
    unit = f" ({measure.display_unit})" if measure.display_unit else ""
    return f"{measure.name}{unit}{ARROWS[measure.better]}"


def _over_all(over: OverTemplates) -> str:
    """`0.5213 (0.2100 … 0.8326)`, or the range."""
    if over.range is None:
        return _shown(None, over.measure)
    has_interval = over.mean.low is not None and over.mean.high is not None
    low, high = (_shown(end, over.measure) for end in ((over.mean.low, over.mean.high) if has_interval else over.range))
    return f"{_shown(over.mean.value, over.measure)} ({low} … {high})" if has_interval else f"{low} … {high}"


def _shown(value: float | None, measure: Measure) -> str:
    return shown_in(None if value is None else value * measure.scale, measure.display_unit)
