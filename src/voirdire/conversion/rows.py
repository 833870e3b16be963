"""The raw records of any file that another tool wrote.

    JSON lines, a JSON list        one record each
    a JSON object                  the list of objects in it (`samples`, `results`, …); or its members, where all keys
                                   look like ids: then a record has its key as `@key`, and a value that is no
                                   object as `@value`
    comma- or tab-separated text   a record per line, by the names in the first
    .eval (a zip)                  the samples of an Inspect log, a JSON file each
    .xlsx, Parquet                 a record per row

A file of JSON that breaks off because its writer was killed still gives its whole records; the cut one is a fault.

Values are found by their path in a record. Ids follow one rule:

    a whole number                                  itself; also as 42.0, and as the text "42" or "000042"
    of an image, a name that ends in a number       that number: "COCO_val2014_000000123456.jpg" is 123456
    anything else                                   none: "q123" is refused
"""

import csv
import io
import json
import math
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from zlib import error as zlib_error

import msgspec

from voirdire.errors import shorten
from voirdire.formats.catalogue import ZIP_MAGIC, describe_sample, look
from voirdire.formats.files import Source, most_unpacked
from voirdire.formats.parquet import PARQUET_MAGIC, parquet_as_lines
from voirdire.formats.strict import UNREADABLE, refuse_other_encodings

MISSING = object()
LARGEST = 2**63 - 1
DEEPEST = 20
ATTACHED = "attachment://"

_DIGITS = re.compile(r"\s*(\d{1,19})(?:\.0+)?\s*", re.ASCII)
_AT_END = re.compile(r"(?:^|[^0-9])([0-9]{1,18})(?:\.[A-Za-z]{2,5})?$", re.ASCII)


def find(values: Any, path: str) -> Any:
    """The value at a path, or MISSING; a key that has full stops itself is found as a whole.

    Inspect keeps long texts apart, under `attachments`; the text itself is returned.
    """
    value = _find(values, path)
    if isinstance(value, str) and value.startswith(ATTACHED):
        return _find(values, f"attachments.{value.removeprefix(ATTACHED)}")
    return value


def _find(values: Any, path: str) -> Any:
    if isinstance(values, dict) and path in values:
        return values[path]
    for step in path.split(".", DEEPEST):
        if isinstance(values, dict) and step in values:
            values = values[step]
        elif isinstance(values, list) and step.isdecimal() and len(step) < 7 and int(step) < len(values):
            values = values[int(step)]
        else:
            return MISSING
    return values


def whole_number(value: Any) -> int | None:
    """A whole number of at most 63 bits, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) and value == int(value) else None
    elif isinstance(value, str):
        digits = _DIGITS.fullmatch(value)
        value = int(digits[1]) if digits else None
    return value if isinstance(value, int) and 0 <= value <= LARGEST else None


def image_id_of(value: Any) -> int | None:
    """An image's number: as `whole_number`, or at the end of its file's name."""
    number = whole_number(value)
    if number is None and isinstance(value, str) and (digits := _AT_END.search(value.strip())):
        return int(digits[1])
    return number


def answer_texts(value: Any) -> list[str] | None:
    """A model's answer: one text, or several where it is a list; None where it is no text.

    Lists in lists are the answers to one request after the other; numbers count as texts, a message as its content.
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, dict):
        inner = next((value[key] for key in ("text", "content", "generated_text", "answer") if key in value), None)
        return None if inner is None else answer_texts(inner)
    if isinstance(value, list):
        if value and all(isinstance(part, dict) and "type" in part for part in value):  # The parts of one message.
            parts = [part["text"] for part in value if part["type"] == "text" and isinstance(part.get("text"), str)]
            return ["".join(parts)] if parts else None
        each = [answer_texts(item) for item in value]
        return None if not each or None in each else [text for texts in each if texts is not None for text in texts]
    return None


def question_text(value: Any) -> str | None:
    """The text of a question; of a chat, the user's last message."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and "role" in item for item in value):
        value = next((message for message in reversed(value) if message["role"] == "user"), None)
    texts = answer_texts(value)
    return texts[0] if texts else None


KEY, VALUE = "@key", "@value"
MOST_RECORDS = 5_000_000
LONGEST_CELL = 10_000_000
LISTS = ("samples", "results", "predictions", "annotations", "answers", "outputs", "data", "records")
"""Under which names the records of a JSON object are looked for, in this order."""
ZSTD = 93
SAMPLE = re.compile(r"(?:^|/)samples/[^/]+\.json$")
NO_ZSTD = "Its entries are packed with zstd: write the log as JSON first, with `inspect log convert LOG --to json`."
NO_XLSX = "Save the table as .csv or .tsv, or install openpyxl, which reads .xlsx: pip install openpyxl"


@dataclass(frozen=True)
class RawRecord:
    """A record as its file has it, and its place for messages."""

    place: str
    values: dict[str, Any]


@dataclass
class RawRecords:
    """The records of a file.

    kind    what the file is, in words
    inside  where the records were, in a JSON object: "samples"
    faults  what is no record: its place, and what is wrong with it
    """

    kind: str
    rows: list[RawRecord] = field(default_factory=list)
    inside: str = ""
    faults: list[tuple[str, str]] = field(default_factory=list)

    def add(self, place: str, value: Any) -> None:
        """Add one record; what is no JSON object is a fault."""
        if isinstance(value, dict):
            self.rows.append(RawRecord(place, value))
        else:
            self.faults.append((place, f"{shorten(value)}, which is no record with named values"))

    def keys(self, first: int = 100) -> list[str]:
        """The keys of the first records, in order of appearance."""
        return list(dict.fromkeys(key for row in self.rows[:first] for key in row.values))


def read_rows(source: Source) -> RawRecords:
    """All records of a file; an InputError where the file has none."""
    data = source.data
    if not data.strip():
        raise source.fail("", "", "an empty file", "a model's outputs")
    if data.startswith(ZIP_MAGIC):
        records = _read_archive(source)
    elif data.startswith(PARQUET_MAGIC):
        records = _read_lines(parquet_as_lines(source), "Parquet")
    else:
        sample = look(source)
        if sample.kind in ("hdf5", "binary", "utf-16"):
            raise source.fail("", "", describe_sample(sample), "JSON, JSON lines, a table, or an Inspect log")
        refuse_other_encodings(source)
        start = data.lstrip()[:1]
        if sample.kind == "lines":
            records = _read_lines(source, "JSON lines")
        elif start == b"[":
            records = _read_list(source)
        elif start == b"{":
            records = _read_object(source)
        else:
            records = _read_table(source)
    if not records.rows and not records.faults:
        raise source.fail("", "", f"{records.kind} without a record", "at least one record")
    if len(records.rows) > MOST_RECORDS:
        raise source.fail("", "", f"{len(records.rows):,} records", f"at most {MOST_RECORDS:,}")
    return records


def _read_lines(source: Source, kind: str) -> RawRecords:
    records = RawRecords(kind)
    lines = source.data.splitlines()
    whole = source.data.endswith(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            value = msgspec.json.decode(line)
        except UNREADABLE:
            last = number == len(lines) and not whole
            why = "a line that breaks off: the writer may have been killed" if last else "a line that is no JSON"
            records.faults.append((place, f"{why} ({shorten(line[-40:].decode(errors='replace'))})"))
            continue
        records.add(place, value)
    return records


def _read_list(source: Source) -> RawRecords:
    records = RawRecords("a JSON list")
    try:
        values, cut = msgspec.json.decode(source.data), ""
    except UNREADABLE:
        values, cut = _whole_elements(source.data.decode())
    for number, value in enumerate(values, start=1):
        records.add(f"record {number}", value)
    if cut:
        records.faults.append((f"after record {len(values)}", cut))
    return records


def _whole_elements(text: str) -> tuple[list[Any], str]:
    """The elements of a list up to where it breaks off, and how it does."""
    decoder, at, values = json.JSONDecoder(), text.index("[") + 1, list[Any]()
    blank = re.compile(r"[\s,]*")
    while True:
        at = blank.match(text, at).end()  # type: ignore[union-attr]
        if text[at : at + 1] == "]":
            return values, ""
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            rest = text[at:]
            ends = "]" not in rest
            why = "a list that breaks off: the writer may have been killed" if ends else "text that is no JSON"
            return values, f"{why} ({shorten(rest[-40:])})"
        values.append(value)


def _read_object(source: Source) -> RawRecords:
    try:
        document = msgspec.json.decode(source.data)
    except UNREADABLE as error:
        broken = f"JSON that breaks off or is broken ({error})"
        hint = "If its writer was killed, write it again: of a JSON object that is cut short no record is certain."
        raise source.fail("", "", broken, "one whole JSON object, or JSON lines", hint) from None
    for name in LISTS:
        values = document.get(name)
        if isinstance(values, list) and values and isinstance(values[0], dict):
            records = RawRecords("a JSON object", inside=name)
            for number, value in enumerate(values, start=1):
                records.add(f"record {number} of {name}", value)
            return records
    # Ids end in a digit, as "42" and "COCO_val2014_000000000042" do.
    if not document or not all(key.rpartition(".")[0][-1:].isdigit() or key[-1:].isdigit() for key in document):
        return RawRecords("a JSON object", [RawRecord("record 1", document)])
    members = {key: value if isinstance(value, dict) else {VALUE: value} for key, value in document.items()}
    rows = [RawRecord(f"key {shorten(key)}", {KEY: key} | values) for key, values in members.items()]
    return RawRecords("a JSON object", rows)


def _read_table(source: Source) -> RawRecords:
    text = source.data.decode()
    first = text.lstrip().partition("\n")[0]
    delimiter = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
    if delimiter not in first:
        expected = "JSON, JSON lines, an Inspect log, or a table whose first line names its columns"
        raise source.fail("", "", describe_sample(look(source)), expected)
    records = RawRecords("a table with tabs" if delimiter == "\t" else "a table")
    limit, line = csv.field_size_limit(LONGEST_CELL), 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header = [cell.strip() for cell in next(reader)]
        if twice := sorted({name for name in header if header.count(name) > 1}):
            raise source.fail("line 1", twice[0], "this column twice", "each column once")
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) == len(header):
                records.rows.append(RawRecord(f"line {line}", dict(zip(header, cells, strict=True))))
            elif cells:
                records.faults.append((f"line {line}", f"{len(cells)} cells, where the first line has {len(header)}"))
            line = reader.line_num + 1
    except csv.Error as error:
        records.faults.append((f"line {line}", f"a row that breaks off or is broken ({error})"))
    finally:
        csv.field_size_limit(limit)
    return records


def _read_archive(source: Source) -> RawRecords:
    """An Inspect log or a workbook: both are zips, which differ in what is in them."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            total, most = sum(entry.file_size for entry in archive.infolist()), most_unpacked(len(source.data))
            if total > most:
                raise source.fail(
                    "", "", f"an archive that unpacks to {total:,} bytes", f"at most {most:,} for its size"
                )
            if "xl/workbook.xml" in archive.namelist():
                return _read_workbook(source)
            samples = [entry for entry in archive.infolist() if SAMPLE.search(entry.filename)]
            if not samples:
                raise source.fail(
                    "", "", describe_sample(look(source)), "an Inspect log (.eval) with samples, or a .xlsx table"
                )
            if any(entry.compress_type == ZSTD for entry in samples):
                raise source.fail("", "", "an Inspect log packed with zstd", "one packed as older versions do", NO_ZSTD)
            records = RawRecords("an Inspect log (.eval)", inside="samples")
            for entry in sorted(samples, key=lambda entry: _natural(entry.filename)):
                try:
                    records.add(entry.filename, msgspec.json.decode(archive.read(entry)))
                except UNREADABLE as error:
                    records.faults.append((entry.filename, f"no JSON ({error})"))
            return records
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, RuntimeError, ValueError, zlib_error) as error:
        raise source.fail("", "", f"a damaged zip archive ({error})", "a whole one") from None


def _natural(name: str) -> list[tuple[int, str]]:
    """By the numbers in a name, so that sample 10 comes after sample 9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d{1,18}|\D+|\d+", name)]


def _read_workbook(source: Source) -> RawRecords:
    try:
        import openpyxl  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise source.fail("", "", "a workbook (.xlsx)", "a table as text", NO_XLSX) from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
        lines: Iterator[tuple[Any, ...]] = book.worksheets[0].iter_rows(values_only=True)
        header = [str(cell).strip() if cell is not None else "" for cell in next(lines, ())]
        records = RawRecords("a workbook (.xlsx)")
        for number, cells in enumerate(lines, start=2):
            if any(cell is not None for cell in cells):
                named = {name: cell for name, cell in zip(header, cells, strict=False) if name}
                records.rows.append(RawRecord(f"line {number}", named))
        return records
    except Exception as error:  # The reader raises almost anything on damaged bytes.
        raise source.fail("", "", f"a workbook that cannot be read ({shorten(str(error))})", "a whole one") from None
