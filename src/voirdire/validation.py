"""Validate files: their formats, how much is in them, what is wrong with them, and whether they go together.

The files that were named are examined, and the data files below folders. Two files are compared by the kinds of ids
that both have:

    missing = ids of the reference that the file lacks        unknown = ids of the file that the reference lacks

Samples are normal: exams use what both files have, and the counts say how much that is. It is a fault if two files
have no id in common, or if more rounds would be in both with one file counted one round later or earlier; the message
names the likely reason.

With `strict`, what else is a fault depends on the files. Some are samples by nature (dense annotations of one round per
dialogue), some are pools that others draw from (COCO's instances, features, the scenes of a world): a sample may lack
ids of a fuller file, and a fuller file may have ids that a sample lacks. Between two files of the same extent both are
faults, unless they are two samples.

A dialogue's place in its file is a weak id: it is compared only where two files share no other, such as dialogue states
and their dialogues, and then shows whether the one has as many as the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voirdire.conversion.layouts import TARGETS, call_to_convert, suggest
from voirdire.errors import EXAMPLES, InputError, Problem, UsageError
from voirdire.exam import exams_reading
from voirdire.formats.catalogue import Format, detect
from voirdire.formats.files import Source, open_source, same_place
from voirdire.formats.round_files import BASE_OPTION, parse_with_base
from voirdire.progress import Progress, silent

ENDINGS = frozenset({".json", ".jsonl", ".jsonlines", ".csv", ".tsv", ".txt", ".h5", ".hdf5", ".npz"})

RUN = "run.json"
ASKED = "asked.json"
"""The file with the provenance of a live model's answers."""
RUN_PARTS = frozenset({".parquet", ".shard"})

SAMPLES = frozenset(
    {
        "dense",
        "references",
        "selections",
        "vispro",
        "conv_judgements",
        "image_ids",
        "game_logs",
        "history_questions",
        "oracle_answers",
        "oracle_qa",
        "judgements",
        "propositions",
        "question_ranking",
    }
)
POOLS = frozenset({"coco", "features", "scenes"})


@dataclass(frozen=True)
class CrossCheck:
    """The comparison of one kind of id: counts, the first three ids of either list, and whether it is good.

    The id of a round is a pair: the image, and the round counted from 0. `reason` is why the files may not go together.
    """

    path: str
    against: str
    kind: str
    common: int
    missing: int
    first_missing: tuple[Any, ...]
    unknown: int
    first_unknown: tuple[Any, ...]
    ok: bool
    reason: str = ""


@dataclass(frozen=True)
class Examined:
    """One file: its format where that is known, its content where it could be read, and all that is wrong with it."""

    path: str
    format: str | None = None
    title: str | None = None
    exams: tuple[str, ...] = ()
    holds: str | None = None
    notes: tuple[str, ...] = ()
    fault: InputError | None = None
    known: Format[Any] | None = field(default=None, repr=False, compare=False)
    ids: dict[str, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the file can be used."""
        return self.fault is None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Its problems, three of each kind."""
        return self.fault.problems if self.fault else ()

    @property
    def problem_count(self) -> int:
        """How many problems it has."""
        return self.fault.total if self.fault else 0


@dataclass(frozen=True)
class Validation:
    """All files that were examined, the files in folders that are no data, and the comparisons."""

    files: tuple[Examined, ...]
    skipped: tuple[str, ...]
    checks: tuple[CrossCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether every file is good and every comparison too."""
        return all(file.ok for file in self.files) and all(check.ok for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """For programs: plain values only."""
        names = ("path", "format", "title", "exams", "holds", "notes", "ok")
        files = [
            {name: getattr(file, name) for name in names}
            | {"problems": [asdict(problem) for problem in file.problems], "problem_count": file.problem_count}
            for file in self.files
        ]
        checks = [asdict(check) for check in self.checks]
        return {"ok": self.ok, "files": files, "checks": checks, "skipped": self.skipped}


def validate(
    paths: str | Path | Iterable[str | Path],
    against: str | Path | None = None,
    round_base: int | None = None,
    report: Progress = silent,
    strict: bool = False,
) -> Validation:
    """Examine one file or several, also after a bad one; compare each good one with `against`, if that is given.

    A folder stands for all data files below it; of these only those are compared that share an id with `against`.
    `round_base` is the number of the first round in files that leave it open. `report` is called with the number of
    finished files, and of all. With `strict`, files that should have the same ids must have them.
    """
    listing = find_files(paths)
    files = tuple(path for path in listing.files if against is None or not _same(path, against))
    if listing.files and not files:
        raise UsageError(f"{against} is the only file, and it is not compared with itself: name another one beside it")
    total = len(files) + (against is not None)
    examined = [_examine_empty(folder) for folder in listing.empty]
    reference = None
    report(0, total)
    if against is not None:
        reference = examine(against, round_base)
        report(1, total)
    for done, path in enumerate(files, start=1 + (against is not None)):
        examined.append(examine(path, round_base))
        report(done, total)
    if reference is None:
        return Validation(tuple(examined), listing.skipped, ())
    compared = [_compare(file, reference, file.path not in listing.below, strict) for file in examined]
    checks = tuple(check for _, checks in compared for check in checks)
    return Validation((*(file for file, _ in compared), reference), listing.skipped, checks)


def _same(path: str, other: str | Path) -> bool:
    return path == str(other) or ("-" not in (path, str(other)) and same_place(path, other))


def _examine_empty(folder: str) -> Examined:
    hint = f"Data files end in {', '.join(sorted(ENDINGS))}, or in one of these and .gz."
    problem = Problem("", "", "no data file below it", "at least one", hint)
    return Examined(folder, fault=InputError(folder, [problem]))


def examine(path: str | Path, round_base: int | None = None) -> Examined:
    """Recognise and read one file; what is wrong with it is part of the answer, not an exception."""
    name = str(path)
    try:
        source = open_source(path)
    except InputError as error:
        return Examined(name, fault=error)
    try:
        format_ = detect(source)
    except InputError as error:
        return Examined(name, fault=_with_suggestion(error, source))
    exams = tuple(exams_reading(format_.name))
    file = Examined(name, format=format_.name, title=format_.title, exams=exams, known=format_)
    try:
        record = parse_with_base(format_, source, round_base)
    except InputError as error:
        return replace(file, fault=_with_mapping(error, source, format_))
    notes = (*format_.notes(record), *_note_base(record, round_base))
    return replace(file, holds=format_.describe(record), notes=notes, ids=_ids_to_compare(format_, record))


def _with_mapping(error: InputError, source: Source, format_: Format[Any]) -> InputError:
    """The problems of a model's outputs; where ids are texts, the first says how to map them."""
    first, *others = error.problems
    as_text = first.field.endswith("_id") and first.found[:1] in "'\""
    if format_.name not in TARGETS or not as_text or first.hint:
        return error
    hint = f"To map ids that are texts: {call_to_convert(source, format_.name)}"
    return InputError(error.source, [replace(first, hint=hint), *others], error.beyond)


def _with_suggestion(error: InputError, source: Source) -> InputError:
    """The problems of an unknown file; the last one says which known format is nearest, and how to make one."""
    *others, last = error.problems
    hint = suggest(source)
    return InputError(error.source, [*others, replace(last, hint=hint)], error.beyond) if hint else error


def _note_base(record: Any, asked: int | None) -> Sequence[str]:
    """A note where a base was given and the file itself shows another."""
    base = getattr(record, "base", None)
    if asked is None or base is None or base == asked:
        return ()
    shown = "0" if base == 0 else "10"
    return (f"{BASE_OPTION} {asked} was not used: it holds round_id {shown}, so that rounds are counted from {base}",)


def _compare(file: Examined, reference: Examined, named: bool, strict: bool) -> tuple[Examined, Sequence[CrossCheck]]:
    """The comparisons of a file.

    A file that has no kind of id in common with the reference gets a problem. For a file that was found in a folder,
    not named, that is a note, and so is a kind of id in common without a common id.
    """
    if not file.ok or not reference.ok:
        return file, ()
    checks = check_examined(file, reference, strict)
    if checks and (named or any(check.common for check in checks)):
        return file, checks
    if checks:
        return replace(file, notes=(*file.notes, f"not compared: it shares no id with {reference.path}")), ()
    mismatch = f"{_kinds(file)}, where {reference.path} has {_kinds(reference)}"
    if not named:
        return replace(file, notes=(*file.notes, f"not compared: {mismatch}")), ()
    problem = Problem("", "", mismatch, "a kind of id that both have")
    return replace(file, fault=InputError(file.path, [problem])), ()


def _kinds(file: Examined) -> str:
    return "ids of " + " and ".join(f"{kind}s" for kind in file.ids) if file.ids else "no ids"


class Found(NamedTuple):
    """What paths stand for.

    files    the files to examine, each once
    skipped  what lies below a folder and is no data file
    below    those of `files` that nobody named: they were found in a folder
    empty    the folders without a data file
    """

    files: tuple[str, ...]
    skipped: tuple[str, ...]
    below: frozenset[str]
    empty: tuple[str, ...]


def find_files(paths: str | Path | Iterable[str | Path]) -> Found:
    """The files of one path or several; a broken link in a folder counts as a file, so that it is reported."""
    files: list[str] = []
    skipped: list[str] = []
    empty: list[str] = []
    named: set[str] = set()
    for path in [paths] if isinstance(paths, str | Path) else paths:
        if str(path) == "-" or not Path(path).is_dir():
            files.append(str(path))
            named.add(str(path))
            continue
        before = len(files)
        for below in sorted(Path(path).rglob("*")):
            if below.is_file() or below.is_symlink():
                (files if _is_data(below) else skipped).append(str(below))
        if len(files) == before:
            empty.append(str(path))
    return Found(
        tuple(dict.fromkeys(files)),
        tuple(dict.fromkeys(skipped)),
        frozenset(files) - named,
        tuple(dict.fromkeys(empty)),
    )


def _is_data(path: Path) -> bool:
    if path.name.startswith(".") or Path(path.name.removesuffix(".gz")).suffix.lower() not in ENDINGS:
        return False
    if path.name == ASKED:
        return False
    # The head of a run is no data, but a file of the same name without the parts of a run may be.
    return path.name != RUN or not any(other.suffix in RUN_PARTS for other in path.parent.iterdir())


def _ids_to_compare(format_: Format[Any], record: Any) -> dict[str, np.ndarray]:
    """The ids by which a record is compared, each once.

    Of VisDial dialogues only rounds with options count: in the test split the earlier rounds are not asked.
    """
    keys = dict(format_.keys(record))
    if format_.name == "visdial":
        with_options = record.options[:, 0] >= 0
        if with_options.any():
            keys["round"] = keys["round"][with_options]
    return {kind: np.unique(ids, axis=0) for kind, ids in keys.items()}


def check_examined(file: Examined, reference: Examined, strict: bool = False) -> tuple[CrossCheck, ...]:
    """The comparisons of two files that were examined; none where one of them is bad, or they share no kind of id."""
    if file.known is None or reference.known is None or not file.ok or not reference.ok:
        return ()
    return check_ids(file.path, file.known, file.ids, reference.path, reference.known, reference.ids, strict)


def check_ids(
    path: str,
    format_: Format[Any],
    ids: dict[str, np.ndarray],
    against: str,
    other: Format[Any],
    known: dict[str, np.ndarray],
    strict: bool = False,
) -> tuple[CrossCheck, ...]:
    """One comparison for each kind of id that both files have; places of dialogues only where there is no other."""
    kinds = [kind for kind in ids if kind in known]
    if len(kinds) > 1:
        kinds = [kind for kind in kinds if kind != "dialogue"]
    extent, other_extent = _extent(format_), _extent(other)
    checks = []
    for kind in kinds:
        own, reference = _items(ids[kind]), _items(known[kind])
        missing, unknown = np.setdiff1d(reference, own), np.setdiff1d(own, reference)
        common = len(own) - len(unknown)
        lacking = len(missing) > 0 and (extent > other_extent or extent == other_extent > 0)
        foreign = len(unknown) > 0 and (extent < other_extent or extent == other_extent > 0)
        reason = _reason(kind, ids[kind], known[kind], common)
        checks.append(
            CrossCheck(
                path,
                against,
                kind,
                common,
                len(missing),
                tuple(missing[:EXAMPLES].tolist()),
                len(unknown),
                tuple(unknown[:EXAMPLES].tolist()),
                ok=not reason and not (strict and (lacking or foreign)),
                reason=reason,
            )
        )
    return tuple(checks)


def _reason(kind: str, own: np.ndarray, reference: np.ndarray, common: int) -> str:
    """Why two files may not go together, where they do not; else empty."""
    if kind == "round":
        for by, word in ((1, "later"), (-1, "earlier")):
            together = len(np.intersect1d(_items(own + np.array([0, by])), _items(reference)))
            if together > common:
                return (
                    f"{together:,} would be in both if those of the first file were counted one round {word}: the base "
                    f"of a file may be wrong, see {BASE_OPTION}"
                )
        if not common and len(np.intersect1d(own[:, 0], reference[:, 0])):
            return "the same images, but none of their rounds: they may be of another version of the dataset"
    return "" if common else "they may be of another split, or have other ids"


def _extent(format_: Format[Any]) -> int:
    return 0 if format_.name in SAMPLES else 2 if format_.name in POOLS else 1


def _items(ids: np.ndarray) -> np.ndarray:
    """One item per id, also where an id is a pair."""
    if ids.ndim == 1:
        return ids
    pairs = np.ascontiguousarray(ids).view([("image", ids.dtype), ("round", ids.dtype)])
    items: np.ndarray = pairs.reshape(-1)
    return items
