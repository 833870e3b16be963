"""What files are, how much they hold, what is wrong with them, and whether they belong together."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.errors import InputError, Problem
from voirdire.formats.catalogue import Format, detect
from voirdire.formats.cross_check import CrossCheck, check_ids, due_ids
from voirdire.formats.rounds import parse_with_base
from voirdire.formats.source import open_source

__all__ = ["Examined", "Validation", "examine", "find_files", "validate"]

ENDINGS = frozenset({".json", ".jsonl", ".jsonlines", ".csv", ".tsv", ".txt", ".h5", ".hdf5", ".npz"})

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Examined:
    """One file: its format where that is known, what it holds where it could be read, and all that is wrong with it."""

    path: str
    format: str | None = None
    title: str | None = None
    exams: tuple[str, ...] = ()
    holds: str | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    known: Format | None = field(default=None, repr=False, compare=False)
    ids: dict[str, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the file can be used."""
        return not self.problem_count


@dataclass(frozen=True)
class Validation:
    """All files that were examined, the files in folders that are no data, and the comparisons."""

    files: tuple[Examined, ...]
    skipped: tuple[str, ...]
    checks: tuple[CrossCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether every file is good and every comparison too."""
        return all(one.ok for one in self.files) and all(check.ok for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """For programs: plain values only."""
        names = ("path", "format", "title", "exams", "holds", "notes", "ok")
        files = [
            {name: getattr(one, name) for name in names}
            | {"problems": [asdict(problem) for problem in one.problems], "problem_count": one.problem_count}
            for one in self.files
        ]
        return {"ok": self.ok, "files": files, "checks": [asdict(c) for c in self.checks], "skipped": self.skipped}


def validate(
    paths: Iterable[str | Path],
    against: str | Path | None = None,
    round_base: int | None = None,
    report: Report = lambda done, total: None,
) -> Validation:
    """Examine every file, also after a bad one; compare each good one with `against`, if that is given.

    A folder stands for all data files below it. `round_base` says from where rounds are counted in files that leave it
    open. `report` is told how many files are done, of how many.
    """
    files, skipped = find_files(paths)
    files = tuple(path for path in files if against is None or path != str(against))
    total = len(files) + (against is not None)
    examined = []
    reference = None
    report(0, total)
    if against is not None:
        reference = examine(against, round_base)
        report(1, total)
    for path in files:
        examined.append(examine(path, round_base))
        report(len(examined) + (against is not None), total)
    if reference is None:
        return Validation(tuple(examined), skipped, ())
    checked = [_compare(one, reference) for one in examined]
    shown = [one for one, _ in checked]
    checks = tuple(check for _, some in checked for check in some)
    return Validation((*shown, reference), skipped, checks)


def find_files(paths: Iterable[str | Path]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files to examine, and those below the given folders that do not have the ending of a data file."""
    files: list[str] = []
    skipped: list[str] = []
    for path in paths:
        if str(path) == "-" or not Path(path).is_dir():
            files.append(str(path))
            continue
        for below in sorted(Path(path).rglob("*")):
            if below.is_file():
                (files if _is_data(below) else skipped).append(str(below))
    return tuple(dict.fromkeys(files)), tuple(dict.fromkeys(skipped))


def _is_data(path: Path) -> bool:
    return not path.name.startswith(".") and Path(path.name.removesuffix(".gz")).suffix.lower() in ENDINGS


def examine(path: str | Path, round_base: int | None = None) -> Examined:
    """Recognise and read one file; what is wrong with it is part of the answer, not an exception."""
    name = str(path)
    try:
        source = open_source(path)
        format_ = detect(source)
    except InputError as error:
        return Examined(name, problems=error.problems, problem_count=error.total)
    about = functools.partial(
        Examined, name, format=format_.name, title=format_.title, exams=format_.exams, known=format_
    )
    try:
        record = parse_with_base(format_.parse, source, round_base)
    except InputError as error:
        return about(problems=error.problems, problem_count=error.total)
    return about(holds=format_.describe(record), notes=tuple(format_.notes(record)), ids=due_ids(format_, record))


def _compare(one: Examined, reference: Examined) -> tuple[Examined, Sequence[CrossCheck]]:
    """The comparisons of a file; files that cannot be compared get a problem that says so."""
    if one.known is None or reference.known is None or not one.ok or not reference.ok:
        return one, ()
    checks = check_ids(one.path, one.known, one.ids, reference.path, reference.known, reference.ids)
    if checks:
        return one, checks
    found = f"ids of {_kinds(one)}, where {reference.path} has {_kinds(reference)}"
    problem = Problem("", "", found, "a kind of id that both have")
    names = {name: getattr(one, name) for name in ("path", "format", "title", "exams", "holds", "notes", "known")}
    return Examined(**names, problems=(problem,), problem_count=1), ()


def _kinds(one: Examined) -> str:
    return " and ".join(f"{kind}s" for kind in one.ids) or "nothing"
