"""What surrounds the items of runs, from files beside them: dialogues, questions, games, scenes.

A run holds what was scored and not what it was scored on. These files fill that in, where they are given: each is
recognised by its content. A file that tells nothing about items is refused, and so are two files that ask one question
in two ways, since nobody could say which of them the model was asked. There may be several dialogues about an image.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from voirdire.errors import InputError, Problem, shorten
from voirdire.formats.catalogue import detect
from voirdire.formats.games import Game
from voirdire.formats.scenes import Scene
from voirdire.formats.source import Source, open_source
from voirdire.formats.visdial import VisDial
from voirdire.formats.visdial_text import VisDialText
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.robustness.noise import PARTITIONS
from voirdire.scorekeeping.dialogues import Dialogue, Dialogues, from_text, from_visdial

__all__ = ["CLEAN", "CONTROL", "Context", "read_context", "tells_of_items"]

CLEAN, CONTROL = "clean", "control"

EXPECTED = "dialogues (visdial, visdial_text), questions (vqa_questions), games (guesswhat) or scenes (scenes)"
HINT = "A report takes from other files only what its runs do not hold themselves."

CONDITIONS = {
    CLEAN: CLEAN,
    **{str(number): f"partition{number}" for number in range(1, PARTITIONS + 1)},
    **{f"{CONTROL}{number}": CONTROL for number in range(1, PARTITIONS + 1)},
}
"""What files of questions say of their noise, and what a run's columns call it."""


@dataclass(frozen=True, eq=False)
class Context:
    """What is known of the items of runs; all of it may be empty.

    dialogues  the files of dialogues, in the order in which they were given
    questions  VQA questions by condition (`clean`, `partition1`, …, `control`) and id, as they were asked there
    games      by their id
    scenes     by the id of their image
    """

    dialogues: tuple[Dialogues, ...] = ()
    questions: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    games: Mapping[int, Game] = field(default_factory=dict)
    scenes: Mapping[int, Scene] = field(default_factory=dict)

    @cached_property
    def _by_image(self) -> dict[int, list[Dialogue]]:
        found: dict[int, list[Dialogue]] = {}
        for file in self.dialogues:
            for one in file:
                found.setdefault(one.image_id, []).append(one)
        return found

    def dialogue(self, image_id: int, asks: tuple[int, str] | None = None) -> Dialogue | None:
        """The first dialogue about an image; with `asks`, the first that has this question in this round, from 0."""
        for one in self._by_image.get(image_id, ()):
            asked = (*(question for question, _ in one.rounds), one.pending)
            if asks is None or (asks[0] < len(asked) and asked[asks[0]] == asks[1]):
                return one
        return None

    def question(self, question_id: int, condition: str = CLEAN) -> str | None:
        """A VQA question as it was asked in this condition."""
        return self.questions.get(condition, {}).get(question_id)


def read_context(paths: Iterable[str | Path]) -> Context:
    """Read files of any of the kinds that a report can use; any other is an error that says what it is."""
    made = _Made()
    for path in paths:
        source = open_source(path)
        format_ = detect(source)
        take = TAKERS.get(format_.name)
        if take is None:
            raise source.fail("", "", f"{format_.title} ({format_.name})", EXPECTED, HINT)
        take(made, source, format_.parse(source))
    return Context(tuple(made.dialogues), made.questions, made.games, made.scenes)


def tells_of_items(path: str | Path) -> bool:
    """Whether a file is of one of the kinds that `read_context` takes."""
    try:
        return detect(open_source(path)).name in TAKERS
    except InputError:
        return False


@dataclass
class _Made:
    """The context while its files are read; `given` says which file gave an item, for messages."""

    dialogues: list[Dialogues] = field(default_factory=list)
    questions: dict[str, dict[int, str]] = field(default_factory=dict)
    games: dict[int, Game] = field(default_factory=dict)
    scenes: dict[int, Scene] = field(default_factory=dict)
    given: dict[tuple[str, Any], str] = field(default_factory=dict)

    def put(self, items: dict[Any, Any], key: Any, value: Any, source: Source, what: str, of: str = "") -> None:
        """Note one item; the same again is fine, another one of the same name is not."""
        kind = f"{what} {of}"
        if key not in items:
            items[key] = value
            self.given[kind, key] = source.name
        elif items[key] != value:
            other = self.given[kind, key]
            found = f"{shorten(value)}, and {shorten(items[key])} in {other}"
            hint = "Give only the files that the models of this report were asked."
            where = f"{what} {key}{', ' + of if of else ''}"
            raise InputError(source.name, [Problem(where, "", found, "the same in both files", hint)])


def _take_dialogues(made: _Made, source: Source, record: VisDial | VisDialText) -> None:
    made.dialogues.append(from_visdial(record) if isinstance(record, VisDial) else from_text(record))


def _take_questions(made: _Made, source: Source, record: VqaQuestions) -> None:
    condition = _condition(source, record)
    texts = made.questions.setdefault(condition, {})
    for id_, text in zip(record.question_ids.tolist(), record.questions, strict=True):
        made.put(texts, id_, text, source, "question", condition)


def _condition(source: Source, record: VqaQuestions) -> str:
    """What a file's own block says of its noise, as `robustness perturb` writes it; without such a word it is clean."""
    info = record.meta.get("info")
    said = info.get("partition") if isinstance(info, dict) else None
    if said is None:
        return CLEAN
    if str(said) not in CONDITIONS:
        raise source.fail("", "info.partition", shorten(said), f"one of {', '.join(CONDITIONS)}")
    return CONDITIONS[str(said)]


def _take_games(made: _Made, source: Source, record: Iterable[Game]) -> None:
    for game in record:
        # Several models play the same game: what is asked differs, what is on the image does not.
        made.games.setdefault(game.id, game)


def _take_scenes(made: _Made, source: Source, record: Iterable[Scene]) -> None:
    for scene in record:
        made.put(made.scenes, scene.id, scene, source, "scene")


TAKERS: dict[str, Callable[[_Made, Source, Any], None]] = {
    "visdial": _take_dialogues,
    "visdial_text": _take_dialogues,
    "vqa_questions": _take_questions,
    "guesswhat": _take_games,
    "scenes": _take_scenes,
}
