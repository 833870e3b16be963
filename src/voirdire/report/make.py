"""From runs to a report: a section per exam, the comparison of models that share one, and the file that holds all."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import InputError, Problem, UsageError
from voirdire.escaping import fit
from voirdire.exam import exam_named, exams, load, part_of
from voirdire.progress import Progress, silent
from voirdire.report.plain import PlainFormat, plain
from voirdire.report.slices import labelled, slice_contents
from voirdire.runs import Run
from voirdire.section.content import Model, Section
from voirdire.section.context import Context
from voirdire.verdict.labels import Labels, read_labels
from voirdire.verdict.slices import ids_of

if TYPE_CHECKING:
    from voirdire.report.leading import ExamVerdict

__all__ = ["FORMATS", "Report", "ReportFormat", "make_report", "models_of", "report_text", "write_report"]

ReportFormat = Literal["html"] | PlainFormat
DEFAULT = "voirdire.section.default:default_section"
"""What makes the section of an exam that brings none."""
FORMATS: tuple[ReportFormat, ...] = ("html", "md", "latex", "csv")


@dataclass(frozen=True, eq=False)
class Report:
    """A report before it is written: whose runs it is of, and its sections in order.

    images  a folder of pictures, of which thumbnails are taken
    notes   what the reader should know of the report as a whole: runs that could not be compared
    verdicts  who leads each exam, by the exam's name
    """

    models: Sequence[Model]
    sections: Sequence[Section]
    images: Path | None = None
    notes: Sequence[str] = ()
    verdicts: "Mapping[str, ExamVerdict]" = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """What the models are called; runs of data name one only where there are no others."""
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
        Model(label, f"{number}-{_slug(label)}-{_slug(run.title)}", run)
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
    from voirdire.report.comparisons import SEED, compare_models, comparison_section
    from voirdire.report.leading import Verdicts

    if not models:
        raise UsageError("a report needs at least one run")
    for model in models:
        exam_named(model.run.exam)
    labels = None if slices is None else _labels(slices, models)
    sections: list[Section] = []
    for exam in exams():
        if runs := [model for model in models if model.run.exam == exam.name]:
            section = _with_slices(load(exam.section or DEFAULT)(runs, context), runs, labels)
            sections.append(_with_filters(section, runs, labels))
    families, notes = compare_models(models)
    verdicts = Verdicts(models, families, SEED)
    said = {section.exam: found for section in sections if (found := verdicts.verdict(section)) is not None}
    if (compared := comparison_section(families)) is not None:
        sections.append(compared)
    return Report(models, sections, None if images is None else Path(images), notes, said)


def _labels(path: str | Path, models: Sequence[Model]) -> Labels:
    """A user's labels; an error where no run has an item that they name."""
    labels = read_labels(path, ids_of([model.run for model in models]))
    if not any(labels.names(model.run.items) for model in models):
        found = f"no item of any run by {', '.join(labels.ids)}"
        hint = "Are they of the same data, and counted from the same number?"
        raise InputError(labels.file, [Problem("", "", found, "ids of items that were scored", hint)])
    return labels


def _with_slices(section: Section, models: Sequence[Model], labels: Labels | None) -> Section:
    """The section with the slices of each part's headline measures."""
    contents, findings = list(section.contents), list(section.findings)
    for title in dict.fromkeys(model.run.title for model in models):
        tables, found = slice_contents([model for model in models if model.run.title == title], labels)
        contents += tables
        findings += found
    return replace(section, contents=contents, findings=findings)


def _with_filters(section: Section, models: Sequence[Model], labels: Labels | None) -> Section:
    """The section whose items are filtered by a user's labels, too, where these name any of its items."""
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
    """What stands in such a file."""
    if form != "html":
        return plain(report, form)
    from voirdire.report.page import render

    return render(report, progress)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"
