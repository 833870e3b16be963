"""Several oracles' answers to GuessWhat?! questions beside the human answer, a table.

    gid,pos,question_id,human,ORACLE,…

`gid` is the game, `pos` the question's place in it from 0, and every further column an oracle. Answers are written
`<yes>`, `<no>` and `<n/a>`.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import id_array, note_duplicates
from voirdire.formats.files import Source
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems
from voirdire.formats.tables import choice, read_header, read_table, whole, write_table

__all__ = ["ANSWERS", "FORMAT", "OracleAnswers", "parse_oracle_answers", "read_oracle_answers", "write_oracle_answers"]

ANSWERS = ("yes", "no", "n/a")
HUMAN = "human"
IDS = ("gid", "pos", "question_id")


@dataclass(frozen=True, eq=False)
class OracleAnswers(Record):
    """Answers to n questions: ids int64[n]; `human` and each oracle's int8[n], places in ANSWERS."""

    game_ids: np.ndarray
    positions: np.ndarray
    question_ids: np.ndarray
    human: np.ndarray
    oracles: tuple[str, ...]
    answers: np.ndarray
    fingerprint: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.question_ids)

    def of(self, oracle: str) -> np.ndarray:
        """One oracle's answers."""
        if oracle not in self.oracles:
            raise ValueError(f"oracle is {oracle!r}; it may be one of {', '.join(self.oracles)}")
        column: np.ndarray = self.answers[:, self.oracles.index(oracle)]
        return column


def read_oracle_answers(path: str | Path) -> OracleAnswers:
    """Read oracles' answers."""
    return read_file(path, FORMAT, parse_oracle_answers)


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
    return OracleAnswers(games, positions, questions, human, oracles, answers, source.fingerprint)


def write_oracle_answers(record: OracleAnswers, path: str | Path) -> None:
    """Write the table."""
    answers = {HUMAN: record.human, **{name: record.of(name) for name in record.oracles}}
    ids = zip(IDS, (record.game_ids, record.positions, record.question_ids), strict=True)
    columns: dict[str, list[Any]] = {name: column.tolist() for name, column in ids}
    for name, codes in answers.items():
        columns[name] = [f"<{ANSWERS[code]}>" for code in codes.tolist()]
    write_table(columns, path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "csv" and {*IDS, HUMAN} <= sample.keys


def _describe(record: OracleAnswers) -> str:
    games = len(np.unique(record.game_ids))
    oracles = ", ".join(record.oracles) or "no oracle"
    return f"{counted(len(record), 'question')} of {counted(games, 'game')}, human and {oracles}"


FORMAT = Format(
    name="oracle_answers",
    title="answers of GuessWhat?! oracles",
    exams=("questions",),
    matches=_matches,
    parse=parse_oracle_answers,
    describe=_describe,
    keys=lambda record: {"game": np.unique(record.game_ids), "game question": record.question_ids},
    notes=lambda record: (),
)
