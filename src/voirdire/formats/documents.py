"""JSON documents, lists and lines of structs that forbid unknown fields.

A good file is decoded in one pass. Only one with unknown fields, keys that occur twice or faults is read again, record
by record: unknown fields are notes, all else are problems. Ids have a range, and those that occur more than once are
problems too.
"""

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, TypeVar, get_args

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.formats.files import Source
from voirdire.formats.strict import (
    TO_UTF8,
    UNREADABLE,
    Problems,
    attempt,
    holds_all_keys,
    malformed,
    note_unknown,
    parse,
    prune,
    refuse_other_encodings,
    refuse_repeated_keys,
)

T = TypeVar("T")

Id = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Unset = msgspec.UnsetType
Ignored = msgspec.Raw | Unset  # a field that is known and not read
Label = Callable[[Any], str]  # the name of a record in messages, by the ids in it; empty where it has none


def given(value: T | Unset) -> T | None:
    """A field's value, or None where the file does not have the field."""
    return None if isinstance(value, Unset) else value


def decode_document(
    source: Source, type_: type[T], lists: Mapping[str, Label] | None = None
) -> tuple[T, tuple[str, ...]]:
    """The document, and notes on fields that are not known.

    `lists` has the keys of the document's lists of records, and how to label a record: where the document is no
    `type_`, every wrong record is listed.
    """
    try:
        document = msgspec.json.decode(source.data, type=type_)
        if holds_all_keys(document, source.data):
            return document, ()
    except UNREADABLE:
        pass
    problems, unknown = Problems(source.name), Counter[str]()
    value = parse(source)
    refuse_repeated_keys(value, source.data, "", problems)
    problems.stop()
    pruned = prune(value, type_, unknown)
    try:
        return msgspec.json.decode(msgspec.json.encode(pruned), type=type_), note_unknown(unknown)
    except msgspec.ValidationError:
        _examine_lists(pruned, type_, lists or {}, problems)
        if not problems.total:
            attempt(pruned, type_, "", problems)
        problems.stop()
        raise


def decode_records(source: Source, type_: type[T], label: Label, problems: Problems) -> tuple[list[T], tuple[str, ...]]:
    """The records of a list or of JSON lines, whichever the content is, and notes on fields that are not known.

    Records that are no `type_` are noted in `problems` and left out, so that the others can be looked at further.
    """
    if not source.data.strip():
        raise source.fail("", "", "an empty file", "JSON")
    listed = source.data.lstrip().startswith(b"[")
    try:
        if listed:
            records = msgspec.json.decode(source.data, type=list[type_])  # type: ignore[valid-type]
        else:
            decoder = msgspec.json.Decoder(type_)
            records = [decoder.decode(line) for _, line in _lines(source)]
        if holds_all_keys(records, source.data):
            return records, ()
    except UNREADABLE:
        pass
    unknown = Counter[str]()
    decoded = [
        _decode_record(text, type_, place, label if listed else _beside(place, label), problems, unknown)
        for place, text in (_items(source) if listed else _lines(source))
    ]
    return [record for record in decoded if record is not None], note_unknown(unknown)


def decode_each_line(
    source: Source, type_: type[T], label: Label, problems: Problems, unknown: Counter[str]
) -> Iterator[tuple[str, T]]:
    """JSON lines one by one, each with its place, so that memory holds only what the caller keeps of a line.

    Lines that are no `type_` are noted in `problems`, and fields that it does not have are counted in `unknown`.
    """
    decoder = msgspec.json.Decoder(type_)
    for place, line in _lines(source):
        record: T | None
        try:
            record = decoder.decode(line)
            good = holds_all_keys(record, line)
        except UNREADABLE:
            good = False
        if not good:
            record = _decode_record(line, type_, place, _beside(place, label), problems, unknown)
        if record is not None:
            yield place, record


def parse_record(text: bytes, place: str, label: Label, problems: Problems) -> tuple[str, Any] | None:
    """A record's name in messages, by its ids or else by its place, and its JSON without a type; None where it is none.

    Broken JSON is noted, and so are keys that occur twice.
    """
    try:
        value = msgspec.json.decode(text)
    except UnicodeDecodeError:
        problems.add(place, "", "bytes that are not UTF-8", "text in UTF-8", TO_UTF8)
        return None
    except UNREADABLE as error:
        problems.add(place, "", f"{shorten(text.decode(errors='replace'))} ({error})", "one JSON object")
        return None
    where = label(value) or place
    refuse_repeated_keys(value, text, where, problems)
    return where, value


def _beside(place: str, label: Label) -> Label:
    """A label with the line in it."""
    return lambda record: ", ".join(part for part in (place, label(record)) if part)


def _decode_record(
    text: bytes, type_: type[T], place: str, label: Label, problems: Problems, unknown: Counter[str]
) -> T | None:
    parsed = parse_record(text, place, label, problems)
    if parsed is None:
        return None
    where, value = parsed
    return attempt(prune(value, type_, unknown), type_, where, problems)


def _examine_lists(document: Any, type_: Any, lists: Mapping[str, Label], problems: Problems) -> None:
    types = {field.encode_name: field.type for field in msgspec.structs.fields(type_)}
    for key, label in lists.items():
        records = document.get(key) if isinstance(document, dict) else None
        for number, record in enumerate(records if isinstance(records, list) else (), start=1):
            attempt(record, get_args(types[key])[0], label(record) or f"record {number} of {key}", problems)


def _lines(source: Source) -> Iterator[tuple[str, bytes]]:
    """The lines that are not blank, with their places."""
    lines = enumerate(io.BytesIO(source.data), start=1)
    return ((f"line {number}", line) for number, line in lines if line.strip())


def _items(source: Source) -> Iterator[tuple[str, bytes]]:
    """The texts of a list's items, with their places."""
    try:
        raws = msgspec.json.decode(source.data, type=list[msgspec.Raw])
    except UNREADABLE as error:
        raise malformed(source, error) from None
    refuse_other_encodings(source)
    return ((f"record {number}", bytes(raw)) for number, raw in enumerate(raws, start=1))


def id_array(ids: Any) -> np.ndarray:
    """The ids as int64, also where there are none."""
    return np.fromiter(ids, dtype=np.int64)


def named(**keys: str) -> Label:
    """Label records by the ids under these keys, each behind its name, as far as they have them."""

    def label(record: Any) -> str:
        ids = {name: record.get(key) for name, key in keys.items()} if isinstance(record, dict) else {}
        return ", ".join(f"{name} {shorten(id_)}" for name, id_ in ids.items() if isinstance(id_, int | str))

    return label


def note_duplicates(problems: Problems, ids: np.ndarray, name: str, field: str) -> None:
    """Note every id that occurs more than once."""
    values, counts = np.unique(ids, return_counts=True)
    for value, count in zip(values[counts > 1].tolist(), counts[counts > 1].tolist(), strict=True):
        problems.add(f"{name} {value}", field, f"{count} records with this id", "one")
