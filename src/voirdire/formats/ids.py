"""Ids in foreign files: their range, and those that occur more than once."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.formats.source import Source
from voirdire.formats.strict import Label, Problems

__all__ = ["Id", "duplicate_keys", "id_array", "labelled", "named", "note_duplicates"]

Id = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


def id_array(ids: Any) -> np.ndarray:
    """The ids as int64, also where there are none."""
    return np.fromiter(ids, dtype=np.int64)


def labelled(name: str, key: str) -> Label:
    """How a record is called in messages: by its id under `key` where it has one, else by its place."""

    def label(index: int, record: Any) -> str:
        if isinstance(record, dict) and isinstance(found := record.get(key), int | str):
            return f"{name} {shorten(found)}"
        return f"record {index + 1}"

    return label


def named(name: str, key: str) -> Callable[[Any], str]:
    """How a record is called in messages: by its id under `key`, where it has one."""
    label = labelled(name, key)
    return lambda record: label(-1, record) if isinstance(record, dict) and key in record else ""


def note_duplicates(problems: Problems, ids: np.ndarray, name: str, field: str) -> None:
    """Note every id that occurs more than once."""
    values, counts = np.unique(ids, return_counts=True)
    for value, count in zip(values[counts > 1].tolist(), counts[counts > 1].tolist(), strict=True):
        problems.add(f"{name} {value}", field, f"{count} records with this id", "one")


def duplicate_keys(source: Source) -> list[str]:
    """Keys that occur twice in one object of a JSON document; a decoder would keep the last of them without a word."""
    twice: list[str] = []

    def count(pairs: list[tuple[str, Any]]) -> None:
        if len({key for key, _ in pairs}) < len(pairs):
            twice.extend(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)

    try:
        json.loads(source.data, object_pairs_hook=count, parse_int=str, parse_float=str)
    except RecursionError:
        raise source.fail("", "", "JSON nested too deeply to read", "the layout of this format") from None
    return twice
