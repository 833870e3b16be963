"""A cheap look at a file of any size and content, and how to tell what was seen."""

import csv
import io
import json
import re
import zipfile
from dataclasses import dataclass
from typing import Any

import msgspec

from voirdire.errors import shorten
from voirdire.formats.files import BOM, UTF16, Source

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
ZIP_MAGIC = b"PK\x03\x04"
BINARY = {
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"%PDF-": "PDF",
    b"PAR1": "Parquet",
    b"\x93NUMPY": "npy",
}
LINES = ("lines", "object")  # JSON lines; a single line is an object.
RECORDS = ("list", *LINES)  # Records, whether in a list or on lines.
PREFIXES = (1 << 16, 1 << 20, 1 << 24)

_BLANK = re.compile(rb"\s*")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # what no text in any encoding of single bytes holds
_WORD = re.compile(rb"[A-Za-z_]{3,}")
_BROKEN = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@dataclass(frozen=True)
class Sample:
    """What a cheap look at a file shows.

    kind   "object", "list", "lines", "csv", "text", "hdf5", "npz", "zip", "utf-16" or "binary"
    keys   object: its keys, and one level down as "data.dialogs" where a value is an object; list and lines: the keys
           of the first record; csv: the names in the first line; npz: the names of its arrays; zip: those of its files;
           Parquet: the words at its end, the names of its columns among them
    first  list and lines: the first record; csv and text: the first line; object: its first value, lists and objects
           in it cut after their first entry; binary: what it is, where that is known
    """

    kind: str
    keys: frozenset[str]
    first: Any

    def has(self, kinds: str | tuple[str, ...], *keys: str) -> bool:
        """Whether it is of the kind, or of one of the kinds, and has all of these keys."""
        return self.kind in ((kinds,) if isinstance(kinds, str) else kinds) and self.keys.issuperset(keys)


def look(source: Source) -> Sample:
    """A cheap look at a file of any size and content; it never fails."""
    data = source.data
    if data.startswith(HDF5_MAGIC):
        return Sample("hdf5", frozenset(), None)
    if data.startswith(ZIP_MAGIC):
        return _look_at_archive(data)
    for magic, name in BINARY.items():
        if data.startswith(magic):
            return Sample("binary", _columns(data) if name == "Parquet" else frozenset(), name)
    if data.startswith(UTF16):
        return Sample("utf-16", frozenset(), None)
    start = _start(data)
    if data[start : start + 1] == b"[":
        first = _first_element(data, start)
        return Sample("list", _keys(first), first)
    if data[start : start + 1] == b"{":
        return _look_at_object(data, start)
    if _CONTROL.search(data, 0, PREFIXES[0]):
        return Sample("binary", frozenset(), None)
    end = data.find(b"\n", start)
    line = data[start : end if end >= 0 else len(data)].decode(errors="replace").rstrip("\r")
    if cells := _cells(line):
        return Sample("csv", frozenset(cells), line)
    return Sample("text", frozenset(), line)


def _start(data: bytes) -> int:
    match = _BLANK.match(data, len(BOM) if data.startswith(BOM) else 0)
    return match.end() if match else 0


def _look_at_object(data: bytes, start: int) -> Sample:
    end = data.find(b"\n", start)
    if end >= 0 and not data[end : end + 4096].isspace():
        try:
            first = msgspec.json.decode(data[start:end])
        except _BROKEN:
            pass
        else:
            return Sample("lines", _keys(first), first)
    try:
        values = msgspec.json.decode(memoryview(data)[start:], type=dict[str, msgspec.Raw])
    except _BROKEN:
        return Sample("object", frozenset(), None)
    keys, first = set(values), None
    try:
        for key, raw in values.items():
            if bytes(memoryview(raw)[:1]) == b"{":
                keys.update(f"{key}.{inner}" for inner in msgspec.json.decode(raw, type=dict[str, msgspec.Raw]))
        first = _cut(next(iter(values.values()))) if values else None
    except _BROKEN:
        pass  # Bytes that are not UTF-8, inside a text: the strict reading says where.
    return Sample("object", frozenset(keys), first)


def _cut(raw: msgspec.Raw) -> Any:
    """A value, but of a list or an object only the first entry, and so on inside."""
    opening = bytes(memoryview(raw)[:1])
    if opening == b"{":
        for key, value in msgspec.json.decode(raw, type=dict[str, msgspec.Raw]).items():
            return {key: _cut(value)}
        return {}
    if opening == b"[":
        return [_cut(value) for value in msgspec.json.decode(raw, type=list[msgspec.Raw])[:1]]
    return msgspec.json.decode(raw)


def _first_element(data: bytes, start: int) -> Any:
    """The first element of the list that opens at `start`, read from as short a prefix as will do."""
    decoder = json.JSONDecoder()
    for size in PREFIXES:
        text = data[start + 1 : start + size].decode(errors="replace").lstrip()
        try:
            return decoder.raw_decode(text)[0]
        except (ValueError, RecursionError):
            if start + size >= len(data):
                break
    return None


def _keys(first: Any) -> frozenset[str]:
    return frozenset(first) if isinstance(first, dict) else frozenset()


def _cells(line: str) -> list[str]:
    """The cells of a line of comma- or tab-separated values; none where it has but one."""
    delimiter = "\t" if "\t" in line else ","
    if delimiter not in line:
        return []
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]
    except csv.Error:
        return []


def _look_at_archive(data: bytes) -> Sample:
    """A zip archive: npz, unless all that it holds is something else."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        names = []
    arrays = frozenset(name[:-4] for name in names if name.endswith(".npy"))
    if names and not arrays:
        return Sample("zip", frozenset(names), None)
    return Sample("npz", arrays, None)


def _columns(data: bytes) -> frozenset[str]:
    """The words at the end of a Parquet file, where it names its columns; its last eight bytes say how long that is."""
    length = int.from_bytes(data[-8:-4], "little")
    return frozenset(word.decode() for word in _WORD.findall(data[-8 - length : -8]))


def tell(sample: Sample) -> str:
    """The sample in words."""
    keys = ", ".join(shorten(key)[1:-1] for key in sorted(sample.keys)[:12]) + (", …" if len(sample.keys) > 12 else "")
    match sample.kind:
        case "object":
            return f"a JSON object with the keys {keys}" if keys else "a JSON object without keys"
        case "list":
            return f"a JSON list of objects with the keys {keys}" if keys else f"a JSON list of {shorten(sample.first)}"
        case "lines":
            return f"JSON lines with the keys {keys}"
        case "csv":
            return f"a table that starts with {shorten(sample.first)}"
        case "npz" | "zip":
            return f"a zip archive with {keys or 'nothing readable'}"
        case "hdf5":
            return "an HDF5 file"
        case "utf-16":
            return "text in UTF-16"
        case "binary":
            return f"binary data ({sample.first})" if sample.first else "binary data"
    return f"text that starts with {shorten(sample.first)}"
