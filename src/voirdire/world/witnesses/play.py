"""Games played: a questioning witness asks, an oracle answers about the target, and a guesser names one thing.

All games go forward together, a turn at a time, so that an oracle answers many questions at once. What is asked and
guessed depends on the seed, the game and the turn alone, never on the games beside it. A guesser sees the candidates,
the questions and the answers:

    consistent  one of the candidates that contradict the fewest answers, by chance
    random      any candidate, by chance, whatever was said
    salient     the largest candidate, whatever was said
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Protocol

import msgspec

from voirdire.formats.guesswhat import Game, Qa
from voirdire.formats.guesswhat import ANSWERS
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.scenes import Scene, Thing
from voirdire.progress import Progress, silent
from voirdire.providers import Registry
from voirdire.world.oracle import ScenesOracle, check_scenes, true_answer
from voirdire.world.witnesses.answerer import seeded
from voirdire.world.witnesses.questioners import GameState, Questioner

__all__ = ["GUESSERS", "LIMIT", "GameOracle", "Guesser", "make_guesser", "play"]

LIMIT = 8
"""Questions per game, unless a caller says otherwise."""


class Guesser(Protocol):
    """Names a candidate."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        ...

    def guess(self, state: GameState) -> Thing:
        """The candidate that it takes for the target."""
        ...


GUESSERS: Registry[Guesser] = Registry("guesser", "voirdire.guessers")


def make_guesser(name: str, seed: int = 0) -> Guesser:
    """The guesser of this name; UsageError where there is none."""
    return GUESSERS.make(f"{name}:{seed}")


def _chance(seed: int, state: GameState) -> Random:
    return Random(f"{seed}/{state.game_id}/guess")


class Consistent:
    """Believes what it was told: where all answers were true, it chooses among the candidates that fit all of them."""

    name = "consistent"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def guess(self, state: GameState) -> Thing:
        """One of those that contradict the fewest answers; an oracle that errs may leave none that contradicts none."""
        wrong = [
            sum(true_answer(question, state.scene, thing) != answer for question, answer in state.qas)
            for thing in state.candidates
        ]
        left = [thing for thing, count in zip(state.candidates, wrong, strict=True) if count == min(wrong)]
        return _chance(self.seed, state).choice(left)


class RandomGuess:
    """Does not listen to what was said."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def guess(self, state: GameState) -> Thing:
        """Any candidate."""
        return _chance(self.seed, state).choice(state.candidates)


class Salient:
    """Takes what catches the eye, whatever was said."""

    name = "salient"

    def guess(self, state: GameState) -> Thing:
        """The candidate with the largest box; of equal ones the first."""
        return max(state.candidates, key=lambda thing: thing.bbox[2] * thing.bbox[3])


GUESSERS.register("consistent")(seeded(Consistent))
GUESSERS.register("random")(seeded(RandomGuess))
GUESSERS.register("salient")(lambda argument: Salient())


class GameOracle(Protocol):
    """What play needs of an oracle: the answers to each game's questions for each of its objects."""

    def answer(self, games: Sequence[Game], progress: Progress = silent, /) -> list[ObjectAnswers]:
        """One record per game, in order."""
        ...


def play(
    questioner: Questioner,
    games: Iterable[Game],
    scenes: Mapping[int, Scene],
    seed: int = 0,
    limit: int = LIMIT,
    source: str = "games",
    *,
    oracle: GameOracle | None = None,
    guesser: Guesser | None = None,
    report: Progress = silent,
) -> list[Game]:
    """Play the games anew: their images, objects and targets stay, the questions, answers and guesses are new ones.

    limit    at most so many questions per game
    source   what an error calls the games
    oracle   who answers; the truth unless given
    guesser  who guesses; `consistent`, with the seed, unless given
    report   told games in which the last question was asked
    """
    games = list(games)
    check_scenes(games, scenes, source)
    oracle = oracle or ScenesOracle(scenes)
    guesser = guesser or make_guesser("consistent", seed)
    states = [_start(game, scenes[game.image.id]) for game in games]
    going: Iterable[int] = range(len(games))
    report(0, len(games))
    for _ in range(limit):
        said = {place: question for place in going if (question := questioner.ask(states[place])) is not None}
        if not said:
            break
        given = oracle.answer([_about_target(games[place], question) for place, question in said.items()])
        for (place, question), one in zip(said.items(), given, strict=True):
            answer = ANSWERS[int(one.answers[0, 0])]
            states[place] = replace(states[place], qas=(*states[place].qas, (question, answer)))
        going = said
        report(len(games) - len(said), len(games))
    played = [_finish(game, state, guesser) for game, state in zip(games, states, strict=True)]
    report(len(games), len(games))
    return played


def _start(game: Game, scene: Scene) -> GameState:
    things = {thing.id: thing for thing in scene.things}
    return GameState(game.id, scene, tuple(things[one.id] for one in game.objects))


def _about_target(game: Game, question: str) -> Game:
    """The question as a game of its own with one object; the answer in it is a place that the oracle fills."""
    target = tuple(one for one in game.objects if one.id == game.target_id)
    return msgspec.structs.replace(game, objects=target, qas=(Qa(question, "n/a"),))


def _finish(game: Game, state: GameState, guesser: Guesser) -> Game:
    guess = guesser.guess(state).id
    # Without ids: those of the given game belong to its own questions.
    qas = tuple(Qa(question, answer) for question, answer in state.qas)
    status = "success" if guess == game.target_id else "failure"
    return msgspec.structs.replace(game, qas=qas, status=status, guess_object_id=guess)
