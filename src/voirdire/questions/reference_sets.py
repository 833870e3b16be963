"""What each question of a game left over, and what it referred to; from one shape of game with every answer.

    RS_0 = all objects;  RS_t = {o ∈ RS_{t−1} : A(q_t, o) = a_t}
    q_t is effective            iff RS_t and RS_{t−1} differ in an object other than the target
    q_t is referring to o       iff A(q_t, o) = yes and A(q_t, p) = no for every other object p of the image

A(q, o)  what the oracle says of object o; n/a is an answer like the other two, and so is any other ("sometimes"). By
         choice these exclude nobody: then RS_t keeps the objects with such an answer, and all where a_t is such a one.
a_t      A(q_t, target), or the answer that was recorded in the dialogue. With the first the target is in every RS_t, so
         that "differ in an object other than the target" is the published RS_t ≠ RS_{t−1}. With the second the target
         itself can drop out, which is no merit of the question. (effective-questions, §3.2.)

A set of objects is an integer, bit i for object i, so that any number of objects fits and a set costs one operation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar, cast

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import ANSWERS, Game, Status
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import TwentyQuestionsGame

AnyGame = TypeVar("AnyGame", Game, TwentyQuestionsGame)

YES, NO = ANSWERS.index("yes"), ANSWERS.index("no")


class Turn(NamedTuple):
    """What one question did.

    left         RS_t as a mask
    distractors  how many objects of RS_t are not the target
    effective    whether it excluded a distractor
    refers_to    the place of the object that it refers to, the target or another; None where there is none
    target_left  whether the target is in RS_t
    """

    left: int
    distractors: int
    effective: bool
    refers_to: int | None
    target_left: bool


def follow(answers: npt.NDArray[np.integer], target: int, given: Sequence[int], keep: bool = False) -> list[Turn]:
    """The turns of one dialogue.

    answers  whole numbers [questions, objects]: places in ANSWERS, or behind them for any other answer
    target   the target's place among the objects
    given    a_t of every question, a place likewise
    keep     whether answers beyond ANSWERS exclude nobody
    """
    questions, objects = answers.shape
    everything, the_target = (1 << objects) - 1, 1 << target
    asked = np.asarray(given[:questions], dtype=np.int64).reshape(questions, 1)
    stays = answers == asked
    if keep:
        stays |= (answers >= len(ANSWERS)) | (asked >= len(ANSWERS))
    left = everything
    turns = []
    for kept, yes, no in zip(_masks(stays), _masks(answers == YES), _masks(answers == NO), strict=True):
        now = left & kept
        excluded = (left ^ now) & ~the_target
        # The only object with the answer yes, where all others have no.
        referred = yes.bit_length() - 1 if yes.bit_count() == 1 and no == everything ^ yes else None
        turns.append(Turn(now, (now & ~the_target).bit_count(), excluded != 0, referred, now & the_target != 0))
        left = now
    return turns


def members(mask: int) -> list[int]:
    """The places of the objects in a set."""
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _masks(holds: npt.NDArray[np.bool_]) -> list[int]:
    """Of each question a mask: bit i where it holds of object i."""
    packed = np.packbits(holds, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


@dataclass(frozen=True, eq=False)
class AnsweredGame:
    """A game with every answer.

    status      how it ended; where the game does not say it, its guess does
    objects     the candidates' ids, or their names in 20 questions
    target      the place of the target among them
    recorded    the answers of the dialogue, places in ANSWERS; None where the layout does not hold them
    answers     whole numbers [questions, objects], places in `vocabulary`
    ties        how many of the answers were drawn between classes of the same score
    vocabulary  ANSWERS, then what else is answered in this game
    """

    game_id: int
    image_id: int | None
    status: Status | None
    objects: tuple[int, ...] | tuple[str, ...]
    target: int
    questions: tuple[str, ...]
    recorded: tuple[int, ...] | None
    answers: npt.NDArray[np.integer]
    ties: int = 0
    vocabulary: tuple[str, ...] = ANSWERS

    def turns(self, recorded: bool, keep: bool = False) -> list[Turn]:
        """What each question left over, by the oracle's answer about the target or by the recorded one.

        keep  whether answers beyond yes, no and n/a exclude nobody
        """
        if not recorded:
            return follow(self.answers, self.target, self.answers[:, self.target].tolist(), keep)
        if self.recorded is None:
            raise UsageError(
                "`answers` cannot be recorded: games of 20 questions do not hold the answers that were given"
            )
        return follow(self.answers, self.target, self.recorded, keep)


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


def answered_games(
    games: Sequence[Game] | Sequence[TwentyQuestionsGame], answers: Sequence[ObjectAnswers] | None
) -> list[AnsweredGame]:
    """The games with their answers; games of 20 questions carry these themselves."""
    first = next(iter(games), None)
    if isinstance(first, TwentyQuestionsGame):
        if answers is not None:
            raise ValueError("`answers` must be None: games of 20 questions carry their own")
        return [_carried(game) for game in cast("Sequence[TwentyQuestionsGame]", games)]
    if answers is None or len(answers) != len(games):
        got = "none" if answers is None else str(len(answers))
        raise ValueError(f"`answers` must hold one record per game, {len(games)}, in their order, got {got}")
    return [_answered(game, given) for game, given in zip(cast("Sequence[Game]", games), answers, strict=True)]


def _carried(game: TwentyQuestionsGame) -> AnsweredGame:
    asked = (game.candidates, game.target_index, game.questions, None, game.answers)
    return AnsweredGame(game.id, None, game.status, *asked, vocabulary=game.vocabulary)


def _answered(game: Game, given: ObjectAnswers) -> AnsweredGame:
    asked, objects = len(game.qas), tuple(candidate.id for candidate in game.objects)
    codes = np.asarray(given.answers)
    if given.game_id != game.id:
        raise ValueError(f"`answers` must be in the order of the games, got game {given.game_id} for game {game.id}")
    if codes.ndim != 2 or len(codes) < asked or codes.shape[1] != len(objects):
        raise ValueError(f"`answers` of game {game.id} must have shape {(asked, len(objects))}, got {codes.shape}")
    if codes.size and not 0 <= codes.min() <= codes.max() < len(ANSWERS):
        raise ValueError(f"`answers` of game {game.id} must be codes from 0 to {len(ANSWERS) - 1}")
    recorded = tuple(ANSWERS.index(qa.answer) for qa in game.qas)
    questions = tuple(qa.question for qa in game.qas)
    place = objects.index(game.target_id)
    status = game.status
    if status is None and game.guess_object_id is not None:
        status = "success" if game.guess_object_id == game.target_id else "failure"
    return AnsweredGame(game.id, game.image.id, status, objects, place, questions, recorded, codes[:asked], given.ties)
