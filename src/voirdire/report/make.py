"""From runs to a report: a section an exam, the comparison of models that share one, and the file that holds it all."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import UsageError
from voirdire.report.content import Model, Report, Section
from voirdire.report.context import Context
from voirdire.report.plain import PlainFormat, plain
from voirdire.reports import Report as Tell
from voirdire.reports import silent
from voirdire.runs import Run

__all__ = ["FORMATS", "ReportFormat", "make_report", "models_of", "report_text", "write_report"]

ReportFormat = Literal["html"] | PlainFormat
FORMATS: tuple[ReportFormat, ...] = ("html", "md", "latex", "csv")


def models_of(runs: Iterable[tuple[str, Run]]) -> list[Model]:
    """Runs with the labels of their models; the same model may have one run of each part of an exam."""
    labelled = list(runs)
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
    sections = []
    makers = _makers()
    if unknown := [model.run.exam for model in models if model.run.exam not in makers]:
        raise UsageError(f"no section is known for the exam {unknown[0]!r}; there are {', '.join(makers)}")
    for exam, maker in makers.items():
        if runs := [model for model in models if model.run.exam == exam]:
            sections.append(maker(runs, context))
    compared, notes = comparison_section(models)
    if compared is not None:
        sections.append(compared)
    return Report(models, sections, None if images is None else Path(images), notes)


def write_report(report: Report, path: str | Path, form: ReportFormat = "html", tell: Tell = silent) -> Path:
    """Write the report, whole or not at all: the page, or its tables alone."""
    out = Path(path)
    check_output(out)
    write_atomic(out, report_text(report, form, tell).encode())
    return out


def report_text(report: Report, form: ReportFormat = "html", tell: Tell = silent) -> str:
    """What stands in such a file."""
    if form != "html":
        return plain(report, form)
    from voirdire.report.page import render

    return render(report, tell)


def _makers() -> dict[str, Callable[[Sequence[Model], Context], Section]]:
    """The sections' makers, in the order of the exams."""
    from voirdire.report.answers import answers_section
    from voirdire.report.questions import questions_section
    from voirdire.report.robustness import robustness_section
    from voirdire.report.scorekeeping import scorekeeping_section

    return {
        "answers": answers_section,
        "robustness": robustness_section,
        "questions": questions_section,
        "scorekeeping": scorekeeping_section,
    }


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"
