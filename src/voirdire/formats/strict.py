"""Typed JSON with errors that name the record, the field, what was found and what was expected.

Keys that occur twice in one object are refused: a decoder silently keeps the last of them. Looking for them takes
longer than reading. A good file is spared that by counting colons: JSON has one after each key, and all others are in
texts, so that a value is written with as many as it was read from, unless a key was lost. So structs must write no
field that was not there: optional ones are unset, or left out at their default. A file that spells a colon as an
escape, which could make up for a lost key, is searched.
"""

import json
import re
from collections import Counter
from collections.abc import Sized
from dataclasses import replace
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

from voirdire.errors import EXAMPLES, SHOWN, InputError, Problem, kind_of, shorten, shorten_text
from voirdire.figures import counted
from voirdire.formats.files import UTF16, Source

__all__ = [
    "FROM_UTF16",
    "MORE",
    "TO_UTF8",
    "UNKNOWN",
    "UNREADABLE",
    "Problems",
    "attempt",
    "count_colons",
    "decode",
    "decode_outline",
    "escapes_colons",
    "holds_all_keys",
    "malformed",
    "note_unknown",
    "outermost",
    "parse",
    "prune",
    "refuse_other_encodings",
    "refuse_repeated_keys",
]

T = TypeVar("T")

# What the decoder raises on a text that is not JSON, or not of the wanted type.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

ESCAPED_COLONS = (b"\\u003a", b"\\u003A")
SELDOM = 1000
"""Bytes per backslash from which on backslashes are looked at one by one."""

MORE = "More may show once what is listed is mended."
UNKNOWN = "no field of this name"
TO_UTF8 = "Convert the file, for example with iconv -f LATIN1 -t UTF-8."
FROM_UTF16 = "Convert the file to UTF-8, for example with iconv -f UTF-16 -t UTF-8."

_AT = re.compile(r" - at `(?:key in )?\$?(?P<path>.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class Problems:
    """Collects the problems of one file: keeps three of each kind, counts all, raises them at the end."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.kept: list[Problem] = []
        self._kinds: dict[tuple[str, str], list[int]] = {}
        self._beyond = 0

    @property
    def total(self) -> int:
        """How many were noted."""
        return sum(1 + problem.unseen for problem in self.kept) + self._beyond

    def add(self, where: str, field: str, found: str, expected: str, hint: str = "") -> None:
        """Note one problem."""
        problem = Problem(where, field, found, expected, hint)
        kind = kind_of(problem)
        if kind not in self._kinds and len(self._kinds) == SHOWN:
            self._beyond += 1
            return
        places = self._kinds.setdefault(kind, [])
        if len(places) < EXAMPLES:
            places.append(len(self.kept))
            self.kept.append(problem)
        else:
            first = self.kept[places[0]]
            self.kept[places[0]] = replace(first, unseen=first.unseen + 1)

    def require(self, records: Sized, kind: str) -> None:
        """Note a file without records, unless problems are the reason why there are none."""
        if not len(records) and not self.total:
            self.add("", "", f"no {kind}", "at least one")

    def stop(self) -> None:
        """Raise all that was noted, if anything was, and say that the rest was not looked at."""
        if self.kept and self.kept[-1].place:
            # The first of a kind is shown in full.
            place = self._kinds[kind_of(self.kept[-1])][0]
            self.kept[place] = replace(self.kept[place], hint=f"{self.kept[place].hint} {MORE}".lstrip())
        self.check()

    def check(self) -> None:
        """Raise all that was noted, if anything was."""
        if self.kept:
            raise self.error()

    def error(self) -> InputError:
        """All that was noted."""
        return InputError(self.source, self.kept, self._beyond)


def parse(source: Source) -> Any:
    """The file's JSON without a type, or an error that shows the place where it breaks."""
    try:
        return msgspec.json.decode(source.data)
    except UNREADABLE as error:
        raise malformed(source, error) from None


def decode(source: Source, type_: type[T]) -> T:
    """The whole document as `type_`, or an error that names the first wrong field, or keys that occur twice."""
    document = decode_outline(source, type_)
    if not holds_all_keys(document, source.data):
        problems = Problems(source.name)
        refuse_repeated_keys(parse(source), source.data, "", problems)
        problems.check()
    return document


def decode_outline(source: Source, type_: type[T]) -> T:
    """The same without a search for keys that occur twice."""
    try:
        return msgspec.json.decode(source.data, type=type_)
    except msgspec.ValidationError as error:
        problems = Problems(source.name)
        _note(problems, "", parse(source), error)
        problems.stop()
        raise
    except UNREADABLE as error:
        raise malformed(source, error) from None


def attempt(value: Any, type_: type[T], where: str, problems: Problems) -> T | None:
    """`value`, which may have raw JSON in it, as `type_`; None where that fails, which is noted."""
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
    """One note per field that is not known and so not read."""
    kept = sorted(unknown)[:SHOWN]
    notes = [f"field {shorten(name)} is not known and was not read ({counted(unknown[name], 'time')})" for name in kept]
    return (*notes, f"… and {counted(len(unknown) - SHOWN, 'more field')}") if len(unknown) > SHOWN else tuple(notes)


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
    elif message.startswith("Object contains unknown field"):
        path = f"{path}.{message.split('`')[1]}".lstrip(".")
        found, expected = _at(value, path), UNKNOWN
    problems.add(where, shorten_text(path), found, shorten_text(expected.replace("`", "")))


def _at(value: Any, path: str) -> str:
    for key, index in _STEP.findall("." + path if path and not path.startswith("[") else path):
        try:
            value = value[int(index)] if index else value[key]
        except (LookupError, TypeError):
            break
    return shorten(value)


def count_colons(value: Any) -> int:
    """How many colons the JSON text of a value has."""
    return msgspec.json.encode(value).count(b":")


def holds_all_keys(value: Any, data: bytes) -> bool:
    """Whether certainly no key of `data` was lost when it was read as `value`."""
    return count_colons(value) == data.count(b":") and not escapes_colons(data)


def escapes_colons(data: bytes) -> bool:
    """Whether a JSON text may spell a colon as an escape, so that it has fewer of them than its value."""
    at = -1
    # A search for one byte is many times as fast as for several, and most files have few backslashes.
    for _ in range(len(data) // SELDOM + 1):
        at = data.find(b"\\", at + 1)
        if at < 0:
            return False
        if data[at : at + 6] in ESCAPED_COLONS:
            return True
    return any(data.find(escape, at) >= 0 for escape in ESCAPED_COLONS)


def refuse_repeated_keys(value: Any, data: bytes, where: str, problems: Problems, path: str = "") -> None:
    """Note each key that occurs more than once in one object, at any depth, of a JSON text that was read as `value`.

    `where` and `path` say what the text is a part of.
    """
    if holds_all_keys(value, data):
        return
    twice: set[str] = set()

    def check(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice.update(key for key in keys if keys.count(key) > 1)

    try:
        json.loads(data, object_pairs_hook=check, parse_int=str, parse_float=str)
    except RecursionError:
        problems.add(where, "", "JSON nested too deeply to read", "the layout of this format")
    for key in sorted(twice):
        problems.add(where, f"{path}{key}", "this key twice in one object", "each key once")


def outermost(data: bytes) -> bytes:
    """A JSON object without the content of the lists and objects in it."""
    for raw in msgspec.json.decode(data, type=dict[str, msgspec.Raw]).values():
        text = bytes(raw)
        if text[:1] in (b"[", b"{"):
            data = data.replace(text, b"0")
    return data


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
        refuse_other_encodings(source)
    match = re.search(r"\(byte (\d+)\)", str(error))
    offset = int(match[1]) if match else len(data)
    line = data.count(b"\n", 0, offset) + 1
    column = offset - (data.rfind(b"\n", 0, offset) + 1) + 1
    near = data[max(0, offset - 20) : offset + 20].decode(errors="replace")
    hint = "The file may have been cut short; fetch or copy it again." if offset >= len(data) else ""
    return source.fail(f"line {line}, column {column}", "", f"broken JSON near {near!r} ({error})", "valid JSON", hint)


def refuse_other_encodings(source: Source) -> None:
    """Raise an error that names the first byte that is not UTF-8, if there is one."""
    try:
        source.data.decode()
    except UnicodeDecodeError as error:
        if source.data.startswith(UTF16):
            raise source.fail("", "", "text in UTF-16", "text in UTF-8", FROM_UTF16) from None
        line = source.data.count(b"\n", 0, error.start) + 1
        found = f"the byte {source.data[error.start]:#04x}, which is not UTF-8"
        raise source.fail(f"line {line}", "", found, "text in UTF-8", TO_UTF8) from None
