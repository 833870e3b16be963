"""Mutations of files: of their bytes, of what they say, and of the file as a whole.

`mutate` makes one file of another by an explicit generator, so that a seed and a number are enough to make it again.
Text is changed by bytes, JSON by values, tables by cells, npz, HDF5 and Parquet by what they hold; any file may be cut,
packed, packed and damaged, put into another encoding, or be a file of another format.
"""

import copy
import functools
import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from voirdire.formats.catalogue import look
from voirdire.formats.files import Source

__all__ = ["mutate"]

LATIN, NEEDLES = "é".encode("latin-1"), (b"a", b"e", b"o")


def mutate(data: bytes, rng: random.Random, others: Callable[[], Sequence[bytes]] = tuple) -> bytes:
    """A file made of `data` by one to three changes; now and then one of the `others` instead."""
    changes = rng.choice((1, 1, 1, 2, 3))
    if rng.random() < 0.1:
        return _change_whole(data, rng, others)
    if rng.random() < 0.3 or not data:
        return _repeat(data, _change_bytes, rng, changes)
    kind = look(Source("", data)).kind
    if kind == "npz":
        return _change_npz(data, rng)
    if kind == "hdf5":
        return _change_hdf5(data, rng)
    if data.startswith(b"PAR1"):
        return _change_parquet(data, rng)
    if kind in ("list", "object", "lines"):
        try:
            document, lines = _document(data, kind)
        except ValueError:
            return _repeat(data, _change_bytes, rng, changes)
        return _dump(_repeat(copy.deepcopy(document), _change_value, rng, changes), lines, rng)
    change = _change_cells if kind in ("csv", "text") else _change_bytes
    return _repeat(data, change, rng, changes)


def _change_whole(data: bytes, rng: random.Random, others: Callable[[], Sequence[bytes]]) -> bytes:
    """Another file altogether: in another encoding, packed, packed and damaged, cut, empty, twice, or of others."""
    packed = gzip.compress(data, mtime=0)
    text = data.decode("utf-8", "replace")
    return rng.choice(
        (
            lambda: b"",
            lambda: b"\n" * rng.randrange(1, 9),
            lambda: b"\x00" * rng.choice((1, 4096)),
            lambda: b"\xef\xbb\xbf" + data,
            lambda: text.encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"))),
            lambda: data.replace(b"\n", rng.choice((b"\r\n", b"\r"))),
            lambda: data.replace(rng.choice(NEEDLES), LATIN, 1),
            lambda: packed,
            lambda: gzip.compress(packed, mtime=0),
            lambda: packed[: rng.randrange(len(packed))],
            lambda: _change_bytes(packed, rng),
            lambda: gzip.compress(b"[" * 1_000_000 if rng.random() < 0.5 else bytes(4_000_000), mtime=0),
            lambda: data + rng.choice((data, packed, b"\x00", b"x", b"}")),
            lambda: b"[" * rng.choice((500, 5000, 200_000)) + rng.choice((b"", data)),
            lambda: b'{"a":' * rng.choice((500, 50_000)),
            lambda: rng.choice((b"{}", *others())),
            lambda: rng.choice(
                (b"{}", b"[]", b"null", b"0", b'""', b"[[]]", b"[{}]", b"{}\n{}", b"a,b\n", b"PK\x03\x04", b"PAR1")
            ),
        )
    )()


@functools.lru_cache(maxsize=64)
def _document(seed: bytes, kind: str) -> tuple[Any, bool]:
    if kind in ("list", "object"):
        return json.loads(seed), False
    return (
        ([json.loads(line) for line in seed.splitlines() if line.strip()], True) if kind == "lines" else (None, False)
    )


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
    if rng.random() < 0.1:
        text = _key_twice(text, rng)
    if rng.random() < 0.1:
        text = _odd_number(text, rng)
    return text.encode()


NUMBERS = (
    "NaN",
    "-Infinity",
    "1e999",
    "-1e999",
    "1E400",
    "0x10",
    "01",
    "1.",
    ".5",
    "+1",
    "-",
    "1_0",
    "9" * 5000,
    "1e-400",
)


def _odd_number(text: str, rng: random.Random) -> str:
    """One of the numbers as no JSON has it, or as no machine holds it."""
    found = list(re.finditer(r"(?<![\w.\"\\-])-?\d+(?:\.\d+)?(?![\w.\"])", text))
    if not found:
        return text
    one = rng.choice(found)
    return text[: one.start()] + rng.choice(NUMBERS) + text[one.end() :]


def _key_twice(text: str, rng: random.Random) -> str:
    """A key that occurs twice in one object, as it is or with its first letter written as an escape."""
    found = list(re.finditer(r'[{,]\s*"([^"\\]+)"\s*:', text))
    if not found:
        return text
    one = rng.choice(found)
    name = one[1] if rng.random() < 0.5 else f"\\u{ord(one[1][0]):04x}{one[1][1:]}"
    text = f'{text[: one.start() + 1]}"{name}": {json.dumps(_any_value(rng))}, {text[one.start() + 1 :]}'
    texts = list(re.finditer(r':\s*"', text))
    if texts and rng.random() < 0.5:
        # A reader that counts colons must not take one inside a text, or its escape, for that of a key.
        one = rng.choice(texts)
        text = text[: one.end()] + rng.choice((r"\u003a", ":")) + text[one.end() :]
    return text


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
            row[place] += rng.choice((b" ", b"0", b"x", b'"', b"-", b"\r", b"\x00", LATIN, b"\xed\xa0\x80"))
        case _:
            row[place] = str(_any_value(rng)).encode(errors="replace")
    return b"\n".join(mark.join(cells) for cells in rows)


def _change_npz(data: bytes, rng: random.Random) -> bytes:
    """Another array in the place of one, one fewer, one more, or an archive that is odd in itself."""
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        arrays = {name: opened[name] for name in opened.files}
    name = rng.choice(list(arrays))
    odd = rng.randrange(8)
    if odd == 0:
        del arrays[name]
    elif odd == 1:
        arrays[rng.choice(("extra", "../up", "a/b", "é", name.upper()))] = arrays[name]
    elif odd == 2:
        # A pickle: what is in it must never be run.
        arrays[name] = np.array([{"a": 1}], dtype=object)
    else:
        arrays[name] = _change_array(arrays[name], rng)
    file = io.BytesIO()
    np.savez(file, allow_pickle=True, **{key: value for key, value in arrays.items() if key != "file"})
    return _change_archive(file.getvalue(), name, rng) if odd == 3 else file.getvalue()


def _change_archive(data: bytes, name: str, rng: random.Random) -> bytes:
    """The archive with an array that says to be larger than it is, that is there twice, or that is none."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            held = old.read(entry)
            if entry == f"{name}.npy":
                held = rng.choice(
                    (
                        held[: len(held) // 2],
                        b"",
                        held[:10],
                        held.replace(b"(", b"(9999999999, ", 1),
                        held.replace(b"<", b">", 1),
                        held.replace(b"shape", b"shade", 1),
                        b"\x93NUMPY\x03\x00" + held[8:],
                    )
                )
            new.writestr(entry.removesuffix(".npy") if rng.random() < 0.05 else entry, held)
    return file.getvalue()


def _change_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """The array with another shape, of another type, or with one number that is odd."""
    flat = array.ravel()
    match rng.randrange(9):
        case 0:
            return np.atleast_1d(array)[:0]
        case 1:
            return array[: len(array) // 2] if array.ndim else array
        case 2:
            return np.concatenate((array, array)) if array.ndim else array
        case 3:
            return array[None]
        case 4:
            return np.asarray(flat[0] if flat.size else 0)
        case 5:
            return array.astype(str) if array.dtype.kind != "V" else array
        case 6 if array.dtype.kind in "fiu" and array.size:
            with np.errstate(all="ignore"):
                return array.astype(rng.choice(("i1", "u8", "f2", "f8", "c16", "?", ">f4", "M8[s]")))
        case 7 if array.dtype.kind in "fiub" and array.size:
            changed = array.astype("f8") if array.dtype.kind != "f" or rng.random() < 0.2 else array.copy()
            place = tuple(rng.randrange(size) for size in array.shape)
            with np.errstate(all="ignore"):
                changed[place] = rng.choice((np.nan, np.inf, -np.inf, -1, 0, 0.5, 1e30, 2.0**63, 1e300))
            return changed
        case _:
            changed = array.copy()
            if array.size and array.ndim:
                changed[rng.randrange(len(array))] = array[rng.randrange(len(array))]
            return changed


def _change_hdf5(data: bytes, rng: random.Random) -> bytes:
    """One of its sets with other numbers or under another name, one fewer, or a link in its place."""
    import h5py

    file = io.BytesIO(data)
    try:
        with h5py.File(file, "r+") as opened:
            names: list[str] = []
            opened.visit(names.append)
            attributes = list(opened.attrs)
            name = rng.choice(names)
            match rng.randrange(9):
                case 0:
                    del opened[name]
                case 1:
                    opened.move(name, rng.choice(("extra", f"{name}x", "deep/er")))
                case 2:
                    del opened[name]
                    opened[name] = rng.choice(
                        (
                            h5py.SoftLink("/nowhere"),
                            h5py.SoftLink(f"/{name}"),
                            h5py.ExternalLink("/etc/hostname", "/a"),
                            h5py.ExternalLink("mutant.h5", f"/{name}"),
                        )
                    )
                case 3:
                    del opened[name]
                    opened.create_group(name)
                case 4 if attributes:
                    key = rng.choice(attributes)
                    opened.attrs[key] = rng.choice((b"\xff", "x" * 5000, 0, np.nan, "é", np.arange(3)))
                case 5 if attributes:
                    del opened.attrs[rng.choice(attributes)]
                case _ if isinstance(opened[name], h5py.Dataset):
                    held = np.asarray(opened[name][()])
                    if held.dtype.kind in "fiu":
                        changed = _change_array(held, rng)
                        del opened[name]
                        opened[name] = changed.astype("S") if changed.dtype.kind == "U" else changed
                case _:
                    pass
    except (OSError, RuntimeError, TypeError, ValueError, KeyError):
        return _change_bytes(data, rng)
    return file.getvalue()


def _change_parquet(data: bytes, rng: random.Random) -> bytes:
    """The table with one column of another type or other values, one fewer, one more, or other rows."""
    import polars as pl

    try:
        table = pl.read_parquet(io.BytesIO(data))
        metadata = pl.read_parquet_metadata(io.BytesIO(data))
    except pl.exceptions.PolarsError:
        return _change_bytes(data, rng)
    name = rng.choice(table.columns)
    rows = list(range(table.height))
    match rng.randrange(9):
        case 0:
            table = table.drop(name)
        case 1:
            table = table.rename({name: rng.choice((f"{name}x", "", "é"))})
        case 2:
            table = table.with_columns(table[name].alias("extra"))
        case 3:
            table = table[: rng.choice((0, 1, table.height // 2))]
        case 4:
            table = pl.concat((table, table))
        case 5:
            rng.shuffle(rows)
            table = table[rows]
        case 6:
            table = table.with_columns(pl.lit(rng.choice((None, 1, -1, "x", 0.5, True, float("nan")))).alias(name))
        case 7:
            type_ = rng.choice((pl.String, pl.Int8, pl.Float32, pl.Float64, pl.Boolean, pl.UInt64, pl.List(pl.Int64)))
            try:
                table = table.with_columns(table[name].cast(type_, strict=False))
            except pl.exceptions.PolarsError:
                table = table.drop(name)
        case _:
            place = rng.randrange(max(1, table.height))
            odd = rng.choice((None, float("nan"), float("inf"), -1, 2**40))
            column = table[name].to_list()
            if column:
                column[place] = odd
            try:
                table = table.with_columns(pl.Series(name, column, dtype=table.schema[name], strict=False))
            except (pl.exceptions.PolarsError, TypeError, OverflowError):
                table = table.drop(name)
    kept = {key: value for key, value in metadata.items() if not key.startswith("ARROW")}
    if kept and rng.random() < 0.2:
        key = rng.choice(list(kept))
        kept[key] = rng.choice(("", "{}", "null", kept[key][:-1], "é" * 100, kept[key].replace("1", "2")))
    file = io.BytesIO()
    table.write_parquet(file, metadata=kept)
    return file.getvalue()
