"""Games of 20 questions.

twenty_questions       [{"dialogue_id", "candidates": [name], "target": name, "questions": [{"question_step",
                       "question", "item_specific_answers": {candidate: answer}}]}]: with the answer that every
                       candidate would get. Answers beyond yes, no and n/a ("sometimes") are read as they are, in lower
                       case. "win_turn" may say which question won, from 1, or null for a game that was lost
twenty_questions_text  dialogues as plain text, each after a line of asterisks; questioner and answerer speak by
                       turns, and a dialogue has the number of its place, from 1

    ******************
    target = fox
    answerer: This is the list of candidates: elk, fox, hen.
    questioner: Is it a bird?
    answerer: No.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format
from voirdire.formats.csv_and_npz import read_lines
from voirdire.formats.documents import Id, Unset, decode_records, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_bytes, write_records
from voirdire.formats.guesswhat import ANSWERS, Status
from voirdire.formats.record import Notes, Record, Rows
from voirdire.formats.strict import Problems

RULE = "*" * 18
_TARGET = re.compile(r"target = (.+)")
_CANDIDATES = re.compile(r"answerer: This is the list of candidates: (.+)\.")
_TURN = re.compile(r"(questioner|answerer):(?: (.*))?")


class _Question(msgspec.Struct, forbid_unknown_fields=True):
    question_step: int
    question: str
    item_specific_answers: dict[str, str]


class _Game(msgspec.Struct, forbid_unknown_fields=True):
    dialogue_id: Id
    candidates: list[str]
    target: str
    questions: list[_Question]
    win_turn: int | Unset | None = msgspec.UNSET


@dataclass(frozen=True, eq=False)
class TwentyQuestionsGame(Record):
    """One game.

    answers      whole numbers [questions, candidates]: the place in `vocabulary` of what each candidate would get
    vocabulary   ANSWERS, then the other answers of this game
    status       how it ended; None where the file does not say it
    win_turn     the question that won, from 1
    misnumbered  questions whose `question_step` is not their place, by which they are read
    """

    id: int
    candidates: tuple[str, ...]
    target: str
    questions: tuple[str, ...]
    answers: np.ndarray
    vocabulary: tuple[str, ...] = ANSWERS
    status: Status | None = None
    win_turn: int | None = None
    misnumbered: int = field(default=0, compare=False)

    @property
    def target_index(self) -> int:
        """The target's place among the candidates."""
        return self.candidates.index(self.target)


def parse_twenty_questions(source: Source) -> Rows[TwentyQuestionsGame]:
    """Games of 20 questions from a file's bytes."""
    problems = Problems(source.name)
    rows, unread = decode_records(source, _Game, named(dialogue="dialogue_id"), problems)
    note_duplicates(problems, id_array(row.dialogue_id for row in rows), "dialogue", "dialogue_id")
    games = tuple(_game(row, problems) for row in rows)
    problems.check()
    return Rows(games, fingerprint=source.fingerprint, notes=unread + _notes(games))


def _game(row: _Game, problems: Problems) -> TwentyQuestionsGame:
    where = f"dialogue {row.dialogue_id}"
    for name in sorted({name for name in row.candidates if row.candidates.count(name) > 1}):
        problems.add(where, "candidates", f"{shorten(name)} twice", "each candidate once")
    if row.target not in row.candidates:
        problems.add(where, "target", shorten(row.target), "one of the candidates")
    codes: dict[str, int] = {answer: code for code, answer in enumerate(ANSWERS)}
    answers = np.zeros((len(row.questions), len(row.candidates)), dtype=np.int32)
    for number, question in enumerate(row.questions, start=1):
        place = f"{where}, question {number}"
        for name in question.item_specific_answers:
            if name not in row.candidates:
                problems.add(place, "item_specific_answers", shorten(name), "one of the candidates")
        for column, name in enumerate(row.candidates):
            written = question.item_specific_answers.get(name, "").strip().lower()
            if written:
                answers[number - 1, column] = codes.setdefault(written, len(codes))
            else:
                expected = "an answer, such as yes, no or n/a"
                problems.add(f"{place}, candidate {shorten(name)}", "item_specific_answers", "no answer", expected)
    return TwentyQuestionsGame(
        row.dialogue_id,
        tuple(row.candidates),
        row.target,
        tuple(question.question for question in row.questions),
        answers if len(codes) > np.iinfo(np.int8).max else answers.astype(np.int8),
        tuple(codes),
        *_outcome(where, row, problems),
        sum(question.question_step != number for number, question in enumerate(row.questions, start=1)),
    )


def _outcome(where: str, row: _Game, problems: Problems) -> tuple[Status | None, int | None]:
    """How a game ended, and the question that won it."""
    if isinstance(row.win_turn, Unset):
        return None, None
    if row.win_turn is None:
        return "failure", None
    if not 1 <= row.win_turn <= len(row.questions):
        expected = f"from 1 to {len(row.questions)}, the number of a question, or null for a game that was lost"
        problems.add(where, "win_turn", str(row.win_turn), expected)
    return "success", row.win_turn


def write_twenty_questions(games: Sequence[TwentyQuestionsGame], path: str | Path) -> None:
    """Write the published layout."""
    rows = []
    for game in games:
        asked = zip(game.questions, game.answers.tolist(), strict=True)
        questions = [
            _Question(step, text, dict(zip(game.candidates, (game.vocabulary[code] for code in codes), strict=True)))
            for step, (text, codes) in enumerate(asked, start=1)
        ]
        won = msgspec.UNSET if game.status is None else game.win_turn
        rows.append(_Game(game.id, list(game.candidates), game.target, questions, won))
    write_records(rows, path)


def _describe(games: Sequence[TwentyQuestionsGame]) -> str:
    sizes = sorted({len(game.candidates) for game in games})
    some = " or ".join(map(str, sizes)) if len(sizes) < 4 else f"{sizes[0]} to {sizes[-1]}"
    questions = sum(len(game.questions) for game in games)
    return f"{counted(len(games), 'game')} of {some or 'no'} candidates, {counted(questions, 'question')}"


def _notes(games: Sequence[TwentyQuestionsGame]) -> tuple[str, ...]:
    notes = Notes()
    for game in games:
        if not game.questions:
            notes.add("no question", f"dialogue {game.id}")
        if game.misnumbered:
            wrong = counted(game.misnumbered, "question")
            notes.add(f"`question_step` of {wrong} is not its place, by which it is read", f"dialogue {game.id}")
        if others := game.vocabulary[len(ANSWERS) :]:
            notes.add(f"answers beyond yes, no and n/a, as {shorten(others[0])}", f"dialogue {game.id}")
    return notes.collect()


FORMAT = Format(
    name="twenty_questions",
    title="20 questions, an answer for every candidate",
    fields=("dialogue_id", "candidates", "target", "questions"),
    matches=lambda sample: sample.has(RECORDS, "candidates", "target", "questions"),
    parse=parse_twenty_questions,
    describe=_describe,
    keys=lambda games: {"20 questions dialogue": id_array(game.id for game in games)},
    write=write_twenty_questions,
)


class TwentyQuestionsDialogue(msgspec.Struct, frozen=True):
    """One dialogue: (question, answer) pairs in free text; the last answer is None where the text ends before it."""

    id: int
    target: str
    candidates: tuple[str, ...]
    turns: tuple[tuple[str, str | None], ...]


def parse_twenty_questions_text(source: Source) -> Rows[TwentyQuestionsDialogue]:
    """Dialogues of 20 questions from a file's bytes."""
    problems = Problems(source.name)
    blocks: list[list[tuple[int, str]]] = []
    for number, line in enumerate(read_lines(source), start=1):
        if line.strip() == RULE:
            blocks.append([])
        elif line.strip() and not blocks:
            problems.add(f"line {number}", "", shorten(line), "a line of asterisks before the first dialogue")
        elif line.strip():
            blocks[-1].append((number, line.strip()))
    if not blocks:
        problems.add("", "", "no dialogue", "dialogues, each after a line of asterisks")
    dialogues = tuple(_dialogue(id_, block, problems) for id_, block in enumerate(blocks, start=1))
    problems.check()
    return Rows(dialogues, fingerprint=source.fingerprint, notes=_note_ends(dialogues))


def _dialogue(id_: int, block: Sequence[tuple[int, str]], problems: Problems) -> TwentyQuestionsDialogue:
    target = _head(id_, block, 0, _TARGET, "target = …", problems)
    listed = _head(id_, block, 1, _CANDIDATES, "answerer: This is the list of candidates: …", problems)
    candidates = tuple(listed.split(", ")) if listed else ()
    if target and candidates and target not in candidates:
        problems.add(f"dialogue {id_}", "target", shorten(target), "one of the candidates")
    if len(set(candidates)) < len(candidates):
        problems.add(f"dialogue {id_}", "candidates", "a candidate twice", "each candidate once")
    turns: list[tuple[str, str | None]] = []
    for number, line in block[2:]:
        match = _TURN.fullmatch(line)
        waiting = bool(turns) and turns[-1][1] is None
        speaker = "answerer" if waiting else "questioner"
        if match is None or match[1] != speaker:
            problems.add(f"dialogue {id_}, line {number}", "", shorten(line), f"{speaker}: …")
        elif waiting:
            turns[-1] = (turns[-1][0], match[2] or "")
        else:
            turns.append((match[2] or "", None))
    return TwentyQuestionsDialogue(id_, target, candidates, tuple(turns))


def _head(
    id_: int, block: Sequence[tuple[int, str]], place: int, pattern: re.Pattern[str], expected: str, problems: Problems
) -> str:
    if place >= len(block):
        problems.add(f"dialogue {id_}", "", "its end", expected)
        return ""
    number, line = block[place]
    if match := pattern.fullmatch(line):
        return match[1]
    problems.add(f"dialogue {id_}, line {number}", "", shorten(line), expected)
    return ""


def write_twenty_questions_text(dialogues: Iterable[TwentyQuestionsDialogue], path: str | Path) -> None:
    """Write the published layout."""
    lines: list[str] = []
    for dialogue in dialogues:
        listed = ", ".join(dialogue.candidates)
        lines += [RULE, f"target = {dialogue.target}", f"answerer: This is the list of candidates: {listed}."]
        for question, answer in dialogue.turns:
            lines.append(f"questioner: {question}")
            lines += [] if answer is None else [f"answerer: {answer}"]
    write_bytes("".join(f"{line}\n" for line in lines).encode(), path)


def _note_ends(dialogues: Sequence[TwentyQuestionsDialogue]) -> tuple[str, ...]:
    notes = Notes()
    for dialogue in dialogues:
        if not dialogue.turns:
            notes.add("no question", f"dialogue {dialogue.id}")
        elif dialogue.turns[-1][1] is None:
            notes.add("it ends without an answer to its last question", f"dialogue {dialogue.id}")
    return notes.collect()


TEXT = Format(
    name="twenty_questions_text",
    title="20 questions, dialogues as text",
    matches=lambda sample: sample.kind == "text" and sample.first.strip() == RULE,
    parse=parse_twenty_questions_text,
    describe=lambda dialogues: (
        f"{counted(len(dialogues), 'dialogue')}, {counted(sum(len(each.turns) for each in dialogues), 'question')}"
    ),
    keys=lambda dialogues: {"20 questions dialogue": id_array(dialogue.id for dialogue in dialogues)},
    write=write_twenty_questions_text,
)
