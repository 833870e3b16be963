"""JSON objects whose keys are ids: `{"42000": …}`. A key that occurs twice is an error, not a silent loss."""

from collections.abc import Iterator, Mapping
from typing import Any

from voirdire.errors import shorten
from voirdire.formats.files import Source
from voirdire.formats.strict import Problems, parse, refuse_repeated_keys

__all__ = ["load_map", "read_accuracies", "read_items"]


def _is_id(key: str) -> bool:
    """Whether a key is an id: digits without a leading zero, of at most 63 bits."""
    return key.isascii() and key.isdigit() and len(key) < 20 and str(int(key)) == key and int(key) < 2**63


def load_map(source: Source) -> dict[str, Any]:
    """The document as an object in which no key occurs twice."""
    document = parse(source)
    if not isinstance(document, dict):
        raise source.fail("", "", f"JSON of the type {type(document).__name__}", "an object")
    problems = Problems(source.name)
    refuse_repeated_keys(document, source.data, "", problems)
    problems.stop()
    return document


def read_items(members: Mapping[str, Any], problems: Problems, inside: str = "") -> Iterator[tuple[int, Any]]:
    """Each id with its value; keys that are none are noted, `inside` being what comes before them in a message."""
    for key, value in members.items():
        if _is_id(key):
            yield int(key), value
        else:
            problems.add(f"{inside}key {shorten(key)}", "", "a name", "a question id")


def read_accuracies(members: Mapping[str, Any], problems: Problems, inside: str = "") -> Iterator[tuple[int, float]]:
    """Each id with its accuracy in percent; what is none is noted."""
    for id_, value in read_items(members, problems, inside):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
            problems.add(f"{inside}question {id_}", "", shorten(value), "an accuracy from 0 to 100")
        else:
            yield id_, float(value)
