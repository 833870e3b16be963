"""Oracles' answers to the questions of GuessWhat?! games.

oracle_answers  gid,pos,question_id,human,ORACLE,…: several oracles' answers about the target beside the human one.
                `gid` is the game, `pos` the question's place in it from 0, and every further column an oracle.
                Answers are written `<yes>`, `<no>` and `<n/a>`
object_answers  {"game_id", "question" (its place in the game, from 0), "answers": {object id: "yes" | "no" |
                "n/a"}}, JSON lines: one oracle's answers about every object, one question per line. It is our own
                format: through it any oracle of another program can be scored
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format
from voirdire.formats.csv_and_npz import choice, read_header, read_table, whole, write_table
from voirdire.formats.documents import Id, decode_records, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_lines
from voirdire.formats.guesswhat import ANSWERS, Answer
from voirdire.formats.record import Record, Rows
from voirdire.formats.strict import Problems

HUMAN = "human"
IDS = ("gid", "pos", "question_id")

Place = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


@dataclass(frozen=True, eq=False)
class OracleAnswers(Record):
    """Answers to n questions: ids int64[n]; `human` and each oracle's int8[n], places in ANSWERS."""

    game_ids: np.ndarray
    positions: np.ndarray
    question_ids: np.ndarray
    human: np.ndarray
    oracles: tuple[str, ...]
    answers: np.ndarray
    per_row = ("game_ids", "positions", "question_ids", "human", "answers")

    def __len__(self) -> int:
        return len(self.question_ids)

    def of(self, oracle: str) -> np.ndarray:
        """One oracle's answers."""
        if oracle not in self.oracles:
            raise ValueError(f"`oracle` must be one of {', '.join(self.oracles)}, got {oracle!r}")
        column: np.ndarray = self.answers[:, self.oracles.index(oracle)]
        return column


def parse_oracle_answers(source: Source) -> OracleAnswers:
    """Oracles' answers from a file's bytes."""
    codes = {f"<{name}>": code for code, name in enumerate(ANSWERS)}
    oracles = tuple(dict.fromkeys(name for name in read_header(source) if name not in (*IDS, HUMAN)))
    problems = Problems(source.name)
    columns = [*(whole(name) for name in IDS), choice(HUMAN, codes), *(choice(name, codes) for name in oracles)]
    table = read_table(source, columns, problems)
    games, positions, questions = (id_array(table.columns[name]) for name in IDS)
    note_duplicates(problems, questions, "question", "question_id")
    places, counts = np.unique(np.stack([games, positions], axis=1), axis=0, return_counts=True)
    for game, position in places[counts > 1].tolist():
        problems.add(f"game {game}", "pos", f"the place {position} more than once", "each place once")
    problems.check()
    answers = np.array([table.columns[name] for name in oracles], dtype=np.int8).reshape(len(oracles), len(table)).T
    human = np.array(table.columns[HUMAN], dtype=np.int8)
    return OracleAnswers(games, positions, questions, human, oracles, answers, fingerprint=source.fingerprint)


def write_oracle_answers(record: OracleAnswers, path: str | Path) -> None:
    """Write the table."""
    answers = {HUMAN: record.human, **{name: record.of(name) for name in record.oracles}}
    ids = zip(IDS, (record.game_ids, record.positions, record.question_ids), strict=True)
    columns: dict[str, list[Any]] = {name: column.tolist() for name, column in ids}
    for name, codes in answers.items():
        columns[name] = [f"<{ANSWERS[code]}>" for code in codes.tolist()]
    write_table(columns, path)


def _describe_table(record: OracleAnswers) -> str:
    games = len(np.unique(record.game_ids))
    oracles = ", ".join(record.oracles) or "no oracle"
    return f"{counted(len(record), 'question')} of {counted(games, 'game')}, human and {oracles}"


ORACLE_ANSWERS = Format(
    name="oracle_answers",
    title="answers of GuessWhat?! oracles",
    matches=lambda sample: sample.has("csv", *IDS, HUMAN),
    parse=parse_oracle_answers,
    describe=_describe_table,
    keys=lambda record: {"game": np.unique(record.game_ids), "game question": record.question_ids},
    write=write_oracle_answers,
)


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


def parse_object_answers(source: Source) -> Rows[QuestionAnswers]:
    """An oracle's answers about every object from a file's bytes."""
    problems = Problems(source.name)
    lines, unread = decode_records(source, _Line, named(game="game_id", question="question"), problems)
    rows = tuple(_row(line, problems) for line in lines)
    for (game, question), count in Counter((row.game_id, row.question) for row in rows).items():
        if count > 1:
            problems.add(f"game {game}, question {question}", "question", f"{count} lines for it", "one")
    problems.require(rows, "question")
    problems.check()
    return Rows(rows, fingerprint=source.fingerprint, notes=unread)


def _row(line: _Line, problems: Problems) -> QuestionAnswers:
    for id_, answer in line.answers.items():
        if answer not in ANSWERS:
            where = f"game {line.game_id}, question {line.question}, object {id_}"
            problems.add(where, "answers", shorten(answer), "yes, no or n/a")
    return QuestionAnswers(line.game_id, line.question, cast("dict[int, Answer]", line.answers))


def _describe_lines(rows: Sequence[QuestionAnswers]) -> str:
    games, answers = len({row.game_id for row in rows}), sum(len(row.answers) for row in rows)
    return f"{counted(len(rows), 'question')} of {counted(games, 'game')}, {counted(answers, 'answer')}"


OBJECT_ANSWERS = Format(
    name="object_answers",
    title="an oracle's answers about every object",
    fields=("game_id", "question", "answers"),
    matches=lambda sample: sample.has(RECORDS, "game_id", "question", "answers"),
    parse=parse_object_answers,
    describe=_describe_lines,
    keys=lambda rows: {"game": np.unique(id_array(row.game_id for row in rows))},
    write=write_lines,
)

read_object_answers = OBJECT_ANSWERS.read
"""Read an oracle's answers about every object."""
