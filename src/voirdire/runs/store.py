"""A run on disk: a folder with `run.json` (all but the items, readable) and `items.parquet`.

`run.json` names the size and the SHA-256 of the items' file, so that a folder patched together from two runs, or cut
short, is recognised. Keys are sorted and the items are written in groups of a fixed size, so the same run gives the
same bytes.
"""

import hashlib
import io
from pathlib import Path
from typing import Any

import msgspec

from voirdire.atomic import atomic_folder, check_above
from voirdire.errors import InputError, Problem, UsageError, shorten
from voirdire.formats.files import open_source
from voirdire.formats.strict import decode, parse
from voirdire.metrics.key import Key
from voirdire.runs.estimate import Estimate, Measures
from voirdire.runs.run import Run, finite
from voirdire.runs.signature import Signature

__all__ = ["FORMAT", "ITEMS", "RUN", "check_place", "read_run", "write_run"]

FORMAT = 2
RUN = "run.json"
ITEMS = "items.parquet"
GROUP = 65_536


class StoredItems(msgspec.Struct, forbid_unknown_fields=True):
    """What `run.json` knows of the items' file."""

    rows: int
    bytes: int
    sha256: str


class StoredRun(msgspec.Struct, forbid_unknown_fields=True):
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
    created: str


def check_place(folder: str | Path, overwrite: bool = False) -> None:
    """Refuse a folder that no run may take the place of; to be asked before the work is done, too."""
    path = Path(folder)
    if path.exists() and not (overwrite and (path / RUN).is_file()) and not _empty(path):
        what = "a run" if (path / RUN).is_file() else "something that is not a run"
        remedy = "Name another folder" + (
            ", or ask for it to be overwritten (`overwrite`)." if what == "a run" else "."
        )
        raise UsageError(f"{path}: there is {what} already. {remedy}")
    check_above(path)


def write_run(run: Run, folder: str | Path, overwrite: bool = False) -> Path:
    """Write the run to `folder`, whole or not at all; only another run may be overwritten, and only if asked for."""
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
        hint = "A later version of Voir Dire wrote it; install that one." if newer else "Hold the exam again."
        raise source.fail("", "format", "nothing" if version is None else shorten(version), f"{FORMAT}", hint)
    stored = decode(source, StoredRun)
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
        created=stored.created,
    )


def _empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _parquet(run: Run) -> bytes:
    buffer = io.BytesIO()
    run.items.write_parquet(buffer, compression="zstd", compression_level=3, row_group_size=GROUP)
    return buffer.getvalue()


def _json(run: Run, items: bytes) -> bytes:
    stored = {
        "format": FORMAT,
        "exam": run.exam,
        "part": run.part,
        "options": run.options,
        "items": StoredItems(run.items.height, len(items), hashlib.sha256(items).hexdigest()),
        "measures": {str(key): finite(estimate) for key, estimate in run.measures.items()},
        # Keys are sorted for reading; the exam's own order of measures is kept beside them.
        "order": list(map(str, run.measures)),
        "signature": run.signature,
        "fingerprints": run.fingerprints,
        "versions": run.versions,
        "warnings": run.warnings,
        "created": run.created,
    }
    return msgspec.json.format(msgspec.json.encode(stored, order="sorted"), indent=2) + b"\n"


def _items(path: Path, stored: StoredItems) -> Any:
    import polars as pl

    if not path.is_file():
        raise InputError(str(path), [Problem("", "", "no such file", "the run's items", "The run is not complete.")])
    data = path.read_bytes()
    if len(data) != stored.bytes:
        hint = "The file was cut short." if len(data) < stored.bytes else "It is not the file that the run wrote."
        raise InputError(str(path), [Problem("", "", f"{len(data):,} bytes", f"{stored.bytes:,} bytes", hint)])
    digest = hashlib.sha256(data).hexdigest()
    if digest != stored.sha256:
        hint = "The file was changed, or belongs to another run."
        raise InputError(str(path), [Problem("", "", f"SHA-256 {digest}", f"{stored.sha256}", hint)])
    try:
        items = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(str(path), [Problem("", "", shorten(str(error)), "a Parquet file")]) from None
    if items.height != stored.rows:
        raise InputError(str(path), [Problem("", "", f"{items.height:,} rows", f"{stored.rows:,} rows")])
    return items
