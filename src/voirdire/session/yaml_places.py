"""YAML as plain values, with the line on which each of them stands.

Keys are taken as they are written, so that a model may be called `no` or `2`. A key that is there twice is an error.
A file, and what its aliases make of it, may be so large and no larger: a few lines can stand for billions of values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from voirdire.errors import InputError, shorten, shorten_text
from voirdire.formats.files import Source
from voirdire.formats.strict import refuse_other_encodings

LARGEST = 200_000
"""Bytes of a file: some thousand lines."""
MOST_VALUES = 100_000
QUOTE = "Put it in quotes if it is meant as text."
LARGEST_NUMBER = 2**63


@dataclass(frozen=True)
class Places:
    """The lines of a file's parts by their paths: `models.blind.answers`, `data.noisy[2]`; empty for no file."""

    name: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)

    def at(self, path: str) -> str:
        """A part as messages begin with it: "exam.yaml: line 7, field `models.blind`"."""
        where = ", ".join(word for word in (self.where(path), f"field `{path}`") if word)
        return f"{self.name}: {where}" if self.name else where

    def where(self, path: str) -> str:
        """The line of a part, or of the nearest one around it, for messages."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return f"line {self.lines[path]}" if path else ""


@dataclass(frozen=True)
class Document:
    """A file's value, and where its parts stand."""

    value: Any
    places: Places


def read_yaml(source: Source) -> Document:
    """Read the first document of a file; an empty one has the value None."""
    if len(source.data) > LARGEST:
        raise source.fail("", "", f"{len(source.data):,} bytes", f"a config, of at most {LARGEST:,}")
    refuse_other_encodings(source)
    try:
        loader = yaml.SafeLoader(source.data.decode())
        node = loader.get_single_node()
        reading = _Reading(source, loader)
        return Document(None if node is None else reading.value(node, ""), Places(source.name, reading.lines))
    except yaml.MarkedYAMLError as error:
        place = "" if error.problem_mark is None else f"line {error.problem_mark.line + 1}"
        hint = "Indent with spaces, not with tabs." if "\\t" in (error.problem or "") else ""
        raise source.fail(
            place, "", f"broken YAML ({shorten_text(error.problem or str(error))})", "valid YAML", hint
        ) from None
    except yaml.YAMLError as error:
        raise source.fail("", "", f"broken YAML ({shorten_text(str(error))})", "valid YAML") from None
    except RecursionError:
        raise source.fail("", "", "YAML that contains itself, or is nested too deeply", "plain values") from None


class _Reading:
    def __init__(self, source: Source, loader: yaml.SafeLoader) -> None:
        self.source, self.loader = source, loader
        self.lines: dict[str, int] = {}
        self.values = 0

    def value(self, node: yaml.Node, path: str) -> Any:
        self.values += 1
        if self.values > MOST_VALUES:
            amount = f"more than {MOST_VALUES:,} values, with all that aliases stand for"
            raise self._fail(node, path, amount, f"{MOST_VALUES:,} at most")
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, f"{path}[{place}]") for place, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _scalar(self, node: yaml.Node, path: str) -> Any:
        try:
            value = self.loader.construct_object(node, deep=True)
        except (ValueError, LookupError, AttributeError, OverflowError):
            # A date that there is none of, a tag that does not fit, digits by the thousand: each raises something else.
            kind = node.tag.rpartition(":")[2]
            raise self._fail(node, path, shorten(node.value), f"a value that can be read as {kind}", QUOTE) from None
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise self._fail(node, path, shorten(node.value), "a number of an ordinary size", QUOTE)
        if isinstance(value, str):
            self._check_text(node, path, value)
        return value

    def _check_text(self, node: yaml.Node, path: str, text: str) -> None:
        if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
            raise self._fail(node, path, shorten(text), "text without zero bytes and halves of signs")

    def _fail(self, node: yaml.Node, path: str, found: str, expected: str, hint: str = "") -> InputError:
        return self.source.fail(f"line {node.start_mark.line + 1}", shorten_text(path), found, expected, hint)

    def _mapping(self, node: yaml.MappingNode, path: str) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise self._fail(key, path, "a key that is a list or a mapping", "a name")
            self._check_text(key, path, key.value)
            inside = f"{path}.{key.value}" if path else key.value
            if key.value in mapping:
                twice = f"a second `{shorten_text(key.value)}`; the first is on line {self.lines[inside]}"
                raise self._fail(key, inside, twice, "each key once")
            self.lines[inside] = line
            mapping[key.value] = self.value(value, inside)
        return mapping
