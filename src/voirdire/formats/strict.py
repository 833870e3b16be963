"""Typed JSON with errors that name the record, the field, what stands there and what may stand there.

A good file is decoded in one pass. Only a bad one is decoded again, record by record, to list all of its problems.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

from voirdire.errors import SHOWN, InputError, Problem, shorten
from voirdire.formats.keys import colons_read, colons_written, repeated_keys
from voirdire.formats.source import Source

__all__ = [
    "Problems",
    "attempt",
    "decode",
    "decode_lines",
    "decode_list",
    "decode_records",
    "malformed",
    "note_unknown",
    "parse",
    "prune",
]

T = TypeVar("T")
Label = Callable[[int, Any], str]

_AT = re.compile(r" - at `(?:key in )?\$?(?P<path>.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class Problems:
    """Problems of one file as they are found: keeps the first ones, counts all, raises at the end if there were any."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.kept: list[Problem] = []
        self.total = 0

    def add(self, where: str, field: str, found: str, expected: str, hint: str = "") -> None:
        """Note one problem."""
        self.total += 1
        if len(self.kept) < SHOWN:
            self.kept.append(Problem(where, field, found, expected, hint))

    def check(self) -> None:
        """Raise all that was noted, if anything was."""
        if self.total:
            raise InputError(self.source, self.kept, self.total)


def parse(source: Source) -> Any:
    """The file's JSON without a type, or an error that shows the place where it breaks."""
    try:
        return msgspec.json.decode(source.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise malformed(source, error) from None


def decode(source: Source, type_: type[T], label: Label | None = None, inside: Sequence[str] = ()) -> T:
    """The whole document as `type_`.

    Where that fails and `inside` names the keys that lead to the document's list of records, each record of it is
    examined on its own, so that every bad record is listed; `label` names a record for the reader.
    """
    try:
        return msgspec.json.decode(source.data, type=type_)
    except msgspec.ValidationError as error:
        document = parse(source)
        problems = Problems(source.name)
        if label is not None:
            _examine_inside(document, type_, inside, label, problems)
        if not problems.total:
            _note(problems, "", document, error)
        problems.check()
        raise
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise malformed(source, error) from None


def decode_list(source: Source, type_: type[T], label: Label) -> list[T]:
    """A document that is a list of records of `type_`."""
    return decode(source, list[type_], label)  # type: ignore[valid-type]


def decode_lines(source: Source, type_: type[T]) -> list[T]:
    """JSON lines: one record of `type_` a line; blank lines are passed over."""
    problems = Problems(source.name)
    decoder = msgspec.json.Decoder(type_)
    records: list[T] = []
    for number, line in enumerate(source.data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(decoder.decode(line))
        except msgspec.ValidationError as error:
            _note(problems, f"line {number}", msgspec.json.decode(line), error)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problems.add(f"line {number}", "", f"{shorten(line.decode(errors='replace'))} ({error})", "one JSON object")
    problems.check()
    return records


def decode_records(
    source: Source, type_: type[T], label: Callable[[Any], str] = lambda record: ""
) -> tuple[list[T], tuple[str, ...]]:
    """The records of a list or of JSON lines, whichever the content is, and notes on fields that are not known.

    `type_` is a struct that forbids unknown fields: a file without them is decoded in one pass, and only one with
    them (or with a fault) is looked at record by record.
    """
    if not source.data.strip():
        raise source.fail("", "", "an empty file", "JSON")
    try:
        if _is_list(source):
            records = msgspec.json.decode(source.data, type=list[type_])  # type: ignore[valid-type]
        else:
            decoder = msgspec.json.Decoder(type_)
            records = [decoder.decode(line) for line in source.data.split(b"\n") if line.strip()]
        if colons_written(source.data) == colons_read(records):
            return records, ()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    problems, unknown = Problems(source.name), Counter[str]()
    records = []
    for place, raw in _raws(source):
        try:
            value = msgspec.json.decode(raw)
            twice = repeated_keys(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            found = f"{shorten(raw.decode(errors='replace'))} ({error})"
            problems.add(place, "", found, "one JSON object")
            continue
        where = ", ".join(part for part in (place, label(value)) if part)
        for name in twice:
            problems.add(where, name, "this field twice", "once")
        pruned = prune(value, type_, unknown)
        try:
            records.append(msgspec.convert(pruned, type_))
        except msgspec.ValidationError as error:
            _note(problems, where, pruned, error)
    problems.check()
    return records, note_unknown(unknown)


def _is_list(source: Source) -> bool:
    return source.data.lstrip()[:1] == b"["


def _raws(source: Source) -> Iterator[tuple[str, bytes]]:
    """The text of each record, with its place in the file."""
    if not _is_list(source):
        lines = enumerate(source.data.split(b"\n"), start=1)
        yield from ((f"line {number}", line) for number, line in lines if line.strip())
        return
    try:
        raws = msgspec.json.decode(source.data, type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise malformed(source, error) from None
    yield from ((f"record {number}", bytes(raw)) for number, raw in enumerate(raws, start=1))


def attempt(value: Any, type_: type[T], where: str, problems: Problems) -> T | None:
    """`value` as a `type_`, also one that holds raw JSON; None where that fails, which is noted."""
    try:
        return msgspec.json.decode(msgspec.json.encode(value), type=type_)
    except msgspec.ValidationError as error:
        _note(problems, where, value, error)
        return None


def prune(value: Any, type_: Any, unknown: Counter[str], path: str = "") -> Any:
    """`value` without the fields that `type_`, a struct or a list of structs, does not have; counts them by path."""
    if get_origin(type_) is Annotated:
        type_ = get_args(type_)[0]
    if get_origin(type_) is list and isinstance(value, list):
        return [prune(item, get_args(type_)[0], unknown, path) for item in value]
    if isinstance(value, dict) and isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(type_)}
        unknown.update(f"{path}{key}" for key in value if key not in fields)
        return {k: prune(v, fields[k], unknown, f"{path}{k}.") for k, v in value.items() if k in fields}
    return value


def note_unknown(unknown: Counter[str]) -> tuple[str, ...]:
    """One note a field that is not known and so not read."""
    kept = sorted(unknown)[:SHOWN]
    notes = [f"field {shorten(name)} is not known and was not read ({unknown[name]:,} times)" for name in kept]
    return (*notes, f"… and {len(unknown) - SHOWN:,} more fields") if len(unknown) > SHOWN else tuple(notes)


def _examine_inside(document: Any, type_: Any, inside: Sequence[str], label: Label, problems: Problems) -> None:
    """Convert each record on its own, noting the first fault of each."""
    for key in inside:
        if not isinstance(document, dict) or key not in document:
            return
        document = document[key]
        type_ = next(field.type for field in msgspec.structs.fields(type_) if field.encode_name == key)
    if isinstance(document, list):
        (record_type,) = type_.__args__
        examine(document, record_type, label, problems)


def examine(records: Iterable[Any], type_: Any, label: Label, problems: Problems) -> None:
    """Note what keeps each of `records` from being a `type_`."""
    for index, record in enumerate(records):
        try:
            msgspec.convert(record, type_)
        except msgspec.ValidationError as error:
            _note(problems, label(index, record), record, error)


def _note(problems: Problems, where: str, value: Any, error: msgspec.ValidationError) -> None:
    message = str(error)
    path = ""
    if match := _AT.search(message):
        path, message = match["path"].lstrip("."), message[: match.start()]
    found = _at(value, path)
    expected = message.removeprefix("Expected ").split(", got ")[0]
    if message.startswith("Object missing required field"):
        missing = message.split("`")[1]
        path, expected = f"{path}.{missing}".lstrip("."), "this field"
        found = "nothing"
    problems.add(where, path, found, expected.replace("`", ""))


def _at(value: Any, path: str) -> str:
    for key, index in _STEP.findall("." + path if path and not path.startswith("[") else path):
        try:
            value = value[int(index)] if index else value[key]
        except (LookupError, TypeError):
            break
    return shorten(value)


def malformed(source: Source, error: Exception) -> InputError:
    """An error for a file that is not JSON, with the place where it breaks."""
    data = source.data
    if isinstance(error, RecursionError):
        return source.fail("", "", "JSON nested too deeply to read", "the layout of this format")
    if not data.strip():
        return source.fail("", "", "an empty file", "JSON")
    if isinstance(error, msgspec.ValidationError):
        return source.fail("", "", f"a number that cannot be held ({error})", "numbers of an ordinary size")
    if isinstance(error, UnicodeDecodeError):
        # The decoder counts from the start of the string that it was at, so the place is looked for again.
        offset = _first_bad_byte(data)
    elif match := re.search(r"\(byte (\d+)\)", str(error)):
        offset = int(match[1])
    else:
        offset = len(data)
    line = data.count(b"\n", 0, offset) + 1
    column = offset - (data.rfind(b"\n", 0, offset) + 1) + 1
    near = data[max(0, offset - 20) : offset + 20].decode(errors="replace")
    hint = "The file may have been cut short; fetch or copy it again." if offset >= len(data) else ""
    return source.fail(f"line {line}, column {column}", "", f"broken JSON near {near!r} ({error})", "valid JSON", hint)


def _first_bad_byte(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(data)
