"""Small formats of lists, tables and records: each is a declaration, and a few readers are shared by all.

image_ids          a list of image ids, one per line
question_types     the types that VQA's evaluation groups by: the first words of a question, one type per line
conv_judgements    img,judge,response: how far a dialogue depends on its history, each judge once per image; the
                   response is the number of the chosen answer, 1 to 6
history_questions  question_id,game_id,question: GuessWhat?! questions whose answer depends on the dialogue
word_types         a word, a tab, the type of question that it is typical of, one per line
oracle_qa          {"question_id", "question", "answer": 0 | 1 | 2, "category", "bbox": [x, y, w, h], "width",
                   "height"}, JSON lines: GuessWhat?! questions as an oracle is trained on them; the answer is
                   0 yes, 1 no, 2 n/a, the category COCO's id less one, the box in shares of the image
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import LINES, Format, Sample
from voirdire.formats.csv_and_npz import (
    Column,
    ReadTable,
    note_unread,
    read_lines,
    read_table,
    text,
    whole,
    write_table,
)
from voirdire.formats.documents import Id, decode_records, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_bytes, write_lines
from voirdire.formats.record import Columns, Record, Rows
from voirdire.formats.strict import Problems

LARGEST = 2**63 - 1

T = TypeVar("T")


# Lists of one thing per line.


def _distinct_lines(
    source: Source, read: Callable[[str], T | None], expected: str, again: str, once: str, empty: tuple[str, str]
) -> list[T]:
    """The values of the lines; blank ones are passed over, and one that cannot be read or occurs again is a problem."""
    problems = Problems(source.name)
    values: dict[T, int] = {}
    for number, line in enumerate(read_lines(source), start=1):
        if not (written := line.strip(" \t\r")):
            continue
        if (value := read(written)) is None:
            problems.add(f"line {number}", "", shorten(written), expected)
        elif (earlier := values.setdefault(value, number)) != number:
            problems.add(f"line {number}", "", again.format(value, earlier), once)
    if not values and not problems.total:
        problems.add("", "", *empty)
    problems.check()
    return list(values)


def _write_each(values: Sequence[Any], path: str | Path) -> None:
    write_bytes("".join(f"{value}\n" for value in values).encode(), path)


def _image_id(written: str) -> int | None:
    """The number of plain decimal digits, if it may be an id."""
    if not (written.isascii() and written.isdigit()) or len(written) > len(str(LARGEST)):
        return None
    return number if (number := int(written)) <= LARGEST else None


def _parse_image_ids(source: Source) -> Columns:
    again, empty = "image {} again, after line {}", ("an empty file", "at least one image id")
    ids = _distinct_lines(source, _image_id, "an image id, a whole number", again, "each image once", empty)
    notes = ("one number alone; it was read as the id of an image",) if len(ids) == 1 else ()
    return Columns({"image_ids": id_array(ids)}, fingerprint=source.fingerprint, notes=notes)


IMAGE_IDS = Format(
    name="image_ids",
    title="list of image ids",
    matches=lambda sample: sample.kind == "text" and _image_id(sample.first.strip()) is not None,
    parse=_parse_image_ids,
    describe=lambda record: counted(len(record), "image id"),
    keys=lambda record: {"image": record.image_ids},
    write=lambda record, path: _write_each(record.image_ids.tolist(), path),
)

_TYPE = re.compile(
    r"(?:what|which|who|whose|whom|where|when|why|how|is|are|am|was|were|do|does|did|has|have|had|can|could|will|would"
    r"|should|may|might|none)(?: [a-z]+){0,7}"
)


def _question_type(written: str) -> str | None:
    return written if _TYPE.fullmatch(written) else None


def _parse_question_types(source: Source) -> Rows[str]:
    expected, again = "the first words of a question, in lower case", "{!r}, as on line {}"
    empty = "no question type", "at least one"
    types = _distinct_lines(source, _question_type, expected, again, "each type once", empty)
    return Rows(tuple(types), fingerprint=source.fingerprint)


QUESTION_TYPES = Format(
    name="question_types",
    title="VQA question types",
    matches=lambda sample: sample.kind == "text" and _question_type(sample.first.strip()) is not None,
    parse=_parse_question_types,
    describe=lambda types: counted(len(types), "question type"),
    write=_write_each,
)


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

    @cached_property
    def by_word(self) -> Mapping[str, tuple[str, ...]]:
        """The types of each word."""
        types: dict[str, tuple[str, ...]] = {}
        for word, type_ in zip(self.words, self.types, strict=True):
            types[word] = (*types.get(word, ()), type_)
        return types


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
    record = WordTypes(words, types, fingerprint=source.fingerprint)
    notes += [f"{word} is {' and '.join(several)}" for word, several in record.by_word.items() if len(several) > 1]
    return replace(record, notes=tuple(notes))


def write_word_types(record: WordTypes, path: str | Path) -> None:
    """Write one line per word and type."""
    rows = zip(record.words, record.types, strict=True)
    write_bytes("".join(f"{word}\t{type_}\n" for word, type_ in rows).encode(), path)


def _types_a_word(sample: Sample) -> bool:
    if sample.kind != "csv":
        return False
    cells = [cell.strip() for cell in sample.first.split("\t")]
    return len(cells) == 2 and cells[1] in WORD_TYPES


WORD_TYPES_FORMAT = Format(
    name="word_types",
    title="words and question types",
    matches=_types_a_word,
    parse=parse_word_types,
    describe=lambda record: f"{counted(len(record.by_word), 'word')} of {counted(len(set(record.types)), 'type')}",
    write=write_word_types,
)

read_word_types = WORD_TYPES_FORMAT.read
"""Read a list of words and types."""


# Tables: the columns of the file by the names of the record.

JUDGED = {"image_ids": whole("img"), "judges": whole("judge"), "responses": whole("response", 1, 6)}
ASKED = {"question_ids": whole("question_id"), "game_ids": whole("game_id"), "questions": text("question")}


def _parse_table(
    columns: Mapping[str, Column], check: Callable[[ReadTable, Problems], None]
) -> Callable[[Source], Columns]:
    def parse_table(source: Source) -> Columns:
        problems = Problems(source.name)
        table = read_table(source, [*columns.values()], problems)
        check(table, problems)
        problems.check()
        cells = {name: table.columns[column.name] for name, column in columns.items()}
        values = {name: tuple(cell) if name == "questions" else id_array(cell) for name, cell in cells.items()}
        return Columns(values, fingerprint=source.fingerprint, notes=note_unread(table))

    return parse_table


def _write_columns(columns: Mapping[str, Column]) -> Callable[[Columns, str | Path], None]:
    return lambda record, path: write_table({col.name: record.values[name] for name, col in columns.items()}, path)


def _each_judge_once(table: ReadTable, problems: Problems) -> None:
    problems.require(table, "judgement")
    judged: set[tuple[int, int]] = set()
    for line, image, judge in zip(table.lines, table.columns["img"], table.columns["judge"], strict=True):
        if (image, judge) in judged:
            problems.add(f"line {line}", "", f"judge {judge} on image {image} again", "each judge once for an image")
        judged.add((image, judge))


def _count_judgements(record: Columns) -> str:
    images, judges = len(np.unique(record.image_ids)), len(np.unique(record.judges))
    return f"{counted(len(record), 'judgement')} of {counted(images, 'image')} by {counted(judges, 'judge')}"


CONV_JUDGEMENTS = Format(
    name="conv_judgements",
    title="judgements on the history of VisDial dialogues",
    fields=("img", "judge", "response"),
    matches=lambda sample: sample.has("csv", "img", "judge", "response"),
    parse=_parse_table(JUDGED, _each_judge_once),
    describe=_count_judgements,
    keys=lambda record: {"image": np.unique(record.image_ids)},
    write=_write_columns(JUDGED),
)


def _each_question_once(table: ReadTable, problems: Problems) -> None:
    note_duplicates(problems, id_array(table.columns["question_id"]), "question", "question_id")


HISTORY_QUESTIONS = Format(
    name="history_questions",
    title="GuessWhat?! questions that lean on the history",
    fields=("question_id", "game_id", "question"),
    matches=lambda sample: sample.has("csv", "question_id", "game_id", "question"),
    parse=_parse_table(ASKED, _each_question_once),
    describe=lambda record: f"{counted(len(record), 'question')} of {counted(len(np.unique(record.game_ids)), 'game')}",
    keys=lambda record: {"game": np.unique(record.game_ids), "game question": record.question_ids},
    write=_write_columns(ASKED),
)


# Records.

ORACLE_SLACK = 1e-3

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class OracleQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question about one object."""

    question_id: Id
    question: str
    answer: Literal[0, 1, 2]
    category: Annotated[int, msgspec.Meta(ge=0, le=89)]
    bbox: tuple[Share, Share, Share, Share]
    width: Annotated[int, msgspec.Meta(ge=1)]
    height: Annotated[int, msgspec.Meta(ge=1)]


def _parse_oracle_qa(source: Source) -> Rows[OracleQuestion]:
    problems = Problems(source.name)
    rows, unread = decode_records(source, OracleQuestion, named(question="question_id"), problems)
    note_duplicates(problems, id_array(row.question_id for row in rows), "question", "question_id")
    problems.require(rows, "question")
    for row in rows:
        x, y, width, height = row.bbox
        if x + width > 1 + ORACLE_SLACK or y + height > 1 + ORACLE_SLACK:
            problems.add(f"question {row.question_id}", "bbox", str(list(row.bbox)), "a box inside the image")
    problems.check()
    return Rows(tuple(rows), fingerprint=source.fingerprint, notes=unread)


def _count_answers(rows: Sequence[OracleQuestion]) -> str:
    counts = Counter[int](row.answer for row in rows)
    parts = ", ".join(f"{counts[code]:,} {name}" for code, name in enumerate(("yes", "no", "n/a")) if counts[code])
    return f"{counted(len(rows), 'question')} with a box ({parts})"


ORACLE_QA = Format(
    name="oracle_qa",
    title="questions for a GuessWhat?! oracle",
    matches=lambda sample: sample.has(LINES, "question_id", "answer", "bbox", "category"),
    parse=_parse_oracle_qa,
    describe=_count_answers,
    keys=lambda rows: {"game question": id_array(row.question_id for row in rows)},
    write=write_lines,
)
