"""The property that every format keeps when its files are mutated.

A mutated file is either read or refused with an error that names it. What is read can be written and read again as
the same record. A file whose content was changed is not read as the original without a note. Nothing else is ever
raised.

A format takes part by a `Case` in the tuple `CASES` of a file `seeds_*.py` beside this one: its name in the
catalogue and small good files; its reader and its writer are those of the catalogue.
"""

import csv
import dataclasses
import functools
import importlib.util
import json
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mutation import mutate

from voirdire.errors import VoirDireError
from voirdire.formats.catalogue import Format, formats, look
from voirdire.formats.files import Source, open_source

__all__ = ["Case", "Outcome", "cases", "examine", "known", "run", "same", "seeds"]


@dataclasses.dataclass(frozen=True)
class Case:
    """How a format takes part.

    name    its name in the catalogue
    seeds   small good files, as bytes
    suffix  how the names of its files end
    real    files of the real data, each with a function that cuts a small good file out of it
    """

    name: str
    seeds: Callable[[], Sequence[bytes]]
    suffix: str = ".json"
    real: tuple[tuple[str, Callable[[bytes], bytes]], ...] = ()


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a mutant: "fine" or "error", or, where the property is broken, how ("fault")."""

    kind: str
    detail: str = ""


@functools.cache
def cases() -> dict[str, Case]:
    """All cases, by name."""
    found: dict[str, Case] = {}
    for path in sorted(Path(__file__).parent.glob("seeds_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.update({case.name: case for case in module.CASES})
    return found


def known(name: str) -> Format:
    """The format of that name."""
    return next(format_ for format_ in formats() if format_.name == name)


def seeds(case: Case) -> list[bytes]:
    """Good files of a format: made ones, and cuts of real ones where these are at hand."""
    files = list(case.seeds())
    if folder := os.environ.get("VOIRDIRE_REAL_DATA"):
        files += [cut(open_source(Path(folder) / name).data) for name, cut in case.real]
    return files


@functools.cache
def strangers() -> tuple[bytes, ...]:
    """One file of every format, to be taken for one of another."""
    return tuple(case.seeds()[0] for _, case in sorted(cases().items()))


def run(name: str, numbers: Iterable[int], seed: int, folder: Path) -> Iterator[tuple[int, Outcome, bytes]]:
    """What becomes of the mutants of a format with these numbers; the same seed and number give the same mutant."""
    case, format_ = cases()[name], known(name)
    files = seeds(case)
    originals = [format_.parse(Source("seed", file)) for file in files]
    for number in numbers:
        rng = random.Random(f"{seed} {name} {number}")
        place = number % len(files)
        mutant = mutate(files[place], rng, strangers)
        yield number, examine(case, format_, files[place], originals[place], mutant, folder), mutant


def examine(case: Case, format_: Format, seed: bytes, original: Any, mutant: bytes, folder: Path) -> Outcome:
    """Read a mutant of `seed`, whose record is `original`, and see whether the property holds."""
    path = folder / f"mutant{case.suffix}"
    name = str(path)
    path.write_bytes(mutant)
    try:
        source = open_source(path)
        record = format_.parse(source)
    except VoirDireError as error:
        return (
            Outcome("error") if name in str(error) else Outcome("fault", f"an error without the file's name: {error}")
        )
    except Exception as error:
        return Outcome("fault", f"{type(error).__name__}: {error}")
    try:
        format_.describe(record)
        format_.keys(record)
        again = record if format_.write is None else _write_and_read(format_, record, folder / f"again{case.suffix}")
    except Exception as error:
        return Outcome("fault", f"after reading, {type(error).__name__}: {error}")
    if not same(record, again):
        return Outcome("fault", "written and read again, the record is another")
    quiet = tuple(format_.notes(record)) == tuple(format_.notes(original))
    if quiet and _says_twice(content(source.data)):
        return Outcome("fault", "a key is there twice, and nothing is said of it")
    if quiet and same(record, original):
        before, after = content(seed), content(source.data)
        if before is not None and before != after:
            return Outcome("fault", "a changed file reads as the original")
    return Outcome("fine")


def _write_and_read(format_: Format, record: Any, path: Path) -> Any:
    assert format_.write is not None
    format_.write(record, path)
    # A file of rounds may leave its base open.
    return format_.parse(open_source(path), **({"base": record.base} if format_.by_round else {}))


def same(a: Any, b: Any) -> bool:
    """Whether two records hold the same, arrays included; fingerprints and notes aside."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return (
            isinstance(a, np.ndarray)
            and isinstance(b, np.ndarray)
            and a.dtype == b.dtype
            and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        )
    if type(a) is not type(b):
        return False
    if dataclasses.is_dataclass(a):
        names = [
            field_.name
            for field_ in dataclasses.fields(a)
            if field_.compare and field_.name not in ("fingerprint", "notes")
        ]
        return all(same(getattr(a, name), getattr(b, name)) for name in names)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b)


def content(data: bytes) -> Any:
    """What a file says, apart from white space, the order of keys and how numbers are spelt; None for binary files."""
    sample = look(Source("", data))
    if sample.kind in ("hdf5", "npz", "binary"):
        return None
    try:
        if sample.kind in ("list", "object"):
            return _plain(json.loads(data, object_pairs_hook=_pairs))
        if sample.kind == "lines":
            return [_plain(json.loads(line, object_pairs_hook=_pairs)) for line in data.split(b"\n") if line.strip()]
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
        rows = csv.reader(lines, delimiter="," if "," in next(filter(None, lines), "") else "\t")
        return [[_word(cell.strip()) for cell in row] for row in rows if row]
    except (ValueError, RecursionError, csv.Error):
        return data


def _pairs(pairs: list[tuple[str, Any]]) -> Any:
    """An object; where a key occurs twice, what no object equals."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else ("twice", pairs)


def _says_twice(value: Any) -> bool:
    """Whether a key occurs twice in an object at any depth."""
    if isinstance(value, tuple) and value[:1] == ("twice",):
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_says_twice, inner))


def _plain(value: Any) -> Any:
    """A value that equals another only where the JSON says the same: true is not 1, but 1.0 is."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return ("bool", value) if isinstance(value, bool) else value


def _word(cell: str) -> Any:
    return int(cell) if re.fullmatch(r"-?[0-9]+", cell) else cell
