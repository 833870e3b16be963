"""Keys that occur twice in one JSON object. A decoder keeps the last of them without a word; we refuse them.

Looking for them takes as long as reading. A good file is spared that by counting colons: JSON has one after each key,
and all others stand in texts. Where the count is not what was read, the file is looked through.
"""

import json
from typing import Any

import msgspec

__all__ = ["colons_read", "colons_written", "repeated_keys", "repeated_outer_keys"]


def colons_written(data: bytes) -> int:
    """How many colons a JSON text has."""
    return data.count(b":")


def colons_read(value: Any) -> int:
    """How many colons the text of structs, strings and lists of them has, if no key occurs twice."""
    if isinstance(value, str):
        return value.count(":")
    if isinstance(value, list):
        return sum(map(colons_read, value)) if value and isinstance(value[0], msgspec.Struct | str | list) else 0
    if not isinstance(value, msgspec.Struct):
        return 0
    fields = [inner for name in value.__struct_fields__ if (inner := getattr(value, name)) is not msgspec.UNSET]
    return len(fields) + sum(map(colons_read, fields))


def repeated_keys(data: bytes) -> list[str]:
    """The keys that occur more than once in one object of a valid JSON text."""
    twice: set[str] = set()

    def look(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice.update(key for key in keys if keys.count(key) > 1)

    json.loads(data, object_pairs_hook=look)
    return sorted(twice)


def repeated_outer_keys(data: bytes) -> list[str]:
    """Like `repeated_keys` for the outermost object alone, however large the lists and objects in it are."""
    for raw in msgspec.json.decode(data, type=dict[str, msgspec.Raw]).values():
        text = bytes(raw)
        if text[:1] in (b"[", b"{"):
            data = data.replace(text, b"0")
    return repeated_keys(data)
