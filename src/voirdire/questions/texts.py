"""The questions of a file of games, whatever its layout.

guesswhat, game_logs                      games of people and of models, with and without objects
twenty_questions, twenty_questions_text   games of 20 questions
history_questions, oracle_qa              questions alone, with and without the game that they are from
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from voirdire.errors import UsageError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source

__all__ = ["QuestionTexts", "read_texts"]


@dataclass(frozen=True)
class QuestionTexts:
    """Questions in the order of the file, with the game of each and its turn, from 1.

    game_ids   a game has its id in the file, or its number there, from 1, where it has none
    image_ids  None where a file does not say them
    games      how many games there are, also without a question
    """

    game_ids: tuple[int, ...]
    image_ids: tuple[int | None, ...]
    turns: tuple[int, ...]
    questions: tuple[str, ...]
    games: int
    fingerprint: str = ""

    def __len__(self) -> int:
        return len(self.questions)


Row = tuple[int, int | None, Sequence[str]]
"""A game's id, its image's, and its questions."""


def read_texts(path: str) -> QuestionTexts:
    """The questions of a file of any layout that has some."""
    source = open_source(path)
    format_ = detect(source)
    if format_.name not in _ROWS:
        known = ", ".join(_ROWS)
        raise UsageError(f"{path} holds {format_.title}, which are no questions of games; such are: {known}")
    rows = list(_ROWS[format_.name](format_.parse(source)))
    asked = [(game, image, turn, text) for game, image, texts in rows for turn, text in enumerate(texts, start=1)]
    games, images, turns, questions = zip(*asked, strict=True) if asked else ((), (), (), ())
    return QuestionTexts(games, images, turns, questions, len(rows), source.fingerprint)


def _games(record: Any) -> Iterator[Row]:
    for game in record:
        yield game.id, game.image.id, [qa.question for qa in game.qas]


def _logs(record: Any) -> Iterator[Row]:
    for number, game in enumerate(record, start=1):
        id_ = number if game.index is None else game.index
        yield id_, game.image_id, [qa.question for qa in game.qas]


def _twenty(record: Any) -> Iterator[Row]:
    for game in record:
        yield game.id, None, game.questions


def _twenty_text(record: Any) -> Iterator[Row]:
    for game in record:
        yield game.id, None, [question for question, _ in game.turns]


def _history(record: Any) -> Iterator[Row]:
    texts: dict[int, list[str]] = {}
    for game, question in zip(record.game_ids.tolist(), record.questions, strict=True):
        texts.setdefault(game, []).append(question)
    for game, questions in texts.items():
        yield game, None, questions


def _alone(record: Any) -> Iterator[Row]:
    for number, one in enumerate(record, start=1):
        yield number, None, [one.question]


_ROWS: dict[str, Callable[[Any], Iterable[Row]]] = {
    "guesswhat": _games,
    "game_logs": _logs,
    "twenty_questions": _twenty,
    "twenty_questions_text": _twenty_text,
    "history_questions": _history,
    "oracle_qa": _alone,
}
