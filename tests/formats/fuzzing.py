"""Mutations of files, and the property that every format keeps under them.

A mutated file is either read or refused with an error that names it. What is read can be written and read again as
the same record. A file whose content was changed is not read as the original without a note. Nothing else is ever
raised.

A format takes part by a `Case` in the tuple `CASES` of a file `fuzz_seeds_*.py` beside this one: its name in the
catalogue and small good files; its reader and its writer are those of the catalogue.
"""

import copy
import csv
import dataclasses
import importlib.util
import json
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.errors import VoirDireError
from voirdire.formats.catalogue import Format, formats, look
from voirdire.formats.files import Source, open_source

__all__ = ["Case", "Outcome", "cases", "examine", "mutants", "same", "seeds"]


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


def cases() -> dict[str, Case]:
    """All cases, by name."""
    found: dict[str, Case] = {}
    for path in sorted(Path(__file__).parent.glob("fuzz_seeds_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.update({case.name: case for case in module.CASES})
    return found


def known(name: str) -> Format:
    """The format of that name."""
    return next(one for one in formats() if one.name == name)


def seeds(case: Case) -> list[bytes]:
    """Good files of a format: made ones, and cuts of real ones where these are at hand."""
    files = list(case.seeds())
    if folder := os.environ.get("VOIRDIRE_REAL_DATA"):
        files += [cut(open_source(Path(folder) / name).data) for name, cut in case.real]
    return files


def examine(case: Case, format_: Format, seed: bytes, original: Any, mutant: bytes, folder: Path) -> Outcome:
    """Read a mutant of `seed`, whose record is `original`, and see whether the property holds."""
    name = f"mutant{case.suffix}"
    try:
        record = format_.parse(Source(name, mutant))
    except VoirDireError as error:
        return (
            Outcome("error") if name in str(error) else Outcome("fault", f"an error without the file's name: {error}")
        )
    except Exception as error:
        return Outcome("fault", f"{type(error).__name__}: {error}")
    try:
        format_.describe(record)
        format_.keys(record)
        again = record if format_.write is None else _write_and_read(format_, record, folder / name)
    except Exception as error:
        return Outcome("fault", f"after reading, {type(error).__name__}: {error}")
    if not same(record, again):
        return Outcome("fault", "written and read again, the record is another")
    if same(record, original) and tuple(format_.notes(record)) == tuple(format_.notes(original)):
        before, after = content(seed), content(mutant)
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
        names = [one.name for one in dataclasses.fields(a) if one.compare and one.name not in ("fingerprint", "notes")]
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
            return _plain(json.loads(data))
        if sample.kind == "lines":
            return [_plain(json.loads(line)) for line in data.split(b"\n") if line.strip()]
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
        rows = csv.reader(lines, delimiter="," if "," in next(filter(None, lines), "") else "\t")
        return [[_word(cell.strip()) for cell in row] for row in rows if row]
    except (ValueError, RecursionError, csv.Error):
        return data


def _plain(value: Any) -> Any:
    """A value that equals another only where the JSON says the same: true is not 1, but 1.0 is."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return ("bool", value) if isinstance(value, bool) else value


def _word(cell: str) -> Any:
    return int(cell) if re.fullmatch(r"-?[0-9]+", cell) else cell


def mutants(seed: bytes, rng: random.Random, count: int) -> Iterator[bytes]:
    """Files made from `seed` by one to three changes each, of its bytes or of its structure."""
    kind = look(Source("", seed)).kind
    document, lines = _document(seed, kind)
    for _ in range(count):
        changes = rng.choice((1, 1, 1, 2, 3))
        if kind in ("hdf5", "npz") or rng.random() < 0.3:
            yield _repeat(seed, _change_bytes, rng, changes)
        elif kind in ("csv", "text"):
            yield _repeat(seed, _change_cells, rng, changes)
        else:
            yield _dump(_repeat(copy.deepcopy(document), _change_value, rng, changes), lines, rng)


def _document(seed: bytes, kind: str) -> tuple[Any, bool]:
    if kind in ("list", "object"):
        return json.loads(seed), False
    return ([json.loads(line) for line in seed.splitlines()], True) if kind == "lines" else (None, False)


def _repeat(value: Any, change: Callable[[Any, random.Random], Any], rng: random.Random, times: int) -> Any:
    for _ in range(times):
        value = change(value, rng)
    return value


PIECES = (
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\\ud800", b"\\u0000", b"\r\n", b"\n", b"\t", b",", b":", b'"',
    b"[", b"]", b"{", b"}", b"[" * 3000, b"null", b"NaN", b"Infinity", b"-", b"0", b"1e999", b"99999999999999999999",
    b"true", b"\\", b" ", "é\u2028\U0001f600".encode(),
)  # fmt: skip


def _change_bytes(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice((1, 1, 2, 8, 64, 512)))
    match rng.randrange(7):
        case 0:
            return data[:start] + bytes([rng.randrange(256)]) + data[start + 1 :]
        case 1:
            return data[:start] + data[end:]
        case 2:
            return data[:start] + data[start:end] * 2 + data[end:]
        case 3:
            return data[:start] + rng.choice(PIECES) + data[start:]
        case 4:
            return data[:start] + rng.choice(PIECES) + data[end:]
        case 5:
            return data[:start]
    return data[start:] + data[:start]


VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 9, 10, 11, 99, 100, 101, 2**15, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64,
    10**30, -(10**30), 0.5, 1.0, -0.0, 1.0000001, 1e308, "", " ", "x", "1", "0", "\x00", "\ud800", "é", "\u2028\n",
    "y" * 5000, [], {}, [[]], [None], {"a": 1}, [0] * 101,
)  # fmt: skip


def _any_value(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(VALUES))


def _change_value(document: Any, rng: random.Random) -> Any:
    """Change one place of a document, reached by a walk that may stop at any depth."""
    if not isinstance(document, dict | list) or not document:
        return _any_value(rng)
    parent, value = document, document
    key: Any = None
    while isinstance(value, dict | list) and value and (key is None or rng.random() < 0.8):
        parent = value
        key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        value = parent[key]
    match rng.randrange(8):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, dict):
            name = rng.choice((key + "x", key.upper(), "", "\x00", rng.choice(list(parent))))
            parent[name] = parent.pop(key)
        case 1 | 2 if isinstance(parent, list):
            parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(value))
        case 3 if isinstance(parent, list):
            other = rng.randrange(len(parent))
            parent[key], parent[other] = parent[other], parent[key]
        case 4 if isinstance(value, int | float) and not isinstance(value, bool):
            parent[key] = value + rng.choice((-1, 1, 0.5, 100, -(10**6)))
        case 4 if isinstance(value, str):
            parent[key] = rng.choice((value + " ", value[::-1], value[:-1], value.upper(), value + "? ", "_" + value))
        case 5:
            parent[key] = rng.choice((str(value), [value], {"a": value}, [value] * 3, [[[[[value]]]]]))
        case 6 if isinstance(parent, dict):
            added = rng.choice(("extra", "relevance", "split", "a.b", "`", "\n", "z" * 200))
            parent[added] = rng.choice((_any_value(rng), copy.deepcopy(value)))
        case _:
            parent[key] = _any_value(rng)
    return document


def _dump(document: Any, lines: bool, rng: random.Random) -> bytes:
    options: dict[str, Any] = {
        "indent": None if lines else rng.choice((None, None, 1)),
        "sort_keys": rng.random() < 0.2,
    }
    records = document if lines and isinstance(document, list) else [document]
    text = "\n".join(json.dumps(record, **options) for record in records)
    if rng.random() < 0.1:  # A key that occurs twice in one object.
        head, brace, tail = text.partition("{")
        if brace and (name := tail.lstrip().partition(":")[0]).startswith('"'):
            text = f"{head}{{{name}: {json.dumps(_any_value(rng))}, {tail}"
    return text.encode()


def _change_cells(data: bytes, rng: random.Random) -> bytes:
    mark = b"\t" if b"\t" in data else b","
    rows = [line.split(mark) for line in data.split(b"\n")]
    row = rng.choice(rows)
    place = rng.randrange(len(row))
    match rng.randrange(6):
        case 0:
            rows.insert(rng.randrange(len(rows) + 1), list(row))
        case 1:
            rows.remove(row)
        case 2:
            row.insert(place, rng.choice(row))
        case 3:
            del row[place]
        case 4:
            row[place] += rng.choice((b" ", b"0", b"x", b'"', b"-", b"\r"))
        case _:
            row[place] = str(_any_value(rng)).encode(errors="replace")
    return b"\n".join(mark.join(cells) for cells in rows)
