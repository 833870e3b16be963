"""Keys that occur twice in one JSON object. A decoder keeps the last of them without a word; we refuse them.

Looking for them takes longer than reading. A good file is spared that by counting colons: JSON has one after each key,
and all others stand in texts, so that a value is written with as many as it was read from, unless a key was lost. This
asks of structs that they write no field that was not there: what is optional is unset, or left out at its default. A
text that spells its colons in another way costs time alone, unless a file has as many of those as of lost keys.
"""

import json
from typing import Any

import msgspec

from voirdire.formats.strict import Problems

__all__ = ["count_colons", "holds_all_keys", "outermost", "refuse_repeated_keys"]


def count_colons(value: Any) -> int:
    """How many colons the JSON text of a value has."""
    return msgspec.json.encode(value).count(b":")


def holds_all_keys(value: Any, data: bytes) -> bool:
    """Whether no key of `data` was lost when it was read as `value`; where that is not certain, it is denied."""
    return count_colons(value) == data.count(b":")


def refuse_repeated_keys(value: Any, data: bytes, where: str, problems: Problems, path: str = "") -> None:
    """Note each key that occurs more than once in one object, at any depth, of a JSON text that was read as `value`.

    `where` and `path` say what the text is a part of.
    """
    if holds_all_keys(value, data):
        return
    twice: set[str] = set()

    def look(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice.update(key for key in keys if keys.count(key) > 1)

    try:
        json.loads(data, object_pairs_hook=look, parse_int=str, parse_float=str)
    except RecursionError:
        problems.add(where, "", "JSON nested too deeply to read", "the layout of this format")
    for key in sorted(twice):
        problems.add(where, f"{path}{key}", "this key twice in one object", "each key once")


def outermost(data: bytes) -> bytes:
    """A JSON object without the content of the lists and objects in it, however large they are."""
    for raw in msgspec.json.decode(data, type=dict[str, msgspec.Raw]).values():
        text = bytes(raw)
        if text[:1] in (b"[", b"{"):
            data = data.replace(text, b"0")
    return data
