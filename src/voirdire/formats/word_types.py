"""A list of words with the type of question that each is typical of, one per line: the word, a tab, the type."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.csv_and_npz import read_lines
from voirdire.formats.files import Source, write_bytes
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems

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


@dataclass(frozen=True, eq=False)
class WordTypes(Record):
    """Words (or short phrases) and the type of each, in the file's order; a word may be there with two types."""

    words: tuple[str, ...]
    types: tuple[str, ...]
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def by_word(self) -> Mapping[str, tuple[str, ...]]:
        """The types of each word."""
        types: dict[str, tuple[str, ...]] = {}
        for word, type_ in zip(self.words, self.types, strict=True):
            types[word] = (*types.get(word, ()), type_)
        return types


def read_word_types(path: str | Path) -> WordTypes:
    """Read a list of words and types."""
    return read_file(path, FORMAT, parse_word_types)


def parse_word_types(source: Source) -> WordTypes:
    """Words and types from a file's bytes; spaces around either do not count."""
    problems = Problems(source.name)
    pairs: dict[tuple[str, str], int] = {}
    notes = []
    for number, line in enumerate(read_lines(source), start=1):
        if not line.strip(" "):
            continue
        word, tab, type_ = (cell.strip(" ") for cell in line.partition("\t"))
        if not tab or not word or not word.isprintable() or "\t" in type_:
            problems.add(f"line {number}", "", shorten(line), "a word, a tab, and its type")
        elif type_ not in WORD_TYPES:
            problems.add(f"line {number}", "", shorten(type_), "one of " + ", ".join(WORD_TYPES))
        elif (earlier := pairs.setdefault((word, type_), number)) != number:
            notes.append(f"line {number}: {word} as {type_} is on line {earlier} already")
    if not pairs:
        problems.add("", "", "no word", "at least one")
    problems.check()
    words, types = zip(*pairs, strict=True)
    record = WordTypes(words, types, source.fingerprint)
    notes += [f"{word} is {' and '.join(several)}" for word, several in record.by_word.items() if len(several) > 1]
    return WordTypes(words, types, source.fingerprint, tuple(notes))


def write_word_types(record: WordTypes, path: str | Path) -> None:
    """Write one line per word and type."""
    rows = zip(record.words, record.types, strict=True)
    write_bytes("".join(f"{word}\t{type_}\n" for word, type_ in rows).encode(), path)


def _matches(sample: Sample) -> bool:
    if sample.kind != "csv":
        return False
    cells = [cell.strip() for cell in sample.first.split("\t")]
    return len(cells) == 2 and cells[1] in WORD_TYPES


FORMAT = Format(
    name="word_types",
    title="words and question types",
    matches=_matches,
    parse=parse_word_types,
    describe=lambda record: f"{counted(len(record.by_word), 'word')} of {counted(len(set(record.types)), 'type')}",
    write=write_word_types,
)
