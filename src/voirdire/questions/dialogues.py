"""One shape for what is examined, whichever layout it came in: a dialogue with every answer to its questions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import ANSWERS, Game, Status
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.questions.reference_sets import Turn, follow

__all__ = ["AnyGame", "Dialogue", "cut", "dialogues"]

AnyGame = TypeVar("AnyGame", Game, TwentyQuestionsGame)


@dataclass(frozen=True, eq=False)
class Dialogue:
    """A game with every answer.

    status    how it ended; where the game does not say it, its guess does
    objects   the candidates' ids, or their names in 20 questions
    target    the place of the target among them
    recorded  the answers of the dialogue, places in ANSWERS; None where the layout does not hold them
    answers   int8[questions, objects], places in ANSWERS
    ties      how many of the answers were drawn between classes of the same score
    """

    game_id: int
    image_id: int | None
    status: Status | None
    objects: tuple[int, ...] | tuple[str, ...]
    target: int
    questions: tuple[str, ...]
    recorded: tuple[int, ...] | None
    answers: npt.NDArray[np.int8]
    ties: int = 0

    def turns(self, recorded: bool) -> list[Turn]:
        """What each question left over, by the oracle's answer about the target or by the recorded one."""
        if not recorded:
            return follow(self.answers, self.target, self.answers[:, self.target].tolist())
        if self.recorded is None:
            raise UsageError("--answers recorded: games of 20 questions do not hold the answers that were given")
        return follow(self.answers, self.target, self.recorded)


def cut(games: Sequence[AnyGame], questions: int | None) -> Rows[AnyGame]:
    """The games with their first questions only; outcome, guess and the file's fingerprint stay."""
    rows = games if isinstance(games, Rows) else Rows(tuple(games))
    if questions is None:
        return rows
    return replace(rows, rows=tuple(_cut_one(game, questions) for game in rows))


def _cut_one(game: AnyGame, questions: int) -> AnyGame:
    if isinstance(game, Game):
        return msgspec.structs.replace(game, qas=game.qas[:questions])
    return replace(game, questions=game.questions[:questions], answers=game.answers[:questions])


def dialogues(
    games: Sequence[Game] | Sequence[TwentyQuestionsGame], answers: Sequence[ObjectAnswers] | None
) -> list[Dialogue]:
    """The games with their answers; games of 20 questions carry these themselves."""
    first = next(iter(games), None)
    if isinstance(first, TwentyQuestionsGame):
        if answers is not None:
            raise ValueError("answers: games of 20 questions carry their own; None is expected")
        return [_carried(game) for game in cast("Sequence[TwentyQuestionsGame]", games)]
    if answers is None or len(answers) != len(games):
        came = "none" if answers is None else str(len(answers))
        raise ValueError(f"answers: {came} came for {len(games)} games; one record a game is needed, in their order")
    return [_answered(game, given) for game, given in zip(cast("Sequence[Game]", games), answers, strict=True)]


def _carried(game: TwentyQuestionsGame) -> Dialogue:
    return Dialogue(
        game.id, None, None, game.candidates, game.target_index, game.questions, None, game.answers.astype(np.int8)
    )


def _answered(game: Game, given: ObjectAnswers) -> Dialogue:
    asked, objects = len(game.qas), tuple(one.id for one in game.objects)
    codes = np.asarray(given.answers)
    if given.game_id != game.id:
        raise ValueError(f"answers: a record of game {given.game_id} stands where game {game.id} is")
    if codes.ndim != 2 or len(codes) < asked or codes.shape[1] != len(objects):
        raise ValueError(f"answers: game {game.id} has shape {codes.shape}, expected {(asked, len(objects))}")
    if codes.size and not 0 <= codes.min() <= codes.max() < len(ANSWERS):
        raise ValueError(f"answers: game {game.id} has codes beyond 0 to {len(ANSWERS) - 1}")
    recorded = tuple(ANSWERS.index(qa.answer) for qa in game.qas)
    questions = tuple(qa.question for qa in game.qas)
    place = objects.index(game.target_id)
    status = game.status
    if status is None and game.guess_object_id is not None:
        status = "success" if game.guess_object_id == game.target_id else "failure"
    return Dialogue(game.id, game.image.id, status, objects, place, questions, recorded, codes[:asked], given.ties)
