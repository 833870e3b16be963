"""Dialogues of 20 questions as plain text, each after a line of asterisks.

    ******************
    target = fox
    answerer: This is the list of candidates: elk, fox, hen.
    questioner: Is it a bird?
    answerer: No.

The questioner and the answerer speak by turns; a dialogue has the number of its place, from 1.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import id_array
from voirdire.formats.files import Source, write_bytes
from voirdire.formats.record import Notes, Rows
from voirdire.formats.strict import Problems
from voirdire.formats.tables import read_lines

__all__ = [
    "FORMAT",
    "TwentyQuestionsDialogue",
    "parse_twenty_questions_text",
    "read_twenty_questions_text",
    "write_twenty_questions_text",
]

RULE = "*" * 18
_TARGET = re.compile(r"target = (.+)")
_CANDIDATES = re.compile(r"answerer: This is the list of candidates: (.+)\.")
_TURN = re.compile(r"(questioner|answerer):(?: (.*))?")


class TwentyQuestionsDialogue(msgspec.Struct, frozen=True):
    """One dialogue: (question, answer) pairs in free text; the last answer is None where the text ends before it."""

    id: int
    target: str
    candidates: tuple[str, ...]
    turns: tuple[tuple[str, str | None], ...]


def read_twenty_questions_text(path: str | Path) -> Rows[TwentyQuestionsDialogue]:
    """Read dialogues of 20 questions."""
    return read_file(path, FORMAT, parse_twenty_questions_text)


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
    return Rows(dialogues, source.fingerprint, _notes(dialogues))


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
    for one in dialogues:
        listed = ", ".join(one.candidates)
        lines += [RULE, f"target = {one.target}", f"answerer: This is the list of candidates: {listed}."]
        for question, answer in one.turns:
            lines.append(f"questioner: {question}")
            lines += [] if answer is None else [f"answerer: {answer}"]
    write_bytes("".join(f"{line}\n" for line in lines).encode(), path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "text" and sample.first.strip() == RULE


def _notes(dialogues: Sequence[TwentyQuestionsDialogue]) -> tuple[str, ...]:
    notes = Notes()
    for one in dialogues:
        if not one.turns:
            notes.add(f"dialogue {one.id} has no question")
        elif one.turns[-1][1] is None:
            notes.add(f"dialogue {one.id} ends without an answer to its last question")
    return notes.collect()


FORMAT = Format(
    name="twenty_questions_text",
    title="20 questions, dialogues as text",
    exams=("questions",),
    matches=_matches,
    parse=parse_twenty_questions_text,
    describe=lambda ones: (
        f"{counted(len(ones), 'dialogue')}, {counted(sum(len(one.turns) for one in ones), 'question')}"
    ),
    keys=lambda ones: {"20 questions dialogue": id_array(one.id for one in ones)},
)
