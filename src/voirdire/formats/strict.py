"""Typed JSON with errors that name the record, the field, what stands there and what may stand there.

A good file is decoded in one pass. Only a bad one is decoded again, record by record, to list all of its problems.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from voirdire.errors import SHOWN, InputError, Problem, shorten
from voirdire.formats.source import Source

__all__ = ["Problems", "decode", "decode_lines", "decode_list", "parse"]

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
        raise _malformed(source, source.data, error) from None


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
        raise _malformed(source, source.data, error) from None


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


def _malformed(source: Source, data: bytes, error: Exception) -> InputError:
    if isinstance(error, RecursionError):
        return source.fail("", "", "JSON nested too deeply to read", "the layout of this format")
    if isinstance(error, UnicodeDecodeError):
        offset = error.start
    elif match := re.search(r"\(byte (\d+)\)", str(error)):
        offset = int(match[1])
    else:
        offset = len(data)
    line = data.count(b"\n", 0, offset) + 1
    column = offset - (data.rfind(b"\n", 0, offset) + 1) + 1
    near = data[max(0, offset - 20) : offset + 20].decode(errors="replace")
    if not data.strip():
        return source.fail("", "", "an empty file", "JSON")
    hint = "The file may have been cut short; fetch or copy it again." if offset >= len(data) else ""
    return source.fail(f"line {line}, column {column}", "", f"broken JSON near {near!r} ({error})", "valid JSON", hint)
