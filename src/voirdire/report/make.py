"""From runs to a report: a section per exam, the comparison of models that share one, and the file that holds all."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import UsageError
from voirdire.escaping import fit
from voirdire.exam import exam_named, exams, load, part_of
from voirdire.progress import Progress, silent
from voirdire.report.plain import PlainFormat, plain
from voirdire.runs import Run
from voirdire.section.content import Model, Section
from voirdire.section.context import Context

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
    """

    models: Sequence[Model]
    sections: Sequence[Section]
    images: Path | None = None
    notes: Sequence[str] = ()

    @property
    def labels(self) -> list[str]:
        """What the models are called; runs of data name one only where there are no others."""
        of_models = [model for model in self.models if not _of_data(model.run)]
        return list(dict.fromkeys(model.label for model in of_models or self.models))


def _of_data(run: Run) -> bool:
    held = part_of(run).held
    return held is not None and bool(held.of_data)


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


def make_report(models: Sequence[Model], context: Context, images: str | Path | None = None) -> Report:
    """The report of all models; `context` holds the files beside their runs, `images` is a folder of pictures."""
    from voirdire.report.comparisons import comparison_section

    if not models:
        raise UsageError("a report needs at least one run")
    for model in models:
        exam_named(model.run.exam)
    sections: list[Section] = []
    for exam in exams():
        if runs := [model for model in models if model.run.exam == exam.name]:
            sections.append(load(exam.section or DEFAULT)(runs, context))
    compared, notes = comparison_section(models)
    if compared is not None:
        sections.append(compared)
    return Report(models, sections, None if images is None else Path(images), notes)


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
