"""JSON documents and JSON lines of structs that forbid unknown fields, with notes on the fields that are not known."""

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, get_args

import msgspec

from voirdire.errors import shorten
from voirdire.formats import strict
from voirdire.formats.ids import duplicate_keys
from voirdire.formats.source import Source

__all__ = ["Ignored", "Unset", "decode_document", "decode_each_line", "given", "holds_all_keys"]

T = TypeVar("T")

Unset = msgspec.UnsetType
Ignored = msgspec.Raw | Unset  # a field that is known and passed over


def decode_document(
    source: Source, type_: type[T], lists: Mapping[str, strict.Label] | None = None
) -> tuple[T, tuple[str, ...]]:
    """The document, and notes on fields that are not known.

    `type_` is a struct that forbids unknown fields: a file without them is decoded in one pass. `lists` has the keys
    under which the document keeps lists of records, and how one of them is called: where the document is no `type_`,
    every record that is to blame is listed.
    """
    try:
        document = msgspec.json.decode(source.data, type=type_)
        if holds_all_keys(document, source.data):
            return document, ()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    unknown = Counter[str]()
    pruned = strict.prune(strict.parse(source), type_, unknown)
    problems = strict.Problems(source.name)
    for key in duplicate_keys(source):
        problems.add("", key, "this key twice in one object", "each key once")
    problems.check()
    try:
        return msgspec.json.decode(msgspec.json.encode(pruned), type=type_), strict.note_unknown(unknown)
    except msgspec.ValidationError:
        _examine_lists(pruned, type_, lists or {}, problems)
        if not problems.total:
            strict.attempt(pruned, type_, "", problems)
        problems.check()
        raise


def _examine_lists(document: Any, type_: Any, lists: Mapping[str, strict.Label], problems: strict.Problems) -> None:
    types = {field.encode_name: field.type for field in msgspec.structs.fields(type_)}
    for key, label in lists.items():
        records = document.get(key) if isinstance(document, dict) else None
        for index, record in enumerate(records if isinstance(records, list) else ()):
            strict.attempt(record, get_args(types[key])[0], label(index, record), problems)


def holds_all_keys(value: Any, data: bytes) -> bool:
    """Whether no key of `data` was lost when it was read as `value`, as happens to all but the last of the same name.

    JSON has a colon after each key, and the others stand in texts, so that the two have the same number of them. The
    reverse is not certain: a text may spell its colons in another way.
    """
    return msgspec.json.encode(value).count(b":") == data.count(b":")


def given(value: T | Unset) -> T | None:
    """A field's value, or None where the file does not have the field."""
    return None if isinstance(value, Unset) else value


def decode_each_line(
    source: Source, type_: type[T], label: Callable[[Any], str], problems: strict.Problems, unknown: Counter[str]
) -> Iterator[tuple[str, T]]:
    """JSON lines one by one, each with its place, so that what is not kept of a line need not be held.

    Lines that are no `type_` are noted in `problems`, fields that it does not have are counted in `unknown`, and blank
    lines are passed over.
    """
    decoder = msgspec.json.Decoder(type_)
    for number, line in enumerate(io.BytesIO(source.data), start=1):
        where = f"line {number}"
        if not line.strip():
            continue
        try:
            record = decoder.decode(line)
            if holds_all_keys(record, line):
                yield where, record
                continue
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problems.add(where, "", f"{shorten(line.decode(errors='replace'))} ({error})", "one JSON object")
            continue
        place = ", ".join(part for part in (where, label(value)) if part)
        for key in duplicate_keys(Source(source.name, line)):
            problems.add(place, key, "this key twice in one object", "each key once")
        kept = strict.attempt(strict.prune(value, type_, unknown), type_, place, problems)
        if kept is not None:
            yield where, kept
