"""JSON documents and JSON lines of structs that forbid unknown fields, with notes on the fields that are not known."""

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, get_args

import msgspec

from voirdire.errors import shorten
from voirdire.formats import strict
from voirdire.formats.source import Source

__all__ = ["Unset", "decode_document", "decode_each_line", "given"]

T = TypeVar("T")

Unset = msgspec.UnsetType


def decode_document(
    source: Source, type_: type[T], lists: Mapping[str, strict.Label] | None = None
) -> tuple[T, tuple[str, ...]]:
    """The document, and notes on fields that are not known.

    `type_` is a struct that forbids unknown fields: a file without them is decoded in one pass. `lists` has the keys
    under which the document keeps lists of records, and how one of them is called: where the document is no `type_`,
    every record that is to blame is listed.
    """
    try:
        return msgspec.json.decode(source.data, type=type_), ()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    unknown = Counter[str]()
    pruned = strict.prune(strict.parse(source), type_, unknown)
    try:
        return msgspec.json.decode(msgspec.json.encode(pruned), type=type_), strict.note_unknown(unknown)
    except msgspec.ValidationError:
        problems = strict.Problems(source.name)
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
            yield where, decoder.decode(line)
            continue
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problems.add(where, "", f"{shorten(line.decode(errors='replace'))} ({error})", "one JSON object")
            continue
        name = label(value)
        pruned = strict.prune(value, type_, unknown)
        record = strict.attempt(pruned, type_, f"{where}, {name}" if name else where, problems)
        if record is not None:
            yield where, record
