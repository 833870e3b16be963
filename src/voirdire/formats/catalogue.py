"""Every format that Voir Dire reads, and how a file is recognised by a cheap look at its beginning (a sample)."""

import csv
import importlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

import msgspec

from voirdire.errors import InputError, shorten
from voirdire.formats import FORMATS, strict
from voirdire.formats.files import BOM, UTF16, Source, once, open_source
from voirdire.providers import entry_points

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "LINES",
    "OTHER_ARRAYS",
    "RECORDS",
    "Format",
    "Sample",
    "detect",
    "formats",
    "look",
    "named_format",
    "read_file",
]

# What to do about files that have the right content in a wrong form.
HINTS = {
    "text in UTF-16": strict.FROM_UTF16,
    "binary data (npy)": "Arrays are read from npz or HDF5; numpy.savez writes npz.",
    "binary data (Parquet)": "It may have been cut short, or be none of those that are known: rankings of basic "
    "questions, propositions, reference sets.",
}
# Other npz files of ours, by the names of their arrays; the verbs that read these check them.
OTHER_ARRAYS = {
    frozenset({"about"}): "It seems to be a model trained by Voir Dire; the verb that reads it checks it.",
    frozenset({"texts", "vectors"}): "It seems to have vectors of texts, for an encoder npz:PATH, which checks them.",
}

GROUP = "voirdire.formats"

T = TypeVar("T")
P = ParamSpec("P")

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
    """The result of a cheap look at a file.

    kind   "object", "list", "lines", "csv", "text", "hdf5", "npz", "zip", "utf-16" or "binary"
    keys   object: its keys, and one level down as "data.dialogs" where a value is an object; list and lines: the keys
           of the first record; csv: the names in the first line; npz: the names of its arrays; zip: those of its files;
           Parquet: the words at its end, the names of its columns among them
    first  list and lines: the first record; csv and text: the first line; object: its first value, with only the first
           entry of the lists and objects in it; binary: the kind of file, where that is known
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
    start = _BLANK.match(data, len(BOM) if data.startswith(BOM) else 0).end()  # type: ignore[union-attr]
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
        first = _first_entries(next(iter(values.values()))) if values else None
    except _BROKEN:
        pass  # Bytes that are not UTF-8, inside a text: the strict reading reports where.
    return Sample("object", frozenset(keys), first)


def _first_entries(raw: msgspec.Raw) -> Any:
    """A value, but of each list or object, at any depth, only the first entry."""
    opening = bytes(memoryview(raw)[:1])
    if opening == b"{":
        for key, value in msgspec.json.decode(raw, type=dict[str, msgspec.Raw]).items():
            return {key: _first_entries(value)}
        return {}
    if opening == b"[":
        return [_first_entries(value) for value in msgspec.json.decode(raw, type=list[msgspec.Raw])[:1]]
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
    """The words at the end of a Parquet file, where it names its columns; its last eight bytes have their length."""
    length = int.from_bytes(data[-8:-4], "little")
    return frozenset(word.decode() for word in _WORD.findall(data[-8 - length : -8]))


def describe_sample(sample: Sample) -> str:
    """A sample in words, for messages."""
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


@dataclass(frozen=True)
class Format(Generic[T]):
    """A foreign format: how to recognise it, how to read it, and how to describe what was read.

    matches   whether a file that looks like this is of the format; no two formats claim the same file
    parse     the strict reading; raises InputError
    describe  how much is in a record, for people
    keys      the ids that other files may share: "image", "question", "game" int64[n], "round" int64[n, 2];
              "dialogue" int64[n] is its place in the file, for files that say no more
    notes     small faults that do not stop the reading
    write     the layout that `parse` reads, from a record to a path; None for what is only read
    fields    the keys that its records have, if it has records; these tell which format an unknown file is nearest to
    by_round  whether its records are of single rounds; `parse` then takes `otherwise`, from where rounds are counted in
              a file that leaves that open
    """

    name: str
    title: str
    matches: Callable[[Sample], bool]
    parse: Callable[..., T]
    describe: Callable[[T], str]
    keys: "Callable[[T], dict[str, np.ndarray]]" = lambda record: {}
    notes: Callable[[T], Sequence[str]] = lambda record: record.notes  # type: ignore[attr-defined]
    write: Callable[[T, str | Path], None] | None = None
    by_round: bool = False
    fields: tuple[str, ...] = ()

    def read(self, path: str | Path) -> T:
        """The strict reading of a path; see `read_file`."""
        return read_file(path, self, self.parse)


@cache
def formats() -> tuple[Format[Any], ...]:
    """All formats: ours in the order of the table, then those of other packages by name."""
    places = (place.partition(".") for place in FORMATS.values())
    ours = [getattr(importlib.import_module(f"voirdire.formats.{module}"), name) for module, _, name in places]
    others = sorted(entry_points(GROUP), key=lambda point: point.name)
    return (*ours, *(point.load() for point in others))


def read_as(path: str | Path, name: str, otherwise: int | None = None) -> Any:
    """The strict reading of a path as the format of this name.

    otherwise  from where rounds are counted, for formats that may leave that open
    """
    format_ = named_format(name)
    return read_file(path, format_, format_.parse, **({"otherwise": otherwise} if format_.by_round else {}))


def named_format(name: str) -> Format[Any]:
    """The format of this name."""
    return next(format_ for format_ in formats() if format_.name == name)


def detect(source: Source) -> Format[Any]:
    """The format of a file, or an InputError that says what the file looks like and which formats are known."""
    sample = look(source)
    matching = [format_ for format_ in formats() if format_.matches(sample)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        names = ", ".join(format_.name for format_ in matching)
        raise source.fail("", "", f"{describe_sample(sample)}, which fits several formats: {names}", "one format")
    if sample.kind in ("object", "list") and strict.parse(source) == []:  # Broken JSON is said with its place.
        raise source.fail("", "", "an empty list", "at least one record")
    if not source.data.strip():
        raise source.fail("", "", "an empty file", "a data file")
    if sample.kind in ("csv", "text"):
        strict.refuse_other_encodings(source)
    found = describe_sample(sample)
    arrays = [hint for names, hint in OTHER_ARRAYS.items() if sample.kind == "npz" and names <= sample.keys]
    hint = HINTS.get(found) or next(iter(arrays), "docs/formats.md lists them.")
    raise source.fail("", "", found, "one of the known formats", hint)


@once
def read_file(
    path: str | Path,
    format_: Format[Any],
    parse: Callable[Concatenate[Source, P], T],
    *options: P.args,
    **named: P.kwargs,
) -> T:
    """The strict reading of a path; where it fails and the file is of another format, the error says that alone."""
    source = open_source(path)
    try:
        return parse(source, *options, **named)
    except InputError:
        sample = look(source)
        matching = [other for other in formats() if other.matches(sample)]
        if len(matching) == 1 and matching[0].name != format_.name:
            raise source.fail("", "", _full_name(matching[0]), _full_name(format_)) from None
        if sample.kind in ("binary", "utf-16") and not matching:
            found = describe_sample(sample)
            raise source.fail("", "", found, _full_name(format_), HINTS.get(found, "")) from None
        raise


def _full_name(format_: Format[Any]) -> str:
    return f"{format_.title} ({format_.name})"
