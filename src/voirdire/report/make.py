"""From runs to a report: a section per exam, the comparison of models that share one, and the file that holds all."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import InputError, Problem, UsageError
from voirdire.escaping import fit
from voirdire.exam import exam_named, exams, load, part_of
from voirdire.figures import ARROWS
from voirdire.progress import Progress, silent
from voirdire.report.slice_tables import labelled, slice_contents
from voirdire.report.table_export import TableFormat, tables_text
from voirdire.runs import Run
from voirdire.section.content import Headline, Model, Row, Section, Table, cell_of
from voirdire.section.context import Context
from voirdire.section.phrases import headline
from voirdire.tables import slug
from voirdire.verdict.labels import Labels, read_labels
from voirdire.verdict.slices import ids_of

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
            sections.append(_with_filters(_with_slices(section, runs, labels), runs, labels))
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
