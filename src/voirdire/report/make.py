"""From runs to a report: a section per exam, the comparison of models that share one, and the file that holds all."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import InputError, Problem, UsageError
from voirdire.escaping import fit
from voirdire.exam import exam_named, exams, load, part_of
from voirdire.exam.short_answers import lead_by_short_answers
from voirdire.figures import ARROWS, NONE, show_count, shown_in
from voirdire.metrics.measure import Measure
from voirdire.progress import Progress, silent
from voirdire.report.table_export import TableFormat, tables_text
from voirdire.report.template_tables import with_templates
from voirdire.runs import Estimate, Run
from voirdire.section.content import (
    Cell,
    Drill,
    Finding,
    Fold,
    Headline,
    Item,
    Items,
    Model,
    Row,
    Section,
    Table,
    Tone,
    cell_of,
)
from voirdire.section.context import Context
from voirdire.section.phrases import apart, effect, headline
from voirdire.tables import slug
from voirdire.verdict.labels import Labels, read_labels
from voirdire.verdict.slices import LEAST, Slice, Sliced, ids_of, slice_run

if TYPE_CHECKING:
    from voirdire.report.leaders import ExamVerdict

__all__ = ["FORMATS", "Report", "ReportFormat", "make_report", "models_of", "report_text", "write_report"]

ReportFormat = Literal["html"] | TableFormat
FORMATS: tuple[ReportFormat, ...] = ("html", "md", "latex", "csv")


@dataclass(frozen=True, eq=False)
class Report:
    """A report before it is written: its runs, and its sections in order.

    images    a folder of pictures, from which thumbnails are made
    notes     on the report as a whole: runs that could not be compared
    verdicts  who leads each exam, by the exam's name
    """

    models: Sequence[Model]
    sections: Sequence[Section]
    images: Path | None = None
    notes: Sequence[str] = ()
    verdicts: "Mapping[str, ExamVerdict]" = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The models' names; those of runs of data alone only where there are no others."""
        of_models = [model for model in self.models if not _of_data(model.run)]
        return list(dict.fromkeys(model.label for model in of_models or self.models))


def _of_data(run: Run) -> bool:
    rules = part_of(run).session
    return rules is not None and bool(rules.of_data)


def models_of(runs: Iterable[tuple[str, Run]]) -> list[Model]:
    """Runs with the labels of their models; the same model may have one run of each part of an exam."""
    labelled = [(fit(label), run) for label, run in runs]
    twice = [pair for pair, count in Counter((label, run.title) for label, run in labelled).items() if count > 1]
    if twice:
        label, title = twice[0]
        raise UsageError(f"two runs of `{title}` are called {label!r}; give one of them another label: LABEL=RUN")
    return [
        Model(label, f"{number}-{slug(label)}-{slug(run.title)}", run)
        for number, (label, run) in enumerate(labelled, start=1)
    ]


def make_report(
    models: Sequence[Model],
    context: Context,
    images: str | Path | None = None,
    slices: str | Path | None = None,
) -> Report:
    """The report of all models.

    context  the files beside their runs
    images   a folder of pictures
    slices   a table of a user's own labels of items, see `verdict.labels`
    """
    from voirdire.report.comparison_section import SEED, compare_models, comparison_section
    from voirdire.report.leaders import Verdicts

    if not models:
        raise UsageError("a report needs at least one run")
    for model in models:
        exam_named(model.run.exam)
    labels = None if slices is None else _labels(slices, models)
    sections: list[Section] = []
    for exam in exams():
        if runs := [model for model in models if model.run.exam == exam.name]:
            section = load(exam.section)(runs, context) if exam.section else _default_section(runs)
            section = _with_slices(with_templates(section, runs), runs, labels)
            sections.append(_with_filters(section, runs, labels))
    families, notes = compare_models(models)
    judge = Verdicts(models, families, SEED)
    verdicts = {section.exam: verdict for section in sections if (verdict := judge.verdict(section)) is not None}
    if (compared := comparison_section(families)) is not None:
        sections.append(compared)
    return Report(models, sections, None if images is None else Path(images), notes, verdicts)


def _default_section(models: Sequence[Model]) -> Section:
    """The section of an exam that brings none of its own: its leading figures, and a table of all figures per part."""
    exam = exam_named(models[0].run.exam)
    tables: list[Table] = []
    headlines: list[Headline] = []
    for part in exam.parts:
        if runs := [model for model in models if model.run.part == part.name]:
            tables.append(_part_table(f"{exam.name}-{part.name}", f"Figures of {exam.name} {part.name}", runs))
            headlines += [leading for model in runs for leading in _leading(model)]
    return Section(exam.name, exam.title, exam.question, headlines, (), tables)


def _leading(model: Model) -> list[Headline]:
    """The figures of the measures that lead the exam, in their order."""
    measures = [(model.measure(key), key) for key in model.run.measures if not key.variant]
    led = sorted((pair for pair in measures if pair[0].leads), key=lambda pair: pair[0].leads)
    return [headline(model, key, measure.description or measure.label, measure.unit) for measure, key in led]


def _part_table(name: str, title: str, models: Sequence[Model]) -> Table:
    """A row per model and a column per measure."""
    measures = {key: model.measure(key) for model in reversed(models) for key in model.run.measures}
    keys = list(dict.fromkeys(key for model in models for key in model.run.measures))
    head = [
        f"{key}{f' ({measures[key].unit})' if measures[key].unit else ''}{ARROWS[measures[key].better]}" for key in keys
    ]
    rows: tuple[Row, ...] = tuple((model.label, *(cell_of(model, key) for key in keys)) for model in models)
    described = (measures[key] for key in keys if measures[key].description)
    note = "; ".join(dict.fromkeys(f"{measure.label}: {measure.description}" for measure in described))
    return Table(name, title, ("model", *head), rows, note)


def _labels(path: str | Path, models: Sequence[Model]) -> Labels:
    """A user's labels; an error where they name no item of any run."""
    labels = read_labels(path, ids_of([model.run for model in models]))
    if not any(labels.names(model.run.items) for model in models):
        found = f"no item of any run by {', '.join(labels.ids)}"
        hint = "Are the ids of the same data, and do they count from the same number?"
        raise InputError(labels.file, [Problem("", "", found, "ids of items that were scored", hint)])
    return labels


def _with_slices(section: Section, models: Sequence[Model], labels: Labels | None) -> Section:
    """The section with the slices of each part's headline measures."""
    contents, findings = list(section.contents), list(section.findings)
    for title in dict.fromkeys(model.run.title for model in models):
        tables, worst = slice_contents([model for model in models if model.run.title == title], labels)
        contents += tables
        findings += worst
    return replace(section, contents=contents, findings=findings)


def _with_filters(section: Section, models: Sequence[Model], labels: Labels | None) -> Section:
    """The section with filters of its items by a user's labels, where these name any of its items."""
    if labels is None or not any(labels.names(model.run.items) for model in models):
        return section
    return replace(section, drills=[labelled(drill, labels) for drill in section.drills])


def write_report(report: Report, path: str | Path, form: ReportFormat = "html", progress: Progress = silent) -> Path:
    """Write the report, whole or not at all: the page, or its tables alone."""
    out = Path(path)
    check_output(out)
    write_atomic(out, report_text(report, form, progress).encode())
    return out


def report_text(report: Report, form: ReportFormat = "html", progress: Progress = silent) -> str:
    """The text of such a file."""
    if form != "html":
        return tables_text(report, form)
    from voirdire.report.page import render

    return render(report, progress)


MEASURES = 2
"""How many headline measures have findings on their slices."""

UNLABELLED = "no label"

Name = tuple[str, str]
"""A slice's facet and value."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One model's slices of a measure by their names."""

    model: Model
    sliced: Sliced
    slices: Mapping[Name, Slice]


def slice_contents(models: Sequence[Model], labels: Labels | None) -> tuple[list[Table | Fold], list[Finding]]:
    """A table for each headline measure of runs of one part, leading ones first, and findings on the worst slices."""
    by_measure: dict[str, list[_Side]] = {}
    short = lead_by_short_answers([model.run for model in models])
    for model in models:
        for sliced in slice_run(model.run, labels, short):
            by_name = {(part.facet, part.value): part for part in sliced.slices}
            by_measure.setdefault(sliced.measure.name, []).append(_Side(model, sliced, by_name))
    if not by_measure:
        return [], []

    def place(sides: Sequence[_Side]) -> int:
        return sides[0].sliced.measure.leads or len(by_measure) + 9

    # Figures by short answers are in the order of the official ones already.
    ordered = list(by_measure.values()) if short else sorted(by_measure.values(), key=place)
    name = models[0].run.title.replace(" ", "-")
    tables = [_table(f"{name}-slices-{number}", sides) for number, sides in enumerate(ordered, start=1)]
    findings = [finding for sides in ordered[:MEASURES] for side in sides for finding in _worst(side)]
    folded = [Fold((table,), "slices") for table in tables[1:]]
    return [tables[0], *folded], findings


def labelled(drill: Drill, labels: Labels) -> Drill:
    """The items with a user's labels as filters; as they are where they do not have the ids of the labels."""
    first = next(iter(drill.items), None)
    if first is None or not set(labels.ids) <= first.ids.keys():
        return drill
    return replace(drill, facets=(*drill.facets, *labels.columns), items=_Labelled(drill.items, labels))


class _Labelled:
    """Items, each with its labels after its other facets."""

    def __init__(self, items: Items, labels: Labels) -> None:
        self._items, self._ids, self._labels = items, labels.ids, labels.of_items()
        self._none: tuple[str | None, ...] = (None,) * len(labels.columns)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            labels = self._labels.get(tuple(item.ids[name] for name in self._ids), self._none)
            yield replace(item, facets=(*item.facets, *(label or UNLABELLED for label in labels)))


def _table(name: str, sides: Sequence[_Side]) -> Table:
    measure, noun = sides[0].sliced.measure, sides[0].sliced.noun
    names = _in_order(sides)
    rows: list[Row] = [("all", *_row(sides, None))]
    rows += [(f"{facet}: {value}", *_row(sides, (facet, value))) for facet, value in names]
    unit = f" ({measure.display_unit})" if measure.display_unit else ""
    head = ("slice", f"{noun}s", *(side.model.label for side in sides))
    title = f"Where does it fail? {measure.label}{unit}{ARROWS[measure.better]} by slice, {sides[0].model.run.title}"
    note = (
        f"{measure.name}: {measure.description or measure.label}. ▼ worse and ▲ better than the model's figure over "
        f"all, the 95 % intervals apart. Slices of fewer than {LEAST} {noun}s are too few for a figure."
    )
    return Table(name, title, head, tuple(rows), note)


def _in_order(sides: Sequence[_Side]) -> list[Name]:
    """The slices of all models, facet by facet; within a facet in the first model's order, then what others add."""
    names = dict.fromkeys(name for side in sides for name in side.slices)
    facets = list(dict.fromkeys(facet for facet, _ in names))
    return sorted(names, key=lambda name: facets.index(name[0]))


def _row(sides: Sequence[_Side], name: Name | None) -> list[Cell | str]:
    """How many items a slice has, and each model's figure for it; without a name, for all items."""
    if name is None:
        counts = [side.sliced.whole.n or 0 for side in sides]
        cells = [_whole_cell(side) for side in sides]
        return [show_count(max(counts)), *cells]
    slices = [side.slices.get(name) for side in sides]
    counts = [part.figure.n or 0 for part in slices if part is not None]
    return [show_count(max(counts)), *(_cell(side, part) for side, part in zip(sides, slices, strict=True))]


def _whole_cell(side: _Side) -> Cell:
    measure, whole = side.sliced.measure, side.sliced.whole
    return cell_of(side.model, measure.key, _scaled(whole, measure), measure.scale)


def _cell(side: _Side, part: Slice | None) -> Cell | str:
    if part is None:
        return NONE
    if part.few:
        return f"{NONE} (too few: {part.figure.n or 0})"
    figure, measure = part.figure, side.sliced.measure
    key = "" if part.key is None else str(part.key)
    ends = figure.value, figure.low, figure.high
    return Cell(_scaled(figure, measure), side.model.key, key, *ends, _tone(side, part), measure.scale)


def _scaled(figure: Estimate, measure: Measure) -> str:
    return shown_in(None if figure.value is None else figure.value * measure.scale, measure.display_unit)


def _tone(side: _Side, part: Slice) -> Tone:
    """Whether the slice is clearly better or worse than the whole."""
    measure, whole, figure = side.sliced.measure, side.sliced.whole, part.figure
    if part.few or measure.better == "neither" or not apart(figure, whole):
        return "plain"
    higher = (figure.value or 0.0) > (whole.value or 0.0)
    return "good" if higher == (measure.better == "higher") else "bad"


def _worst(side: _Side) -> list[Finding]:
    """Of the slices that are clearly worse than the whole, the worst; it is called so where no other slice is worse."""
    measure, whole = side.sliced.measure, side.sliced.whole
    worse = [part for part in side.sliced.slices if _tone(side, part) == "bad"]
    if not worse:
        return []
    way = 1 if measure.better == "higher" else -1

    def goodness(part: Slice) -> float:
        return way * (part.figure.value or 0.0)

    worst = min(worse, key=goodness)
    known = [part for part in side.sliced.slices if not part.few and part.figure.value is not None]
    is_worst = all(goodness(part) > goodness(worst) for part in known if part is not worst)
    unit = f" {measure.display_unit}" if measure.display_unit else ""
    at, over = _scaled(worst.figure, measure), _scaled(whole, measure)
    where = f"{worst.facet} {worst.value}" if worst.value.isdigit() else f"{worst.facet} “{worst.value}”"
    text = (
        f"{measure.label} is {'worst' if is_worst else 'clearly worse'} at {where}: {at}{unit} there "
        f"({show_count(worst.figure.n)} {side.sliced.noun}s), {over}{unit} over all."
    )
    return [Finding(side.model.label, text, "bad", effect(worst.figure, whole) or 0.0)]
