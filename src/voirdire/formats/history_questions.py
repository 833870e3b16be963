"""GuessWhat?! questions whose answer depends on the dialogue before them, a table: `question_id,game_id,question`."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import id_array, note_duplicates
from voirdire.formats.files import Source
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems
from voirdire.formats.tables import note_unread, read_table, text, whole, write_table

__all__ = ["FORMAT", "HistoryQuestions", "parse_history_questions", "read_history_questions", "write_history_questions"]

COLUMNS = ("question_id", "game_id", "question")


@dataclass(frozen=True, eq=False)
class HistoryQuestions(Record):
    """Questions that lean on the history: ids int64[n], texts in the same order."""

    question_ids: np.ndarray
    game_ids: np.ndarray
    questions: tuple[str, ...]
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.questions)


def read_history_questions(path: str | Path) -> HistoryQuestions:
    """Read questions that lean on the history."""
    return read_file(path, FORMAT, parse_history_questions)


def parse_history_questions(source: Source) -> HistoryQuestions:
    """Questions that lean on the history from a file's bytes."""
    problems = Problems(source.name)
    table = read_table(source, [whole("question_id"), whole("game_id"), text("question")], problems)
    ids, games, questions = (table.columns[name] for name in COLUMNS)
    note_duplicates(problems, id_array(ids), "question", "question_id")
    problems.check()
    return HistoryQuestions(id_array(ids), id_array(games), tuple(questions), source.fingerprint, note_unread(table))


def write_history_questions(record: HistoryQuestions, path: str | Path) -> None:
    """Write the table."""
    columns = (record.question_ids.tolist(), record.game_ids.tolist(), record.questions)
    write_table(dict(zip(COLUMNS, columns, strict=True)), path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "csv" and sample.keys >= {*COLUMNS}


FORMAT = Format(
    name="history_questions",
    title="GuessWhat?! questions that lean on the history",
    exams=("questions",),
    matches=_matches,
    parse=parse_history_questions,
    describe=lambda record: f"{counted(len(record), 'question')} of {counted(len(np.unique(record.game_ids)), 'game')}",
    keys=lambda record: {"game": np.unique(record.game_ids), "game question": record.question_ids},
    notes=lambda record: record.notes,
)
