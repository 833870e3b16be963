"""JSON objects whose keys are ids: `{"42000": …}`. A key that occurs twice is an error, not a silent loss."""

from typing import Any

from voirdire.formats.keys import refuse_repeated_keys
from voirdire.formats.source import Source
from voirdire.formats.strict import Problems, parse

__all__ = ["is_id", "load_map", "read_percent"]


def is_id(key: str) -> bool:
    """Whether a key is an id: digits without a leading zero, of at most 63 bits."""
    return key.isascii() and key.isdigit() and len(key) < 20 and str(int(key)) == key and int(key) < 2**63


def load_map(source: Source) -> dict[str, Any]:
    """The document as an object in which no key occurs twice."""
    document = parse(source)
    if not isinstance(document, dict):
        raise source.fail("", "", f"JSON of the type {type(document).__name__}", "an object")
    problems = Problems(source.name)
    refuse_repeated_keys(document, source.data, "", problems)
    problems.check()
    return document


def read_percent(value: Any) -> float | None:
    """A share in percent, from 0 to 100; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return None
    return float(value)
