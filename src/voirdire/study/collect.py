"""Collect what people judged, as the files that the exams read and as a run; with how far judges agree.

    judged.jsonl   every judgement: task, judge, answers, comment, seconds, time; checks among them
    skipped.jsonl  what was skipped, and why
    judges.csv     every judge: how much, how fast, checks failed, agreement with others, whether they are named
    …              the files of the exam's own part (selections.csv, judgements.csv, oracle_answers.csv, …)
    run/           the run of that part, for `voirdire report`, `compare` and `plan`

The folder is written whole or not at all. Judges who are left out are left out of all but `judged.jsonl` and
`judges.csv`.

How far judges agree, with the others and with what is known:

    agreement_j = 1/N_j · Σ_t share of task t's answers in which judge j agrees with most of the others

N_j are the tasks of j that others judged, too; an answer on which the others are divided evenly is passed over, and
attention checks do not count here. Fleiss' κ and Krippendorff's α are over single answers of a set, or over the two
answers about a sentence as one of four classes (`stats.agreement`).

A judge is named where

    they fail more than `failed` of the attention checks that they did, and at least two; or
    their agreement is below the median judge's by more than `gap`,

either by more than chance gives: P(X ≥ failures) < 0.05 / judges, where X is binomial with the rate of somebody
attentive: a tenth of the checks; of the tasks, the rate of the median judge, at least one in a hundred. So nobody is
named for a slip, nor for the chance of a small study. To be named is a reason to look, no proof.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire.atomic import atomic_folder
from voirdire.call import Call
from voirdire.errors import InputError, OutputError, Problem, UsageError
from voirdire.exam import load
from voirdire.figures import counted
from voirdire.formats.files import write_lines
from voirdire.options import option_fields
from voirdire.runs.estimate import NOTHING, Estimate
from voirdire.runs.run import Run
from voirdire.runs.store import write_run
from voirdire.stats import alpha_interval, fleiss_kappa, kappa_interval, krippendorff_alpha
from voirdire.study.design import CollectOptions, Judged, StudyTask, failed
from voirdire.study.folder import OpenedStudy
from voirdire.study.stored_judgements import Kept, read_judgements
from voirdire.tables import csv_text

RUN = "run"
_JUDGED = "judged.jsonl"

LEVEL = 0.05
FEWEST_FAILED = 2
# What somebody attentive may fail or disagree in, even where nobody did so far.
SLIPS, LEAST_APART = 0.1, 0.01


@dataclass(frozen=True)
class Agreement:
    """κ and α over all units, with intervals that draw whole tasks.

    κ has no value where units have different numbers of judges, and neither has one where it is undefined.
    """

    kappa: Estimate
    alpha: Estimate
    units: int


@dataclass(frozen=True)
class JudgeReport:
    """One judge.

    judged, compared  their tasks, and those that others judged, too
    checks, failed    attention checks that they did and failed
    agreement         with most of the others; None where there is nothing to compare
    seconds           the median time that a task was open
    named             why they are named; empty where they are not
    """

    judge: str
    judged: int
    compared: int
    checks: int
    failed: int
    agreement: float | None
    seconds: float
    named: str = ""


@dataclass(frozen=True)
class Collected:
    """The results of a study; `left_out` are judges whose judgements do not count."""

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
    """Write all judgements so far to a folder, and score them."""
    options = options or CollectOptions()
    out = Path(output)
    check_collected(out, overwrite)
    judgements = read_judgements(study)
    kept, skipped = judgements.kept, judgements.skipped
    reports = report_judges(study.tasks, kept, options)
    judges = [report.judge for report in reports]
    if unknown := [name for name in options.without if name not in judges]:
        known = ", ".join(judges[:5]) or "nobody"
        raise UsageError(f"`without`: nobody called {unknown[0]} has judged anything; {known} has")
    left_out = [
        report.judge
        for report in reports
        if report.judge in options.without or (options.without_named and report.named)
    ]
    counts = [judgement for judgement in kept if judgement.judge not in left_out]
    proper = [judgement for judgement in counts if not study.tasks[judgement.task].truth]
    if judgements.damage and not proper:
        hint = "Bring the file back from a copy."
        raise InputError(str(study.database), [Problem("", "", judgements.damage.rstrip("."), "judgements", hint)])
    if not proper:
        raise UsageError("`study`: nobody has finished a task yet, attention checks aside; serve it first")
    part, declared = study.declared()
    warnings = [*filter(None, [judgements.damage]), *_lacking(study, proper)]
    with atomic_folder(out, replace=overwrite) as folder:
        judged = [Judged(study.tasks[row.task], row.task, row.judge, row.answers, row.at) for row in proper]
        warnings += load(declared.gather)(judged, folder)
        given = {name: str(folder / file) for name, file in declared.writes.items()}
        seeded = "seed" in {option.name for option in option_fields(part.options)}
        run = Call(part, given, part.options(**({"seed": options.seed} if seeded else {}))).run()
        run = replace(run, warnings=(*run.warnings, *warnings))
        write_run(run, folder / RUN)
        write_lines((_line(study, judgement) for judgement in kept), folder / _JUDGED)
        names = ("task", "judge", "reason", "comment")
        write_lines((dict(zip(names, row, strict=True)) for row in skipped), folder / "skipped.jsonl")
        (folder / "judges.csv").write_text(csv_text(_rows(reports, left_out)), encoding="utf-8")
    files = tuple(sorted(path.name for path in out.iterdir()))
    agreement = agree(study.tasks, counts, options.seed)
    return Collected(run, agreement, tuple(reports), tuple(left_out), out, files, run.warnings)


def check_collected(out: Path, overwrite: bool) -> None:
    """Refuse an output that exists, unless it is empty or an earlier call wrote it and `overwrite` is given."""
    if not str(out) or out == Path():
        raise UsageError("`output` must name a folder, got an empty name")
    if out.exists() and not overwrite:
        raise OutputError(str(out), "something is in place already; name a new folder, or give `overwrite`")
    if out.exists() and not (out / _JUDGED).is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise OutputError(str(out), "what is there was not collected from a study; name a new folder")


def _lacking(study: OpenedStudy, proper: Sequence[Kept]) -> list[str]:
    counts = Counter(judgement.task for judgement in proper)
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


def _line(study: OpenedStudy, judgement: Kept) -> dict[str, Any]:
    task = study.tasks[judgement.task]
    return {**msgspec.to_builtins(judgement), "check": bool(task.truth), "text": task.text, "items": task.items}


def _rows(reports: Sequence[JudgeReport], left_out: Sequence[str]) -> list[list[str]]:
    head = ["judge", "judged", "compared", "checks", "failed", "agreement", "seconds", "named", "left_out"]
    rows = [
        [
            *(report.judge, *map(str, (report.judged, report.compared, report.checks, report.failed))),
            *("" if report.agreement is None else f"{report.agreement:.6f}", f"{report.seconds:.1f}", report.named),
            str(int(report.judge in left_out)),
        ]
        for report in reports
    ]
    return [head, *rows]


def agree(tasks: Sequence[StudyTask], kept: Sequence[Kept], seed: int = 0) -> Agreement:
    """How far all judges agree beyond chance."""
    units: dict[tuple[int, int], list[str]] = defaultdict(list)
    for judgement in kept:
        task = tasks[judgement.task]
        if task.truth:
            continue
        if task.way == "deselect":
            for place, answer in enumerate(judgement.answers):
                units[judgement.task, place].append(answer)
        else:
            units[judgement.task, 0].append(" ".join(judgement.answers))
    several = {unit: answers for unit, answers in units.items() if len(answers) > 1}
    if not several:
        return Agreement(NOTHING, NOTHING, 0)
    most, of_task = max(map(len, several.values())), np.array([task for task, _ in several])
    padded = np.array([[*answers, *([None] * (most - len(answers)))] for answers in several.values()], dtype=object)
    whole = len({len(answers) for answers in units.values()}) == 1
    kappa, alpha = fleiss_kappa(padded) if whole else None, krippendorff_alpha(padded)
    return Agreement(
        Estimate.within(kappa, kappa_interval(padded, seed, of_task), len(several)),
        Estimate.within(alpha, alpha_interval(padded, seed, of_task), len(several)),
        len(several),
    )


def report_judges(
    tasks: Sequence[StudyTask], kept: Sequence[Kept], options: CollectOptions | None = None
) -> list[JudgeReport]:
    """Every judge, in the order of their names, and who is named."""
    by_task: dict[int, list[Kept]] = defaultdict(list)
    by_judge: dict[str, list[Kept]] = defaultdict(list)
    for judgement in kept:
        by_judge[judgement.judge].append(judgement)
        if not tasks[judgement.task].truth:
            by_task[judgement.task].append(judgement)
    reports = []
    for judge in sorted(by_judge, key=_by_number):
        own = by_judge[judge]
        checks = [judgement for judgement in own if tasks[judgement.task].truth]
        shares = [
            share
            for judgement in own
            if (share := _share_agreed(judgement, by_task.get(judgement.task, ()))) is not None
        ]
        reports.append(
            JudgeReport(
                judge,
                len(own) - len(checks),
                len(shares),
                len(checks),
                sum(failed(tasks[check.task], check.answers) for check in checks),
                float(np.mean(shares)) if shares else None,
                float(np.median([judgement.seconds for judgement in own])),
            )
        )
    return [_named(report, reports, options or CollectOptions()) for report in reports]


def _by_number(name: str) -> tuple[str, int, str]:
    head, _, tail = name.rpartition("-")
    return (head, int(tail), "") if tail.isascii() and tail.isdigit() and len(tail) < 10 else (name, -1, "")


def _share_agreed(judgement: Kept, same_task: Sequence[Kept]) -> float | None:
    """The share of a judge's answers to a task that most of the others give; None where none can be compared."""
    others = [other for other in same_task if other.judge != judgement.judge]
    agreed = []
    for place, answer in enumerate(judgement.answers):
        ranked = Counter(other.answers[place] for other in others).most_common(2)
        if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
            agreed.append(answer == ranked[0][0])
    return float(np.mean(agreed)) if agreed else None


def _named(report: JudgeReport, reports: Sequence[JudgeReport], options: CollectOptions) -> JudgeReport:
    from scipy.stats import binom

    why, level = [], LEVEL / len(reports)
    inattentive = report.failed >= FEWEST_FAILED and report.failed > options.failed * report.checks
    if inattentive and binom.sf(report.failed - 1, report.checks, SLIPS) < level:
        why.append(f"failed {report.failed} of {report.checks} attention checks")
    if report.agreement is not None:
        median = float(np.median([other.agreement for other in reports if other.agreement is not None]))
        wrong = round(report.compared * (1 - report.agreement))
        chance = float(binom.sf(wrong - 1, report.compared, max(1 - median, LEAST_APART)))
        if median - report.agreement > options.gap and chance < level:
            why.append(f"agrees with the others in {report.agreement:.1%}, the median judge in {median:.1%}")
    return replace(report, named="; ".join(why))
