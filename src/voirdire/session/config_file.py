"""A config read from its file: strictly, with the line and the key of every fault, and its paths put in place."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from voirdire.errors import Problem, shorten
from voirdire.formats.files import open_source
from voirdire.formats.strict import UNKNOWN, Problems, attempt
from voirdire.session.config import Config, Data, ModelFiles, Options
from voirdire.session.specs import placed, spec_placed
from voirdire.session.yaml_text import Document, read_yaml

__all__ = ["read_config"]

KEYS = ("output", "data", "models", "options")
SPECS = frozenset({"oracle", "encoder", "encoders", "idf", "tagger", "resolver"})
"""What names a provider, with a path after the colon or without."""

LONGEST = 200
"""Bytes of a model's name: file systems allow a folder's name some 255."""

_WORDS = {"object": "keys with values", "array": "a list", "str": "text", "int": "a whole number", "float": "a number"}
"""What a config calls what JSON has other words for."""

NO_SUCH_WORD = "Invalid enum value"
"""What the reader of values says where one of a list of words has to be."""

_INDEX = re.compile(r"\[\d+\]")
_NAME = re.compile(r"\w[\w .+@=-]*")


def read_config(path: str | Path) -> Config:
    """Read a config; `output`, too, is then a path from the working folder."""
    source = open_source(path)
    document = read_yaml(source)
    value = document.value
    if not isinstance(value, dict) or not value:
        found = "nothing" if value is None or value == {} else shorten(value)
        raise source.fail("", "", found, f"the keys {', '.join(KEYS)}", "`voirdire init FOLDER` writes a config.")
    checked = _Checked(document)
    for key in value:
        if key not in KEYS:
            checked.problems.add("", key, shorten(value[key]), f"one of {', '.join(KEYS)}")
    data = checked.part("data", Data)
    options = checked.part("options", Options)
    output = checked.part("output", str)
    models = checked.models()
    checked.check()
    folder = Path(source.name).parent
    return Config(
        models={name: _in_place(one, folder) for name, one in models.items()},
        data=_in_place(data or Data(), folder),
        options=_in_place(options or Options(), folder, paths=False),
        output=None if output is None else placed(output, folder),
        places=document.places,
    )


class _Checked:
    """The parts of a document as what they should be, and all that is wrong with them."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems = Problems(document.places.name)

    def part(self, path: str, type_: type[Any], value: Any = None) -> Any:
        """The part at this path; None where it is not there or is wrong."""
        value = _given(self.document.value.get(path) if value is None else value)
        if value is None:
            return None
        noted = len(self.problems.kept)
        made = attempt(value, type_, "", self.problems)
        for place in range(noted, len(self.problems.kept)):
            inside = self.problems.kept[place].field
            field = path + (f".{inside}" if inside and not inside.startswith("[") else inside)
            self.problems.kept[place] = replace(
                self.problems.kept[place], field=field, expected=_expected(self.problems.kept[place], type_)
            )
        return made

    def models(self) -> dict[str, ModelFiles]:
        models = self.document.value.get("models")
        if not isinstance(models, dict) or not models:
            found = "nothing" if not models else shorten(models)
            self.problems.add("", "models", found, "one model or more, each with its files")
            return {}
        made = {}
        for name, value in models.items():
            path = f"models.{name}"
            if not _NAME.fullmatch(name) or name != name.strip() or len(name.encode()) > LONGEST:
                expected = "letters, digits and . _ - + = @ or spaces"
                expected += f", {LONGEST} bytes at most: runs go to a folder of this name"
                self.problems.add("", path, shorten(name), expected)
            elif value is None:
                self.problems.add("", path, "nothing", "the model's files, by exam")
            elif (one := self.part(path, ModelFiles, value)) is not None:
                made[name] = one
        return made

    def check(self) -> None:
        """Raise all problems, each with its line."""
        kept = self.problems.kept
        kept[:] = [one if one.where else replace(one, where=self.document.places.where(one.field)) for one in kept]
        self.problems.check()


def _expected(problem: Problem, type_: type[Any]) -> str:
    """What a problem expected, in the words of a config: of keys and of words from a list those that may be there."""
    wanted: Any = type_
    for name in _INDEX.sub("", problem.field).split("."):
        # A key that is not known may itself have a dot.
        inner = next((field.type for field in msgspec.structs.fields(type_) if field.name == name), None)
        wanted = wanted if inner is None else inner
        type_ = next((one for one in (wanted, *get_args(wanted)) if hasattr(one, "__struct_fields__")), type_)
    if problem.expected == UNKNOWN:
        return f"one of {', '.join(type_.__struct_fields__)}"
    if problem.expected.startswith(NO_SUCH_WORD):
        return f"one of {', '.join(map(str, _choices(wanted)))}"
    words = [each for each in problem.expected.split(" | ") if each != "null"]
    return " or ".join(_WORDS.get(each, each) for each in words)


def _choices(type_: Any) -> list[Any]:
    """The values that a type lists, at any depth."""
    if get_origin(type_) is Literal:
        return list(get_args(type_))
    return [value for inner in get_args(type_) for value in _choices(inner)]


def _given(value: Any) -> Any:
    """The value without keys that have none: a key whose lines are all comments is not set."""
    if not isinstance(value, dict):
        return value
    return {key: _given(inner) for key, inner in value.items() if inner is not None}


def _in_place(part: Any, folder: Path, paths: bool = True) -> Any:
    """The part with its paths from the working folder."""
    made: dict[str, Any] = {}
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if isinstance(value, msgspec.Struct):
            made[name] = _in_place(value, folder, paths)
        elif name in SPECS and value is not None:
            made[name] = _each(value, lambda one: spec_placed(one, folder))
        elif paths and value is not None:
            made[name] = _each(value, lambda one: placed(one, folder))
    return msgspec.structs.replace(part, **made)


def _each(value: Any, change: Any) -> Any:
    return change(value) if isinstance(value, str) else tuple(map(change, value))
