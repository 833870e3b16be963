"""From Python: a report of runs, or of folders that hold them, as `voirdire report` writes it."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from voirdire.exam import read_run
from voirdire.report.make import ReportFormat, make_report, models_of
from voirdire.report.make import write_report as write_made
from voirdire.runs import Run
from voirdire.section.context import read_context

RunOrFolder = Run | str | Path


def write_report(
    runs: Mapping[str, RunOrFolder | Sequence[RunOrFolder]],
    path: str | Path = "report.html",
    *,
    with_files: Iterable[str | Path] = (),
    images: str | Path | None = None,
    slices: str | Path | None = None,
    form: ReportFormat = "html",
) -> Path:
    """Write a page about the runs of one or several models, of any exams; returns its place.

        write_report({"mine": score_vqa("annotations.json", "mine.json"), "theirs": "runs/theirs"})

    runs        by the names of their models: a run or several, or the folders that hold them
    with_files  what the models were examined on, for what surrounds the items
    images      a folder or a zip of pictures; slices: a table of your own labels
    form        html for the page; md, latex or csv for the tables alone
    """
    labelled = [(label, run) for label, given in runs.items() for run in _runs(given)]
    context = read_context([str(file) for file in with_files])
    return write_made(make_report(models_of(labelled), context, images, slices), path, form)


def _runs(given: RunOrFolder | Sequence[RunOrFolder]) -> list[Run]:
    several = [given] if isinstance(given, Run | str | Path) else list(given)
    return [run if isinstance(run, Run) else read_run(run) for run in several]
