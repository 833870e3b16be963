"""The list of question types that VQA's evaluation groups by: the first words of a question, one type a line."""

import re
from collections.abc import Iterable
from pathlib import Path

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, read_file
from voirdire.formats.files import Source, write_bytes
from voirdire.formats.record import Rows
from voirdire.formats.strict import Problems
from voirdire.formats.tables import read_lines

__all__ = ["FORMAT", "parse_question_types", "read_question_types", "write_question_types"]

_TYPE = re.compile(
    r"(?:what|which|who|whose|whom|where|when|why|how|is|are|am|was|were|do|does|did|has|have|had|can|could|will|would"
    r"|should|may|might|none)(?: [a-z]+){0,7}"
)


def read_question_types(path: str | Path) -> Rows[str]:
    """Read a list of question types."""
    return read_file(path, FORMAT, parse_question_types)


def parse_question_types(source: Source) -> Rows[str]:
    """Question types from a file's bytes; blank lines are passed over."""
    problems = Problems(source.name)
    types: dict[str, int] = {}
    for number, line in enumerate(read_lines(source), start=1):
        name = line.strip()
        if not name:
            continue
        if not _TYPE.fullmatch(name):
            expected = "the first words of a question, in lower case"
            problems.add(f"line {number}", "", shorten(name), expected)
        elif name in types:
            problems.add(f"line {number}", "", f"{name!r}, as on line {types[name]}", "each type once")
        types.setdefault(name, number)
    if not types:
        problems.add("", "", "no question type", "at least one")
    problems.check()
    return Rows(tuple(types), source.fingerprint)


def write_question_types(types: Iterable[str], path: str | Path) -> None:
    """Write one type a line."""
    write_bytes("".join(f"{name}\n" for name in types).encode(), path)


FORMAT = Format(
    name="question_types",
    title="VQA question types",
    exams=("robustness",),
    matches=lambda sample: sample.kind == "text" and _TYPE.fullmatch(sample.first.strip()) is not None,
    parse=parse_question_types,
    describe=lambda types: counted(len(types), "question type"),
    keys=lambda types: {},
    notes=lambda types: types.notes,
)
