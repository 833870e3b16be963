"""Every format that Voir Dire reads, and how a file is recognised by a cheap look at its beginning."""

import csv
import importlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.formats import strict
from voirdire.formats.source import Source

__all__ = ["Format", "Sample", "detect", "formats", "look"]

# One module a format; each holds it under the name FORMAT.
MODULES: tuple[str, ...] = (
    "visdial",
    "visdial_text",
    "dense",
    "ranks",
    "scores",
    "generations",
    "references",
    "selections",
    "vispro",
    "conv_judgements",
    "image_ids",
    "vqa_questions",
    "vqa_annotations",
    "vqa_results",
    "vqa_predictions",
    "vqa_accuracies",
    "vqa_grouped_accuracies",
    "vqa_totals",
    "question_types",
    "guesswhat",
    "game_logs",
    "oracle_answers",
    "oracle_qa",
    "history_questions",
    "word_types",
    "twenty_questions",
    "twenty_questions_text",
    "coco",
    "coco_categories",
    "states",
    "judgements",
    "scenes",
    "world_manifest",
)

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
ZIP_MAGIC = b"PK\x03\x04"
BOM = b"\xef\xbb\xbf"
PREFIXES = (1 << 16, 1 << 20, 1 << 24)

_BLANK = re.compile(rb"\s*")
_BROKEN = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@dataclass(frozen=True)
class Sample:
    """What a cheap look at a file shows.

    kind   "object", "list", "lines", "csv", "text", "hdf5" or "npz"
    keys   object: its keys, and one level down as "data.dialogs" where a value is an object; list and lines: the keys
           of the first record; csv: the names in the first line; npz: the names of its arrays
    first  list and lines: the first record; csv and text: the first line; object: its first value, lists and objects
           in it cut after their first entry
    """

    kind: str
    keys: frozenset[str]
    first: Any


@dataclass(frozen=True)
class Format:
    """A foreign format: how to know it, how to read it, and what to say of what was read.

    exams     which of answers, robustness, questions, scorekeeping it can serve
    matches   whether a file that looks like this is of the format; no two formats claim the same file
    parse     the strict reading; raises InputError
    describe  how much a record holds, for people
    keys      the ids that other files may share: "image", "question", "game" int64[n], "round" int64[n, 2];
              "dialogue" int64[n] is its place in the file, for files that say no more
    notes     small faults that do not stop the reading
    """

    name: str
    title: str
    exams: tuple[str, ...]
    matches: Callable[[Sample], bool]
    parse: Callable[[Source], Any]
    describe: Callable[[Any], str]
    keys: Callable[[Any], dict[str, np.ndarray]]
    notes: Callable[[Any], Sequence[str]]


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order of the table."""
    return tuple(importlib.import_module(f"voirdire.formats.{module}").FORMAT for module in MODULES)


def detect(source: Source) -> Format:
    """The format of a file, or an InputError that says what was seen and what is known."""
    sample = look(source)
    found = [one for one in formats() if one.matches(sample)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.name for one in found)
        raise source.fail("", "", f"{_seen(sample)}, which fits several formats: {names}", "one format")
    if sample.kind in ("object", "list"):
        strict.parse(source)  # Broken JSON is said as such, with its place.
    if not source.data.strip():
        raise source.fail("", "", "an empty file", "a data file")
    known = ", ".join(one.name for one in formats())
    raise source.fail("", "", _seen(sample), f"one of the known formats: {known}")


def look(source: Source) -> Sample:
    """A cheap look at a file of any size and content; it never fails."""
    data = source.data
    if data.startswith(HDF5_MAGIC):
        return Sample("hdf5", frozenset(), None)
    if data.startswith(ZIP_MAGIC):
        return Sample("npz", _arrays(data), None)
    start = _start(data)
    if data[start : start + 1] == b"[":
        first = _first_element(data, start)
        return Sample("list", _keys(first), first)
    if data[start : start + 1] == b"{":
        return _look_at_object(data, start)
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
    keys = set(values)
    for key, raw in values.items():
        if bytes(memoryview(raw)[:1]) == b"{":
            keys.update(f"{key}.{inner}" for inner in msgspec.json.decode(raw, type=dict[str, msgspec.Raw]))
    return Sample("object", frozenset(keys), _cut(next(iter(values.values()))) if values else None)


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


def _arrays(data: bytes) -> frozenset[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return frozenset(name[:-4] for name in archive.namelist() if name.endswith(".npy"))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return frozenset()


def _seen(sample: Sample) -> str:
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
        case "npz":
            return f"a zip archive with {keys or 'nothing readable'}"
        case "hdf5":
            return "an HDF5 file"
    return f"text that starts with {shorten(sample.first)}"
