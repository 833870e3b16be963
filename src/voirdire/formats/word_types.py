"""A list of words and the type of question that each is a sign of, a line each: the word, a tab, the type."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from voirdire.errors import shorten
from voirdire.formats.catalogue import Format, Sample
from voirdire.formats.csv_rows import read_lines
from voirdire.formats.sink import write_bytes
from voirdire.formats.source import Source, open_source
from voirdire.formats.strict import Problems

__all__ = ["FORMAT", "WORD_TYPES", "WordTypes", "parse_word_types", "read_word_types", "write_word_types"]

WORD_TYPES = (
    "object",
    "super-category",
    "color",
    "shape",
    "size",
    "texture",
    "action",
    "activity",
    "spatial",
    "number",
)


@dataclass(frozen=True)
class WordTypes:
    """The types of each word, most words having one; `twice` are the lines that say again what an earlier one said."""

    types: Mapping[str, tuple[str, ...]]
    twice: tuple[str, ...] = field(default=(), compare=False)
    fingerprint: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.types)


def read_word_types(path: str | Path) -> WordTypes:
    """Read a list of words and types."""
    return parse_word_types(open_source(path))


def parse_word_types(source: Source) -> WordTypes:
    """Words and types from a file's bytes; blanks around either do not count."""
    problems = Problems(source.name)
    types: dict[str, tuple[str, ...]] = {}
    twice = []
    for number, line in enumerate(read_lines(source), start=1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != 2 or not cells[0]:
            problems.add(f"line {number}", "", shorten(line), "a word, a tab, and its type")
        elif cells[1] not in WORD_TYPES:
            problems.add(f"line {number}", "", shorten(cells[1]), "one of " + ", ".join(WORD_TYPES))
        elif cells[1] in types.get(cells[0], ()):
            twice.append(f"line {number}: {cells[0]} as {cells[1]} is there already")
        else:
            types[cells[0]] = (*types.get(cells[0], ()), cells[1])
    if not types:
        problems.add("", "", "no word", "at least one")
    problems.check()
    return WordTypes(types, tuple(twice), source.fingerprint)


def write_word_types(record: WordTypes, path: str | Path) -> None:
    """Write one line a word and type."""
    lines = [f"{word}\t{type_}\n" for word, types in record.types.items() for type_ in types]
    write_bytes("".join(lines).encode(), path)


def _matches(sample: Sample) -> bool:
    if sample.kind != "csv":
        return False
    cells = [cell.strip() for cell in sample.first.split("\t")]
    return len(cells) == 2 and cells[1] in WORD_TYPES


def _describe(record: WordTypes) -> str:
    kinds = {type_ for types in record.types.values() for type_ in types}
    return f"{len(record):,} words of {len(kinds)} types"


def _notes(record: WordTypes) -> Sequence[str]:
    several = [f"{word} is {' and '.join(types)}" for word, types in record.types.items() if len(types) > 1]
    return (*record.twice, *several)


FORMAT = Format(
    name="word_types",
    title="words and question types",
    exams=("questions",),
    matches=_matches,
    parse=parse_word_types,
    describe=_describe,
    keys=lambda record: {},
    notes=_notes,
)
