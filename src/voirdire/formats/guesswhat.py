"""GuessWhat?! games, JSON lines, of people and of models, in both released layouts.

    1  {"id", "image": {"id", "width", "height", "file_name"}, "objects": [{"id", "category", "category_id", "area",
        "bbox": [x, y, w, h]}], "object_id" (the target), "qas": [{"question", "answer", "id"}], "status"}
    2  {"dialogue_id", "picture": {"width", "height", "file_name"}, "picture_id", "objects": {id: …}, "object_id",
        "qas": [{"q", "a", "id"}], "status"}

A game is an image with objects, one of which is the target, and the questions that were asked. A model's games add
`guess_object_id`. The origin of a box is the upper left corner. Segments, the addresses of images, and who played when
are not read.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import LINES, Format
from voirdire.formats.coco import COCO_NAMES, Box, GameImage, check_box
from voirdire.formats.documents import Id, Ignored, Unset, decode_each_line, given, id_array, named, parse_record
from voirdire.formats.files import Source, write_lines
from voirdire.formats.record import Notes, Rows
from voirdire.formats.strict import Problems, attempt, note_unknown, prune

Answer = Literal["yes", "no", "n/a"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)
Status = Literal["success", "failure", "incomplete"]
STATUS: tuple[Status, ...] = get_args(Status)


WRITTEN: dict[str, str] = {"yes": "Yes", "no": "No", "n/a": "N/A"}
_OFFICIAL = frozenset(COCO_NAMES.values())


class GameObject(msgspec.Struct, frozen=True):
    """A candidate: its box as x, y, width, height in pixels from the upper left corner."""

    id: Id
    category: str
    category_id: Id
    area: float
    bbox: Box


class Qa(msgspec.Struct, frozen=True):
    """A question and its answer; `written` keeps how the file spells the answer, where it came from a file."""

    question: str
    answer: Answer
    id: int | None = None
    written: str | None = None


class Game(msgspec.Struct, frozen=True):
    """One game. Games of models have `guess_object_id`; `status` is None where the file does not have it."""

    id: Id
    image: GameImage
    objects: tuple[GameObject, ...]
    target_id: Id
    qas: tuple[Qa, ...]
    status: Status | None
    guess_object_id: int | None = None

    @property
    def target(self) -> GameObject:
        """The object that is looked for."""
        return next(candidate for candidate in self.objects if candidate.id == self.target_id)

    def about_target(self, question: str) -> "Game":
        """A question as a game of its own with one object; the answer in it is a place that an oracle fills."""
        return msgspec.structs.replace(self, objects=(self.target,), qas=(Qa(question, "n/a"),))


class _Wire(msgspec.Struct, forbid_unknown_fields=True):
    """A part of a line; ignored fields are known and not read."""


class _Picture(_Wire):
    width: int
    height: int
    file_name: str | Unset = msgspec.UNSET
    coco_url: Ignored = msgspec.UNSET
    flickr_url: Ignored = msgspec.UNSET


class _Image(_Picture, kw_only=True):
    id: Id


class _Object(_Wire):
    category: str
    category_id: Id
    area: float
    bbox: Box
    id: Id | Unset = msgspec.UNSET
    segment: Ignored = msgspec.UNSET


class _Qa1(_Wire):
    question: str
    answer: str
    id: Id | Unset = msgspec.UNSET
    p: Ignored = msgspec.UNSET


class _Qa2(_Wire):
    question: str = msgspec.field(name="q")
    answer: str = msgspec.field(name="a")
    id: Id | Unset = msgspec.UNSET


class _Game(_Wire, kw_only=True):
    object_id: Id
    guess_object_id: Id | Unset = msgspec.UNSET
    timestamp: Ignored = msgspec.UNSET
    questioner_id: Ignored = msgspec.UNSET


class _Game1(_Game, kw_only=True):
    id: Id
    image: _Image
    objects: list[_Object]
    qas: list[_Qa1]
    status: str | Unset = msgspec.UNSET


class _Game2(_Game, kw_only=True):
    dialogue_id: Id
    picture: _Picture
    picture_id: Id
    objects: msgspec.Raw
    qas: list[_Qa2]
    status: str | Unset = msgspec.UNSET


class _Objects(msgspec.Struct):
    objects: dict[Id, Any]


def parse_games(source: Source) -> Rows[Game]:
    """GuessWhat?! games from a file's bytes; the first line decides the layout."""
    problems, unknown = Problems(source.name), Counter[str]()
    games: list[Game] = []
    if b'"dialogue_id"' in source.data.lstrip().split(b"\n", 1)[0]:
        for where, row2 in decode_each_line(source, _Game2, named(game="dialogue_id"), problems, unknown):
            games.append(_from_layout2(where, row2, problems, unknown))
    else:
        for where, row1 in decode_each_line(source, _Game1, named(game="id"), problems, unknown):
            games.append(_from_layout1(where, row1, problems))
    for id_, count in Counter(game.id for game in games).items():
        if count > 1:
            hint = "Some model dumps write 0 for every game; give each game its id." if id_ == 0 else ""
            problems.add(f"game {id_}", "id", f"{count} games with this id", "one", hint)
    problems.require(games, "game")
    if problems.total:
        _refuse_mixed_layouts(source)
    problems.check()
    return Rows(tuple(games), fingerprint=source.fingerprint, notes=note_unknown(unknown) + _notes(games))


def _refuse_mixed_layouts(source: Source) -> None:
    """Raise an error that names the first game of another layout than the file's first, if there is one."""
    layouts: dict[int, int] = {}
    for number, line in enumerate(source.data.splitlines(), start=1):
        layout = 2 if b'"dialogue_id"' in line else 1 if b'"image"' in line else 0
        if layout:
            layouts.setdefault(layout, number)
    if len(layouts) == 2:
        (first, _), (other, number) = layouts.items()
        expected = f"layout {first}, as the games before it"
        hint = "Put the games of each layout in a file of their own."
        raise source.fail(f"line {number}", "", f"a game of layout {other}", expected, hint)


def _from_layout1(where: str, row: _Game1, problems: Problems) -> Game:
    image = GameImage(row.image.id, row.image.width, row.image.height, given(row.image.file_name))
    place = f"{where}, game {row.id}"
    objects = []
    for number, item in enumerate(row.objects, start=1):
        if isinstance(item.id, Unset):
            problems.add(f"{place}, object {number}", "id", "nothing", "this field")
        else:
            objects.append(GameObject(item.id, item.category, item.category_id, item.area, item.bbox))
    return _check(place, Game(row.id, image, tuple(objects), row.object_id, (), None), row, problems)


def _from_layout2(where: str, row: _Game2, problems: Problems, unknown: Counter[str]) -> Game:
    picture, place = row.picture, f"{where}, game {row.dialogue_id}"
    image = GameImage(row.picture_id, picture.width, picture.height, given(picture.file_name))
    objects = []
    for id_, value in _objects_by_id(place, bytes(row.objects), problems).items():
        inside = f"{place}, object {id_}"
        item = attempt(prune(value, _Object, unknown, "objects."), _Object, inside, problems)
        if item is None:
            continue
        if given(item.id) not in (None, id_):
            problems.add(inside, "id", str(item.id), f"{id_}, its key")
        objects.append(GameObject(id_, item.category, item.category_id, item.area, item.bbox))
    return _check(place, Game(row.dialogue_id, image, tuple(objects), row.object_id, (), None), row, problems)


def _objects_by_id(place: str, text: bytes, problems: Problems) -> dict[int, Any]:
    parsed = parse_record(text, place, lambda value: f"{place}, objects", problems)
    if parsed is None:
        return {}
    wrapped = attempt({"objects": parsed[1]}, _Objects, place, problems)
    return {} if wrapped is None else wrapped.objects


def _check(place: str, game: Game, row: _Game1 | _Game2, problems: Problems) -> Game:
    """The game with its questions and its outcome."""
    qas = []
    pairs: Sequence[_Qa1 | _Qa2] = row.qas
    for number, qa in enumerate(pairs, start=1):
        answer = normalise_answer(qa.answer)
        if answer is None:
            problems.add(f"{place}, question {number}", "answer", shorten(qa.answer), "Yes, No or N/A")
        else:
            qas.append(Qa(qa.question, answer, given(qa.id), qa.answer))
    status: Any = given(row.status)
    if status is not None and status not in STATUS:
        problems.add(place, "status", shorten(status), ", ".join(STATUS[:-1]) + f" or {STATUS[-1]}")
    _check_objects(place, game.image, game.objects, problems)
    known = {item.id for item in game.objects}
    for name, id_ in (("object_id", row.object_id), ("guess_object_id", given(row.guess_object_id))):
        if id_ is not None and id_ not in known:
            problems.add(place, name, f"{id_}, which is none of its {counted(len(known), 'object')}", "one of them")
    return msgspec.structs.replace(game, qas=tuple(qas), status=status, guess_object_id=given(row.guess_object_id))


def normalise_answer(written: str) -> Answer | None:
    """yes, no or n/a, whatever the case; None for anything else."""
    text = written.strip().lower()
    return text if text in ANSWERS else None


def _check_objects(where: str, image: GameImage, objects: Sequence[GameObject], problems: Problems) -> None:
    """Note ids that occur twice, an image without extent, and boxes that leave it."""
    for id_, count in Counter(item.id for item in objects).items():
        if count > 1:
            problems.add(f"{where}, object {id_}", "id", f"{count} objects with this id", "one")
    if image.width < 1 or image.height < 1:
        problems.add(where, "image", f"{image.width} × {image.height} pixels", "a width and a height of at least 1")
        return
    for item in objects:
        check_box(f"{where}, object {item.id}", item.bbox, image, problems)


def _notes(games: Sequence[Game]) -> tuple[str, ...]:
    notes = Notes()
    for game in games:
        if not game.qas:
            notes.add("no question", f"game {game.id}")
        for item in game.objects:
            if item.bbox[2] * item.bbox[3] == 0:
                notes.add("a box without area", f"game {game.id}, object {item.id}")
        if game.guess_object_id is not None and game.status is not None:
            right = game.guess_object_id == game.target_id
            if right != (game.status == "success"):
                notes.add(f"status {game.status}, but the guess is {'right' if right else 'wrong'}", f"game {game.id}")
    categories = ((item.category, item.category_id) for game in games for item in game.objects)
    for (name, id_), count in Counter(categories).items():
        official = COCO_NAMES.get(id_)
        if name != official and (official is not None or name in _OFFICIAL):
            meant = f"which COCO calls {official!r}" if official is not None else "which COCO does not have"
            notes.add(f"{counted(count, 'object')} of category {shorten(name)} with the id {id_}, {meant}")
    return notes.collect()


def write_games(games: Iterable[Game], path: str | Path, layout: Literal[1, 2] = 1) -> None:
    """Write games in the released layout 1 or 2; an answer is spelled as it was read, else Yes, No or N/A."""
    write_lines(map(_row1 if layout == 1 else _row2, games), path)


def _row1(game: Game) -> dict[str, Any]:
    return {
        "id": game.id,
        "image": game.image,
        "objects": [{**msgspec.structs.asdict(item), "segment": []} for item in game.objects],
        "object_id": game.target_id,
        "qas": [_qa(qa, "question", "answer") for qa in game.qas],
        **_outcome(game),
    }


def _row2(game: Game) -> dict[str, Any]:
    picture = msgspec.to_builtins(game.image)
    return {
        "dialogue_id": game.id,
        "picture_id": picture.pop("id"),
        "picture": picture,
        "objects": {str(item.id): item for item in game.objects},
        "object_id": game.target_id,
        "qas": [_qa(qa, "q", "a") for qa in game.qas],
        **_outcome(game),
    }


def _qa(qa: Qa, question: str, answer: str) -> dict[str, Any]:
    row = {question: qa.question, answer: WRITTEN[qa.answer] if qa.written is None else qa.written}
    return row if qa.id is None else row | {"id": qa.id}


def _outcome(game: Game) -> dict[str, Any]:
    outcome = {"status": game.status, "guess_object_id": game.guess_object_id}
    return {name: value for name, value in outcome.items() if value is not None}


def _describe(games: Rows[Game]) -> str:
    status = Counter(game.status or "of unknown outcome" for game in games)
    parts = ", ".join(f"{count:,} {name}" for name, count in sorted(status.items(), key=lambda pair: -pair[1]))
    questions, objects = sum(len(game.qas) for game in games), sum(len(game.objects) for game in games)
    return f"{counted(len(games), 'game')}, {counted(questions, 'question')}, {counted(objects, 'object')} ({parts})"


def _keys(games: Rows[Game]) -> dict[str, np.ndarray]:
    keys = {"game": id_array(game.id for game in games), "image": id_array(game.image.id for game in games)}
    questions = {qa.id for game in games for qa in game.qas}
    if None not in questions and len(questions) == sum(len(game.qas) for game in games):
        keys["game question"] = id_array(questions)
    return keys


FORMAT = Format(
    name="guesswhat",
    title="GuessWhat?! games",
    fields=("id", "image", "objects", "object_id", "qas", "status"),
    matches=lambda sample: sample.has(LINES, "qas", "objects"),
    parse=parse_games,
    describe=_describe,
    keys=_keys,
    write=write_games,
)

read_games = FORMAT.read
"""Read GuessWhat?! games of either layout."""
