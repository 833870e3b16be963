"""What an oracle says of every object of a GuessWhat?! game, JSON lines, one question a line.

    {"game_id", "question" (its place in the game, from 0), "answers": {object id: "yes" | "no" | "n/a"}}

It is our own format: any oracle that is run elsewhere takes part through it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import Id, decode_records, id_array
from voirdire.formats.files import Source, write_lines
from voirdire.formats.games import Answer, Game
from voirdire.formats.record import Record, Rows
from voirdire.formats.strict import Problems

__all__ = [
    "ANSWERS",
    "FORMAT",
    "ObjectAnswers",
    "QuestionAnswers",
    "lines_of",
    "parse_object_answers",
    "read_object_answers",
    "write_object_answers",
]

ANSWERS: tuple[Answer, ...] = ("yes", "no", "n/a")

Place = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


@dataclass(frozen=True, eq=False)
class ObjectAnswers(Record):
    """An oracle's answers to one game.

    answers  int8[questions, objects], places in ANSWERS, in the order of the game's questions and objects
    ties     how many of them were the first of several classes with the same, highest score
    """

    game_id: int
    answers: np.ndarray
    ties: int = 0


class QuestionAnswers(msgspec.Struct, frozen=True):
    """A line: the answers to one question of a game by the ids of the objects."""

    game_id: Id
    question: int
    answers: dict[int, Answer]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    game_id: Id
    question: Place
    answers: dict[Id, str]


def read_object_answers(path: str | Path) -> Rows[QuestionAnswers]:
    """Read an oracle's answers about every object."""
    return read_file(path, FORMAT, parse_object_answers)


def parse_object_answers(source: Source) -> Rows[QuestionAnswers]:
    """An oracle's answers about every object from a file's bytes."""
    problems = Problems(source.name)
    lines, unread = decode_records(source, _Line, _label, problems)
    rows = tuple(_row(line, problems) for line in lines)
    for (game, question), count in Counter((row.game_id, row.question) for row in rows).items():
        if count > 1:
            problems.add(f"game {game}, question {question}", "question", f"{count} lines for it", "one")
    if not rows and not problems.total:
        problems.add("", "", "no question", "at least one")
    problems.check()
    return Rows(rows, source.fingerprint, unread)


def _label(record: Any) -> str:
    """How messages call a line: by its game and question, where it has them."""
    if not isinstance(record, dict):
        return ""
    named = {"game": record.get("game_id"), "question": record.get("question")}
    return ", ".join(f"{name} {shorten(id_)}" for name, id_ in named.items() if isinstance(id_, int | str))


def _row(line: _Line, problems: Problems) -> QuestionAnswers:
    for id_, answer in line.answers.items():
        if answer not in ANSWERS:
            where = f"game {line.game_id}, question {line.question}, object {id_}"
            problems.add(where, "answers", shorten(answer), "yes, no or n/a")
    return QuestionAnswers(line.game_id, line.question, cast("dict[int, Answer]", line.answers))


def lines_of(game: Game, given: ObjectAnswers) -> Iterator[QuestionAnswers]:
    """The lines of one game's answers."""
    ids = [one.id for one in game.objects]
    for place, codes in enumerate(given.answers.tolist()):
        answers = {id_: ANSWERS[code] for id_, code in zip(ids, codes, strict=True)}
        yield QuestionAnswers(game.id, place, answers)


def write_object_answers(rows: Iterable[QuestionAnswers], path: str | Path) -> None:
    """Write the lines."""
    write_lines(rows, path)


def _matches(sample: Sample) -> bool:
    return sample.kind in ("lines", "object", "list") and {"game_id", "question", "answers"} <= sample.keys


def _describe(rows: Sequence[QuestionAnswers]) -> str:
    games, answers = len({row.game_id for row in rows}), sum(len(row.answers) for row in rows)
    return f"{counted(len(rows), 'question')} of {counted(games, 'game')}, {counted(answers, 'answer')}"


FORMAT = Format(
    name="object_answers",
    title="an oracle's answers about every object",
    exams=("questions",),
    matches=_matches,
    parse=parse_object_answers,
    describe=_describe,
    keys=lambda rows: {"game": np.unique(id_array(row.game_id for row in rows))},
)
