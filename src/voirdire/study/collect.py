"""What people said as the files that the exams read, and as a run; with how far they agree and who does not.

    judged.jsonl   every judgement: task, judge, answers, comment, seconds, time; checks among them
    skipped.jsonl  what was skipped, and why
    judges.csv     every judge: how much, how fast, checks failed, agreement with others, whether the rule names them
    …              the files of the exam's own part (selections.csv, judgements.csv, oracle_answers.csv, …)
    run/           the run of that part, for `voirdire report`, `compare` and `plan`

The folder is written whole or not at all. Judges who are left out are left out of all but `judged.jsonl` and
`judges.csv`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from voirdire.atomic import atomic_folder
from voirdire.call import Call
from voirdire.errors import OutputError, UsageError
from voirdire.exam import load
from voirdire.figures import counted
from voirdire.formats.files import write_lines
from voirdire.options import option_fields
from voirdire.runs.run import Run
from voirdire.runs.store import write_run
from voirdire.study.agreement import Agreement, JudgeReport, agree, report_judges
from voirdire.study.folder import OpenedStudy
from voirdire.study.settings import CollectOptions
from voirdire.study.store import JudgedStore, Kept
from voirdire.study.tasks import Judged
from voirdire.tables import csv_text

RUN = "run"
_MARK = "judged.jsonl"


@dataclass(frozen=True)
class Collected:
    """What came of a study; `left_out` are judges whose judgements do not count."""

    run: Run
    agreement: Agreement
    judges: tuple[JudgeReport, ...]
    left_out: tuple[str, ...]
    folder: Path
    files: tuple[str, ...]
    warnings: tuple[str, ...]


def collect_study(
    study: OpenedStudy, output: str | Path, options: CollectOptions | None = None, overwrite: bool = False
) -> Collected:
    """Write what was judged so far to a folder, and score it."""
    options = options or CollectOptions()
    out = Path(output)
    check_collected(out, overwrite)
    store = JudgedStore(study)
    try:
        kept, skipped = store.kept(), store.skipped()
    finally:
        store.close()
    reports = report_judges(study.tasks, kept, options)
    if unknown := [name for name in options.without if name not in {one.judge for one in reports}]:
        known = ", ".join(one.judge for one in reports[:5]) or "nobody"
        raise UsageError(f"`without`: nobody called {unknown[0]} has judged anything; {known} has")
    left = [one.judge for one in reports if one.judge in options.without or (options.without_named and one.named)]
    counts = [one for one in kept if one.judge not in left]
    proper = [one for one in counts if not study.tasks[one.task].truth]
    if not proper:
        raise UsageError("`study`: nobody has finished a task yet, attention checks aside; serve it first")
    part, declared = study.declared()
    warnings = _lacking(study, proper)
    with atomic_folder(out, replace=overwrite) as folder:
        judged = [Judged(study.tasks[one.task], one.task, one.judge, one.answers, one.at) for one in proper]
        warnings += load(declared.gather)(judged, folder)
        given = {name: str(folder / file) for name, file in declared.writes.items()}
        named = {one.name for one in option_fields(part.options)}
        run = Call(part, given, part.options(**({"seed": options.seed} if "seed" in named else {}))).run()
        run = replace(run, warnings=(*run.warnings, *warnings))
        write_run(run, folder / RUN)
        write_lines((_line(study, one) for one in kept), folder / _MARK)
        names = ("task", "judge", "reason", "comment")
        write_lines((dict(zip(names, row, strict=True)) for row in skipped), folder / "skipped.jsonl")
        (folder / "judges.csv").write_text(csv_text(_rows(reports, left)), encoding="utf-8")
    files = tuple(sorted(path.name for path in out.iterdir()))
    agreement = agree(study.tasks, counts, options.seed)
    return Collected(run, agreement, tuple(reports), tuple(left), out, files, run.warnings)


def check_collected(out: Path, overwrite: bool) -> None:
    """Refuse a place that is taken by anything but what an earlier call wrote."""
    if not str(out) or out == Path():
        raise UsageError("`output` must name a folder, got an empty name")
    if out.exists() and not overwrite:
        raise OutputError(str(out), "something is in place already; name a new folder, or give `overwrite`")
    if out.exists() and not (out / _MARK).is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise OutputError(str(out), "what is there was not collected from a study; name a new folder")


def _lacking(study: OpenedStudy, proper: Sequence[Kept]) -> list[str]:
    counts = Counter(one.task for one in proper)
    wanted = study.about.judges
    tasks = [number for number, task in enumerate(study.tasks) if not task.truth]
    short = sum(counts[number] < wanted for number in tasks)
    if not short:
        return []
    none = sum(not counts[number] for number in tasks)
    return [
        f"{counted(short, 'task')} of {len(tasks):,} have fewer than {counted(wanted, 'judge')}; {none:,} of them have "
        "none and are left out."
    ]


def _line(study: OpenedStudy, one: Kept) -> dict[str, Any]:
    task = study.tasks[one.task]
    return {**msgspec.to_builtins(one), "check": bool(task.truth), "text": task.text, "items": task.items}


def _rows(reports: Sequence[JudgeReport], left: Sequence[str]) -> list[list[str]]:
    head = ["judge", "judged", "compared", "checks", "failed", "agreement", "seconds", "named", "left_out"]
    rows = [
        [
            *(one.judge, str(one.judged), str(one.compared), str(one.checks), str(one.failed)),
            *("" if one.agreement is None else f"{one.agreement:.6f}", f"{one.seconds:.1f}", one.named),
            str(int(one.judge in left)),
        ]
        for one in reports
    ]
    return [head, *rows]
