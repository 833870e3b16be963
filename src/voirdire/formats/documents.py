"""JSON documents and JSON lines of structs that forbid unknown fields, with notes on the fields that are not known."""

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from voirdire.errors import shorten
from voirdire.formats import strict
from voirdire.formats.source import Source

__all__ = ["Unset", "decode_document", "decode_each_line", "given"]

T = TypeVar("T")

Unset = msgspec.UnsetType


def decode_document(
    source: Source, type_: type[T], label: strict.Label | None = None, inside: Sequence[str] = ()
) -> tuple[T, tuple[str, ...]]:
    """The document, and notes on fields that are not known.

    `type_` is a struct that forbids unknown fields: a file without them is decoded in one pass. `label` and `inside`
    are those of `strict.decode`.
    """
    try:
        return msgspec.json.decode(source.data, type=type_), ()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    unknown = Counter[str]()
    pruned = strict.prune(strict.parse(source), type_, unknown)
    known = Source(source.name, msgspec.json.encode(pruned))
    return strict.decode(known, type_, label, inside), strict.note_unknown(unknown)


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
