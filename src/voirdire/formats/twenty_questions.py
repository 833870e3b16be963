"""Games of 20 questions with the answer that every candidate would get.

[{"dialogue_id", "candidates": [name], "target": name,
  "questions": [{"question_step", "question", "item_specific_answers": {candidate: "yes" | "no"}}]}]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import Id, decode_records, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_records
from voirdire.formats.record import Notes, Record, Rows
from voirdire.formats.strict import Problems

__all__ = [
    "ANSWERS",
    "FORMAT",
    "TwentyQuestionsGame",
    "parse_twenty_questions",
    "read_twenty_questions",
    "write_twenty_questions",
]

ANSWERS = ("yes", "no", "n/a")


class _Question(msgspec.Struct, forbid_unknown_fields=True):
    question_step: int
    question: str
    item_specific_answers: dict[str, str]


class _Game(msgspec.Struct, forbid_unknown_fields=True):
    dialogue_id: Id
    candidates: list[str]
    target: str
    questions: list[_Question]


@dataclass(frozen=True, eq=False)
class TwentyQuestionsGame(Record):
    """One game: `answers[q, c]`, int8, is the place in ANSWERS of what candidate c would get to question q."""

    id: int
    candidates: tuple[str, ...]
    target: str
    questions: tuple[str, ...]
    answers: np.ndarray

    @property
    def target_index(self) -> int:
        """The target's place among the candidates."""
        return self.candidates.index(self.target)


def read_twenty_questions(path: str | Path) -> Rows[TwentyQuestionsGame]:
    """Read games of 20 questions."""
    return read_file(path, FORMAT, parse_twenty_questions)


def parse_twenty_questions(source: Source) -> Rows[TwentyQuestionsGame]:
    """Games of 20 questions from a file's bytes."""
    problems = Problems(source.name)
    rows, unread = decode_records(source, _Game, named("dialogue", "dialogue_id"), problems)
    note_duplicates(problems, id_array(row.dialogue_id for row in rows), "dialogue", "dialogue_id")
    games = tuple(_game(row, problems) for row in rows)
    problems.check()
    return Rows(games, source.fingerprint, unread + _notes(games))


def _game(row: _Game, problems: Problems) -> TwentyQuestionsGame:
    where = f"dialogue {row.dialogue_id}"
    for name in sorted({name for name in row.candidates if row.candidates.count(name) > 1}):
        problems.add(where, "candidates", f"{shorten(name)} twice", "each candidate once")
    if row.target not in row.candidates:
        problems.add(where, "target", shorten(row.target), "one of the candidates")
    answers = np.zeros((len(row.questions), len(row.candidates)), dtype=np.int8)
    for number, question in enumerate(row.questions, start=1):
        place = f"{where}, question {number}"
        if question.question_step != number:
            problems.add(place, "question_step", str(question.question_step), str(number))
        for name in question.item_specific_answers:
            if name not in row.candidates:
                problems.add(place, "item_specific_answers", shorten(name), "one of the candidates")
        for column, name in enumerate(row.candidates):
            written = question.item_specific_answers.get(name)
            if written not in ANSWERS:
                found = "no answer" if written is None else shorten(written)
                problems.add(f"{place}, candidate {shorten(name)}", "item_specific_answers", found, "yes, no or n/a")
            else:
                answers[number - 1, column] = ANSWERS.index(written)
    questions = tuple(question.question for question in row.questions)
    return TwentyQuestionsGame(row.dialogue_id, tuple(row.candidates), row.target, questions, answers)


def write_twenty_questions(games: Sequence[TwentyQuestionsGame], path: str | Path) -> None:
    """Write the published layout."""
    rows = []
    for game in games:
        questions = [
            _Question(step, text, {name: ANSWERS[code] for name, code in zip(game.candidates, codes, strict=True)})
            for step, (text, codes) in enumerate(zip(game.questions, game.answers.tolist(), strict=True), start=1)
        ]
        rows.append(_Game(game.id, list(game.candidates), game.target, questions))
    write_records(rows, path)


def _matches(sample: Sample) -> bool:
    return sample.kind in ("list", "lines", "object") and {"candidates", "target", "questions"} <= sample.keys


def _describe(games: Sequence[TwentyQuestionsGame]) -> str:
    sizes = sorted({len(game.candidates) for game in games})
    some = " or ".join(map(str, sizes)) if len(sizes) < 4 else f"{sizes[0]} to {sizes[-1]}"
    questions = sum(len(game.questions) for game in games)
    return f"{counted(len(games), 'game')} of {some or 'no'} candidates, {counted(questions, 'question')}"


def _notes(games: Sequence[TwentyQuestionsGame]) -> tuple[str, ...]:
    notes = Notes()
    for game in games:
        if not game.questions:
            notes.add(f"dialogue {game.id} has no question")
    return notes.collect()


FORMAT = Format(
    name="twenty_questions",
    title="20 questions, an answer for every candidate",
    exams=("questions",),
    matches=_matches,
    parse=parse_twenty_questions,
    describe=_describe,
    keys=lambda games: {"20 questions dialogue": id_array(game.id for game in games)},
)
