"""A run on disk: a folder with `run.json` (all but the items, readable) and `items.parquet`.

`run.json` has the size and the SHA-256 of the items' file, and the type and a hash of each column, so that a folder
mixed from two runs, truncated or edited is recognised, and what changed is named. It also has a hash of each of its own
entries except the time. Keys are sorted and the items are written in groups of a fixed size, so the same run gives the
same bytes.
"""

import hashlib
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from voirdire.atomic import atomic_folder, check_above
from voirdire.errors import InputError, Problem, UsageError, shorten
from voirdire.formats.files import open_bytes, open_source
from voirdire.formats.parquet import reading_parquet
from voirdire.formats.strict import Problems, decode, parse
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.runs.estimate import Estimate, Measures
from voirdire.runs.readings import Readings
from voirdire.runs.run import Run, Signature, finite, limit_text
from voirdire.runs.view import Coverage

FORMAT = 4
RUN = "run.json"
ITEMS = "items.parquet"
GROUP = 65_536
UNSEALED = ("format", "created", "seals")
PATIENCE = 60.0
AGAIN = "It was changed after it was written; run the exam again."


_Change = tuple[str, str, str]
"""A column, or nothing for all of them; what was found, what was expected."""


class StoredColumn(msgspec.Struct, forbid_unknown_fields=True):
    """The type of a column, and a hash of its values."""

    type: str
    hash: str


class StoredItems(msgspec.Struct, forbid_unknown_fields=True):
    """What `run.json` knows of the items' file."""

    rows: int
    bytes: int
    sha256: str
    columns: dict[str, StoredColumn]


class StoredRun(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The layout of `run.json`."""

    format: int
    exam: str
    part: str
    options: dict[str, Any]
    items: StoredItems
    measures: dict[str, Estimate]
    order: list[str]
    signature: Signature
    fingerprints: dict[str, str]
    versions: dict[str, str]
    warnings: list[str]
    coverage: Coverage | None
    created: str
    seals: dict[str, str]
    readings: Readings | None = None


def check_place(folder: str | Path, overwrite: bool = False) -> None:
    """Refuse a folder that a run must not replace; also called before the work is done."""
    path = Path(folder)
    if path.exists() and not (overwrite and (path / RUN).is_file()) and not _empty(path):
        what = "a run" if (path / RUN).is_file() else "something that is not a run"
        remedy = "Name another folder" + (
            ", or ask for it to be overwritten (`overwrite`)." if what == "a run" else "."
        )
        raise UsageError(f"{path}: there is {what} already. {remedy}")
    check_above(path)


def write_run(run: Run, folder: str | Path, overwrite: bool = False) -> Path:
    """Write the run to `folder`, completely or not at all; `overwrite` allows to replace another run, nothing else."""
    path = Path(folder)
    check_place(path, overwrite)
    items = _parquet(run)
    text = _json(run, items)
    try:
        with atomic_folder(path, overwrite) as partial:
            (partial / ITEMS).write_bytes(items)
            (partial / RUN).write_bytes(text)
    except FileExistsError:
        raise UsageError(f"{path}: something was put there meanwhile. Name another folder.") from None
    return path


def read_run(folder: str | Path) -> Run:
    """Read a run, or say what is wrong with it."""
    path = Path(folder)
    if not str(folder):  # Which a path would take for the working folder.
        raise InputError("''", [Problem("", "", "an empty name", "the name of a run's folder")])
    if not path.is_dir():
        found = "a file" if path.exists() else "no such folder"
        raise InputError(
            str(path), [Problem("", "", found, f"a run's folder, with {RUN} and {ITEMS}", "Check the path.")]
        )
    if not (path / RUN).is_file():
        raise InputError(str(path), [Problem("", "", f"no {RUN}", "a run's folder", "It may hold something else.")])
    source = open_source(path / RUN)
    document = parse(source)
    version = document.get("format") if isinstance(document, dict) else None
    if version != FORMAT:
        newer = isinstance(version, int) and version > FORMAT
        hint = "A later version of Voir Dire wrote it; install that one." if newer else "Run the exam again."
        raise source.fail("", "format", "nothing" if version is None else shorten(version), f"{FORMAT}", hint)
    stored = decode(source, StoredRun)
    _check_seals(source.name, document, stored.seals)
    if sorted(stored.order) != sorted(stored.measures):
        raise source.fail("", "order", shorten(stored.order), "the name of each measure once")
    try:
        measures = Measures({Key.parse(name): stored.measures[name] for name in stored.order})
    except ValueError as error:
        raise source.fail("", "measures", str(error), "names of measures") from None
    return Run(
        exam=stored.exam,
        part=stored.part,
        options=stored.options,
        items=_items(path / ITEMS, stored.items),
        measures=measures,
        signature=stored.signature,
        fingerprints=stored.fingerprints,
        versions=stored.versions,
        warnings=tuple(stored.warnings),
        coverage=stored.coverage,
        created=stored.created,
        readings=stored.readings,
    )


class _Covered(msgspec.Struct):
    signature: Signature
    coverage: Coverage | None = None


def read_covered(folder: str | Path) -> str:
    """How much of what was asked a run covers, where that is not everything, without reading the rest of it; also empty
    for a folder that is no run."""
    path = Path(folder) / RUN
    if not path.is_file():
        return ""
    head = msgspec.json.decode(open_source(path).data, type=_Covered)
    coverage = str(head.coverage) if head.coverage is not None and not head.coverage.complete else ""
    return "; ".join(filter(None, (limit_text(head.signature.options), coverage)))


def _empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _parquet(run: Run) -> bytes:
    buffer = io.BytesIO()
    run.items.write_parquet(buffer, compression="zstd", compression_level=3, row_group_size=GROUP)
    return buffer.getvalue()


def _json(run: Run, items: bytes) -> bytes:
    columns = {
        name: StoredColumn(str(run.items[name].dtype), _column_hash(run.items[name])) for name in run.items.columns
    }
    stored = {
        "format": FORMAT,
        "exam": run.exam,
        "part": run.part,
        "options": run.options,
        "items": StoredItems(run.items.height, len(items), hashlib.sha256(items).hexdigest(), columns),
        "measures": {str(key): finite(estimate) for key, estimate in run.measures.items()},
        # Keys are sorted for reading; the exam's own order of measures is kept beside them.
        "order": list(map(str, run.measures)),
        "signature": run.signature,
        "fingerprints": run.fingerprints,
        "versions": run.versions,
        "warnings": run.warnings,
        "coverage": run.coverage,
        "created": run.created,
        **({} if run.readings is None else {"readings": run.readings}),
    }
    stored["seals"] = _seals(msgspec.json.decode(msgspec.json.encode(stored)))
    return msgspec.json.format(msgspec.json.encode(stored, order="sorted"), indent=2) + b"\n"


def _entries(document: dict[str, Any]) -> dict[str, Any]:
    """The entries that have a hash each, by path: `exam`, `options.top`, `measures.mrr`."""
    entries: dict[str, Any] = {}
    for part, value in document.items():
        if part not in UNSEALED:
            entries |= (
                {f"{part}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {part: value}
            )
    return entries


def _seals(document: dict[str, Any]) -> dict[str, str]:
    return {path: _hash(msgspec.json.encode(value, order="sorted")) for path, value in _entries(document).items()}


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _check_seals(name: str, document: dict[str, Any], seals: dict[str, str]) -> None:
    """Refuse a document with an entry that is not as it was written, naming the entry."""
    problems, actual, entries = Problems(name), _seals(document), _entries(document)
    for path in {**seals, **actual}:
        if path not in actual:
            problems.add("", path, "nothing", "this entry", AGAIN)
        elif path not in seals:
            problems.add("", path, shorten(entries[path]), "no such entry", AGAIN)
        elif seals[path] != actual[path]:
            problems.add("", path, shorten(entries[path]), "what the run was written with", AGAIN)
    problems.check()


def _items(path: Path, stored: StoredItems) -> "pl.DataFrame":
    if not path.is_file():
        raise InputError(str(path), [Problem("", "", "no such file", "the run's items", "The run is not complete.")])
    with open_bytes(path) as file:
        data = file.read()
    if hashlib.sha256(data).hexdigest() != stored.sha256:
        raise _changed(path, data, stored)
    items = _table(data)
    if items is None or items.height != stored.rows:
        found = "no Parquet" if items is None else f"{items.height:,} rows"
        raise InputError(str(path), [Problem("", "", found, f"a Parquet file of {stored.rows:,} rows", AGAIN)])
    return items


def _table(data: bytes) -> "pl.DataFrame | None":
    try:
        with reading_parquet(ITEMS):
            return pl.read_parquet(io.BytesIO(data))
    except InputError:
        return None


def _changed(path: Path, data: bytes, stored: StoredItems) -> InputError:
    """What is not as it was written, as far as it can be determined."""
    problems = Problems(str(path))
    for change in _changes_safely(path, stored):
        problems.add("", *change, AGAIN)
    if not problems.total and len(data) < stored.bytes:
        hint = "The file was cut short; run the exam again."
        problems.add("", "", f"{len(data):,} bytes", f"{stored.bytes:,} bytes", hint)
    if not problems.total:
        problems.add("", "", f"SHA-256 {hashlib.sha256(data).hexdigest()}", stored.sha256, AGAIN)
    return problems.error()


def _changes_safely(path: Path, stored: StoredItems) -> list[_Change]:
    """The changes, looked for in a separate process: damaged bytes can crash the decoder's process."""
    call = [sys.executable, "-P", "-c", f"from {__name__} import print_changes; print_changes()", str(path)]
    try:
        done = subprocess.run(
            call, input=msgspec.json.encode(stored), capture_output=True, timeout=PATIENCE, check=True
        )
        return msgspec.json.decode(done.stdout, type=list[_Change])
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError):
        return []


def print_changes() -> None:
    """In a separate process: print where a file's items differ from what standard input states."""
    stored = msgspec.json.decode(sys.stdin.buffer.read(), type=StoredItems)
    items = _table(Path(sys.argv[1]).read_bytes())
    print(msgspec.json.encode([] if items is None else list(_changes(items, stored))).decode())


def _changes(items: "pl.DataFrame", stored: StoredItems) -> Iterator[_Change]:
    """Missing rows; columns that are missing, new, of another type or, where no row is missing, of other values."""
    if items.height != stored.rows:
        yield "", f"{items.height:,} rows", f"{stored.rows:,} rows"
    for name in {**stored.columns, **items.schema}:
        wanted = stored.columns.get(name)
        if wanted is None:
            yield name, f"a column of {items[name].dtype}", "no such column"
        elif name not in items.columns:
            yield name, "no such column", f"a column of {wanted.type}"
        elif wanted.type != str(items[name].dtype):
            yield name, f"a column of {items[name].dtype}", f"one of {wanted.type}"
        elif items.height == stored.rows and wanted.hash != _column_hash(items[name]):
            yield name, "other values", "those that the run was written with"


def _column_hash(column: "pl.Series") -> str:
    """A hash of a column's values that does not depend on their layout in memory."""
    if not column.dtype.is_numeric() or column.dtype.is_decimal():
        return _hash(msgspec.json.encode(column.to_list()))
    empty = column.is_null().to_numpy().tobytes() if column.null_count() else b""
    return _hash(column.fill_null(0).to_numpy().tobytes() + empty)
