"""Logs of GuessWhat?! games without object lists, JSON lines, in two layouts that are found in public.

    by index   {"index", "image_id", "target_category", "target_center_xy_ybottom": [x, y], "status", "qas"}
    by object  {"image_id", "target_id", "guess_id", "success", "log", "qas"}

Each has `qas: [{"question", "answer"}]`. To know the other candidates, join them with the original games or with COCO.
A model's own probabilities, attention and information gain are not read.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import LINES, Format, Sample
from voirdire.formats.documents import Id, Ignored, Unset, decode_each_line, given, id_array, named
from voirdire.formats.files import Source, write_lines
from voirdire.formats.guesswhat import STATUS, Qa, Status, normalise_answer
from voirdire.formats.record import Notes, Rows
from voirdire.formats.strict import Problems, note_unknown


class GameLog(msgspec.Struct, frozen=True):
    """One logged game; None where its layout does not hold the field. `target_center` is x and y, y upward."""

    image_id: Id
    qas: tuple[Qa, ...]
    status: Status
    index: int | None = None
    target_category: str | None = None
    target_center: tuple[float, float] | None = None
    log: str | None = None
    target_id: int | None = None
    guess_id: int | None = None


class _Qa(msgspec.Struct, forbid_unknown_fields=True):
    question: str
    answer: str
    info_gain: Ignored = msgspec.UNSET
    attn_top10: Ignored = msgspec.UNSET


class _ByIndex(msgspec.Struct, forbid_unknown_fields=True):
    index: Id
    image_id: Id
    target_category: str
    target_center_xy_ybottom: tuple[float, float]
    status: str
    qas: list[_Qa]


class _ByObject(msgspec.Struct, forbid_unknown_fields=True):
    image_id: Id
    target_id: Id
    guess_id: Id
    success: bool
    qas: list[_Qa]
    log: str | Unset = msgspec.UNSET
    guess_prob: Ignored = msgspec.UNSET


def parse_game_logs(source: Source) -> Rows[GameLog]:
    """Logged games from a file's bytes; the first line decides the layout."""
    line = source.data.lstrip().split(b"\n", 1)[0]
    type_: type[_ByIndex | _ByObject] = _ByObject if b'"guess_id"' in line else _ByIndex
    problems, unknown = Problems(source.name), Counter[str]()
    rows = decode_each_line(source, type_, named(game="index"), problems, unknown)
    games = tuple(_game(where, row, problems) for where, row in rows)
    for index, count in Counter(game.index for game in games if game.index is not None).items():
        if count > 1:
            problems.add(f"game {index}", "index", f"{count} games with this index", "one")
    problems.require(games, "game")
    problems.check()
    return Rows(games, fingerprint=source.fingerprint, notes=note_unknown(unknown) + _notes(games))


def _game(where: str, row: _ByIndex | _ByObject, problems: Problems) -> GameLog:
    if isinstance(row, _ByIndex):
        where = f"{where}, game {row.index}"
    qas = []
    for step, qa in enumerate(row.qas, start=1):
        if (answer := normalise_answer(qa.answer)) is None:
            problems.add(f"{where}, question {step}", "answer", shorten(qa.answer), "Yes, No or N/A")
        else:
            qas.append(Qa(qa.question, answer, written=qa.answer))
    if isinstance(row, _ByObject):
        return GameLog(
            row.image_id,
            tuple(qas),
            "success" if row.success else "failure",
            log=given(row.log),
            target_id=row.target_id,
            guess_id=row.guess_id,
        )
    if row.status not in STATUS:
        problems.add(where, "status", shorten(row.status), "success, failure or incomplete")
    return GameLog(
        row.image_id,
        tuple(qas),
        row.status,  # type: ignore[arg-type]
        index=row.index,
        target_category=row.target_category,
        target_center=row.target_center_xy_ybottom,
    )


def write_game_logs(games: Iterable[GameLog], path: str | Path) -> None:
    """Write each game in the layout whose fields it has."""
    write_lines(map(_row, games), path)


def _row(game: GameLog) -> dict[str, Any]:
    qas = [{"question": qa.question, "answer": qa.answer if qa.written is None else qa.written} for qa in game.qas]
    if game.target_id is None:
        return {
            "index": game.index,
            "qas": qas,
            "image_id": game.image_id,
            "target_category": game.target_category,
            "target_center_xy_ybottom": game.target_center,
            "status": game.status,
        }
    ids = {"image_id": game.image_id, "target_id": game.target_id, "guess_id": game.guess_id}
    row = {**ids, "success": game.status == "success", "qas": qas}
    return row if game.log is None else {"log": game.log, **row}


def _matches(sample: Sample) -> bool:
    fits = sample.has(LINES, "qas", "image_id") and bool(sample.keys & {"index", "guess_id"})
    return fits and "objects" not in sample.keys


def _describe(games: Sequence[GameLog]) -> str:
    status = Counter(game.status for game in games)
    parts = ", ".join(f"{status[name]:,} {name}" for name in STATUS if status[name])
    questions = sum(len(game.qas) for game in games)
    return f"{counted(len(games), 'game')}, {counted(questions, 'question')}, no object lists ({parts})"


def _notes(games: Sequence[GameLog]) -> tuple[str, ...]:
    notes = Notes()
    for number, game in enumerate(games, start=1):
        if not game.qas:
            notes.add("no question", f"game {number} of the file")
        if game.guess_id is not None and (game.guess_id == game.target_id) != (game.status == "success"):
            right = "right" if game.guess_id == game.target_id else "wrong"
            notes.add(f"{game.status}, but the guess is {right}", f"game {number} of the file")
    played = Counter((game.log, game.image_id, game.target_id) for game in games if game.target_id is not None)
    again = sum(count - 1 for count in played.values())
    if again:
        notes.add(f"{counted(again, 'game')} with the log, image and target of an earlier one")
    return notes.collect()


FORMAT = Format(
    name="game_logs",
    title="logs of GuessWhat?! games",
    matches=_matches,
    parse=parse_game_logs,
    describe=_describe,
    keys=lambda games: {"image": id_array(game.image_id for game in games)},
    write=write_game_logs,
)
