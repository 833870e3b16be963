"""Ids in foreign files: their range, and those that occur more than once."""

from typing import Annotated, Any

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.formats.documents import Label
from voirdire.formats.strict import Problems

__all__ = ["Id", "id_array", "named", "note_duplicates"]

Id = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


def id_array(ids: Any) -> np.ndarray:
    """The ids as int64, also where there are none."""
    return np.fromiter(ids, dtype=np.int64)


def named(name: str, key: str) -> Label:
    """How a record is called in messages: by its id under `key`, where it has one."""

    def label(record: Any) -> str:
        found = record.get(key) if isinstance(record, dict) else None
        return f"{name} {shorten(found)}" if isinstance(found, int | str) else ""

    return label


def note_duplicates(problems: Problems, ids: np.ndarray, name: str, field: str) -> None:
    """Note every id that occurs more than once."""
    values, counts = np.unique(ids, return_counts=True)
    for value, count in zip(values[counts > 1].tolist(), counts[counts > 1].tolist(), strict=True):
        problems.add(f"{name} {value}", field, f"{count} records with this id", "one")
