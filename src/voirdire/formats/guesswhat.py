"""GuessWhat?! games, JSON lines, of people and of models, in both released layouts.

    1  {"id", "image": {"id", "width", "height", "file_name"}, "objects": [{"id", "category", "category_id", "area",
        "bbox": [x, y, w, h]}], "object_id" (the target), "qas": [{"question", "answer", "id"}], "status"}
    2  {"dialogue_id", "picture": {"width", "height", "file_name"}, "picture_id", "objects": {id: …}, "object_id",
        "qas": [{"q", "a", "id"}], "status"}

A model's games add `guess_object_id`. The origin of a box is the upper left corner.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.formats.catalogue import Format, Sample
from voirdire.formats.ids import Id, duplicate_keys, id_array
from voirdire.formats.sink import write_lines
from voirdire.formats.source import Source, open_source
from voirdire.formats.strict import Problems, decode_lines

__all__ = [
    "FORMAT",
    "Game",
    "GameImage",
    "GameObject",
    "Qa",
    "normalise_answer",
    "parse_games",
    "read_games",
    "write_games",
]

Answer = Literal["yes", "no", "n/a"]
Status = Literal["success", "failure", "incomplete"]
Box = tuple[float, float, float, float]

WRITTEN: dict[str, str] = {"yes": "Yes", "no": "No", "n/a": "N/A"}
SLACK = 1.0  # Published boxes are rounded, so that some end a fraction of a pixel beyond the border.


class GameObject(msgspec.Struct, frozen=True):
    """A candidate: its box as x, y, width, height in pixels."""

    id: Id
    category: str
    category_id: Id
    area: float
    bbox: Box


class GameImage(msgspec.Struct, frozen=True):
    """The image that the game is about."""

    id: Id
    width: int
    height: int
    file_name: str | None = None


class Qa(msgspec.Struct, frozen=True):
    """A question and its answer; `written` keeps how the file spells the answer, where it came from a file."""

    question: str
    answer: Answer
    id: int | None = None
    written: str | None = None


class Game(msgspec.Struct, frozen=True):
    """One game. `guess_object_id` is there for games of models, and `status` is None where a file does not say it."""

    id: Id
    image: GameImage
    objects: tuple[GameObject, ...]
    target_id: Id
    qas: tuple[Qa, ...]
    status: Status | None
    guess_object_id: int | None = None


class _Qa1(msgspec.Struct):
    question: str
    answer: str
    id: int | None = None


class _Game1(msgspec.Struct):
    id: Id
    image: GameImage
    objects: list[GameObject]
    object_id: Id
    qas: list[_Qa1]
    status: str
    guess_object_id: int | None = None


class _Qa2(msgspec.Struct):
    question: str = msgspec.field(name="q")
    answer: str = msgspec.field(name="a")
    id: int | None = None


class _Picture(msgspec.Struct):
    width: int
    height: int
    file_name: str | None = None


class _Object2(msgspec.Struct):
    category: str
    category_id: Id
    area: float
    bbox: Box


class _Game2(msgspec.Struct):
    dialogue_id: Id
    picture: _Picture
    picture_id: Id
    objects: dict[Id, _Object2]
    object_id: Id
    qas: list[_Qa2]
    status: str | None = None
    guess_object_id: int | None = None


def normalise_answer(written: str) -> Answer | None:
    """yes, no or n/a, whatever the case; None for anything else."""
    text = written.strip().lower()
    return text if text in get_args(Answer) else None  # type: ignore[return-value]


def read_games(path: str | Path) -> tuple[Game, ...]:
    """Read GuessWhat?! games of either layout."""
    return parse_games(open_source(path))


def parse_games(source: Source) -> tuple[Game, ...]:
    """GuessWhat?! games from a file's bytes; the first line decides the layout."""
    line = source.data.lstrip().split(b"\n", 1)[0]
    type_: type[_Game1 | _Game2] = _Game2 if b'"dialogue_id"' in line else _Game1
    rows = decode_lines(source, type_)
    problems = Problems(source.name)
    if type_ is _Game2:
        _check_keys(source, problems)
    games = tuple(_game(row, problems) for row in rows)
    for id_, count in Counter(game.id for game in games).items():
        if count > 1:
            hint = "Some model dumps write 0 for every game; give each game its id." if id_ == 0 else ""
            problems.add(f"game {id_}", "id", f"{count} games with this id", "one", hint)
    problems.check()
    return games


def _check_keys(source: Source, problems: Problems) -> None:
    """Layout 2 keeps its objects by id, where a second one with the same id would be lost without a word."""
    for number, line in enumerate(source.data.split(b"\n"), start=1):
        for key in duplicate_keys(Source(source.name, line)) if line.strip() else ():
            problems.add(f"line {number}", key, "this key twice", "each key once")


def _game(row: _Game1 | _Game2, problems: Problems) -> Game:
    if isinstance(row, _Game1):
        id_, image, objects = row.id, row.image, tuple(row.objects)
    else:
        id_ = row.dialogue_id
        image = GameImage(row.picture_id, row.picture.width, row.picture.height, row.picture.file_name)
        objects = tuple(
            GameObject(key, one.category, one.category_id, one.area, one.bbox) for key, one in row.objects.items()
        )
    where = f"game {id_}"
    qas = []
    pairs: Sequence[_Qa1 | _Qa2] = row.qas
    for number, qa in enumerate(pairs, start=1):
        if (answer := normalise_answer(qa.answer)) is None:
            problems.add(f"{where}, question {number}", "answer", shorten(qa.answer), "Yes, No or N/A")
            answer = "n/a"
        qas.append(Qa(qa.question, answer, qa.id, qa.answer))
    if row.status is not None and row.status not in get_args(Status):
        problems.add(where, "status", shorten(row.status), "success, failure or incomplete")
    _check_objects(where, image, objects, problems)
    known = {one.id for one in objects}
    if row.object_id not in known:
        problems.add(where, "object_id", f"{row.object_id}, which is none of its {len(known)} objects", "one of them")
    if row.guess_object_id is not None and row.guess_object_id not in known:
        found = f"{row.guess_object_id}, which is none of its {len(known)} objects"
        problems.add(where, "guess_object_id", found, "one of them")
    status: Any = row.status
    return Game(id_, image, objects, row.object_id, tuple(qas), status, row.guess_object_id)


def _check_objects(where: str, image: GameImage, objects: Sequence[GameObject], problems: Problems) -> None:
    for id_, count in Counter(one.id for one in objects).items():
        if count > 1:
            problems.add(f"{where}, object {id_}", "id", f"{count} objects with this id", "one")
    if image.width < 1 or image.height < 1:
        problems.add(where, "image", f"{image.width} × {image.height} pixels", "a width and a height of at least 1")
        return
    for one in objects:
        x, y, width, height = one.bbox
        inside = x >= -SLACK and y >= -SLACK and x + width <= image.width + SLACK and y + height <= image.height + SLACK
        if not inside or width < 0 or height < 0:
            expected = f"a box [x, y, w, h] inside the image of {image.width} × {image.height} pixels"
            problems.add(f"{where}, object {one.id}", "bbox", str(list(one.bbox)), expected)


def write_games(games: Iterable[Game], path: str | Path, layout: Literal[1, 2] = 1) -> None:
    """Write games in the released layout 1 or 2; an answer is spelled as it was read, else Yes, No or N/A."""
    row = _row1 if layout == 1 else _row2
    write_lines(map(row, games), path)


def _row1(game: Game) -> dict[str, Any]:
    row = {
        "id": game.id,
        "image": {name: value for name, value in msgspec.structs.asdict(game.image).items() if value is not None},
        "objects": [{**msgspec.structs.asdict(one), "segment": []} for one in game.objects],
        "object_id": game.target_id,
        "qas": [_qa(qa, "question", "answer") for qa in game.qas],
    }
    return row | _outcome(game)


def _row2(game: Game) -> dict[str, Any]:
    picture = {"width": game.image.width, "height": game.image.height, "file_name": game.image.file_name}
    row = {
        "dialogue_id": game.id,
        "picture": {name: value for name, value in picture.items() if value is not None},
        "picture_id": game.image.id,
        "objects": {str(one.id): msgspec.structs.asdict(one) for one in game.objects},
        "object_id": game.target_id,
        "qas": [_qa(qa, "q", "a") for qa in game.qas],
    }
    return row | _outcome(game)


def _qa(qa: Qa, question: str, answer: str) -> dict[str, Any]:
    row = {question: qa.question, answer: WRITTEN[qa.answer] if qa.written is None else qa.written}
    return row if qa.id is None else row | {"id": qa.id}


def _outcome(game: Game) -> dict[str, Any]:
    outcome = {"status": game.status, "guess_object_id": game.guess_object_id}
    return {name: value for name, value in outcome.items() if value is not None}


def _matches(sample: Sample) -> bool:
    return sample.kind in ("lines", "object") and {"qas", "objects"} <= sample.keys


def _describe(games: Sequence[Game]) -> str:
    status = Counter(game.status or "of unknown outcome" for game in games)
    parts = ", ".join(f"{count:,} {name}" for name, count in sorted(status.items(), key=lambda one: -one[1]))
    questions = sum(len(game.qas) for game in games)
    text = f"{len(games):,} games, {questions:,} questions, {sum(len(game.objects) for game in games):,} objects"
    return f"{text} ({parts})" if parts else text


def _keys(games: Sequence[Game]) -> dict[str, np.ndarray]:
    return {"game": id_array(game.id for game in games), "image": id_array(game.image.id for game in games)}


def _notes(games: Sequence[Game]) -> Sequence[str]:
    notes = []
    for game in games:
        if not game.qas:
            notes.append(f"game {game.id} has no question")
        notes += [f"game {game.id}, object {one.id}: a box without area" for one in game.objects if not _area(one)]
        if game.guess_object_id is not None and game.status is not None:
            right = game.guess_object_id == game.target_id
            if right != (game.status == "success"):
                notes.append(f"game {game.id}: status {game.status}, but the guess is {'right' if right else 'wrong'}")
    return notes


def _area(one: GameObject) -> float:
    return one.bbox[2] * one.bbox[3]


FORMAT = Format(
    name="guesswhat",
    title="GuessWhat?! games",
    exams=("questions",),
    matches=_matches,
    parse=parse_games,
    describe=_describe,
    keys=_keys,
    notes=_notes,
)
