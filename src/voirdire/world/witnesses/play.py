"""Games played: a questioning witness asks, an oracle answers about the target, and a guesser names one thing.

All games go forward together, a turn at a time, so that an oracle answers many questions at once. Questions and guesses
depend on the seed, the game and the turn alone, never on the games beside it. A guesser sees the candidates, the
questions and the answers:

    consistent  one of the candidates that contradict the fewest answers, by chance; by the truth of the scene, or by
                the oracle's answers about every candidate where there is no scene
    random      any candidate, by chance, whatever the answers
    salient     the largest candidate, whatever the answers

Real games have no scenes: there an oracle must be named, and a player sees categories and boxes. Each of the three may
also be a function.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

import msgspec
import numpy as np

from voirdire.errors import UsageError, shorten
from voirdire.formats.guesswhat import ANSWERS, Answer, Game, GameObject, Qa
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.scenes import Scene, Thing
from voirdire.progress import Progress, silent
from voirdire.providers import Registry
from voirdire.world.scenes_oracle import ScenesOracle, check_scenes, true_answer
from voirdire.world.witnesses.answerers import seeded
from voirdire.world.witnesses.questioners import GameState, Questioner

LIMIT = 8
"""Questions per game, unless a caller says otherwise."""


class Guesser(Protocol):
    """Names a candidate."""

    name: str

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
    """Believes the answers: where all of them are true, it chooses among the candidates that fit them."""

    name = "consistent"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def guess(self, state: GameState) -> Thing:
        """One of those that contradict the fewest answers; an oracle that errs may leave none that contradicts none."""
        return self.among(
            state,
            [
                sum(true_answer(question, state.scene, thing) != answer for question, answer in state.qas)
                for thing in state.candidates
            ],
        )

    def among(self, state: GameState, wrong: Sequence[int]) -> Thing:
        """The same where it is known how many answers each candidate contradicts."""
        left = [thing for thing, count in zip(state.candidates, wrong, strict=True) if count == min(wrong)]
        return _chance(self.seed, state).choice(left)


class RandomGuess:
    """Ignores the answers."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def guess(self, state: GameState) -> Thing:
        """Any candidate."""
        return _chance(self.seed, state).choice(state.candidates)


class Salient:
    """Takes what catches the eye, whatever the answers."""

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


Ask = Callable[[GameState], str | None]
Guess = Callable[[GameState], Thing | int]
Say = Callable[[Game, str, GameObject], Answer]


@dataclass(frozen=True)
class _Function:
    """A function of a game, a question and an object as an oracle."""

    say: Say

    def answer(self, games: Sequence[Game], progress: Progress = silent) -> list[ObjectAnswers]:
        """What it says of every object."""
        answers = []
        for game in games:
            rows = [[self._code(game, qa.question, object_) for object_ in game.objects] for qa in game.qas]
            answers.append(ObjectAnswers(game.id, np.array(rows, np.int8).reshape(len(game.qas), len(game.objects))))
        return answers

    def _code(self, game: Game, question: str, object_: GameObject) -> int:
        answer = self.say(game, question, object_)
        if answer not in ANSWERS:
            raise UsageError(f"an oracle must answer yes, no or n/a, got {shorten(answer)} to {shorten(question)}")
        return ANSWERS.index(answer)


def play(
    questioner: Questioner | Ask,
    games: Iterable[Game],
    scenes: Mapping[int, Scene] | None = None,
    seed: int = 0,
    limit: int = LIMIT,
    source: str = "games",
    *,
    oracle: GameOracle | Say | None = None,
    guesser: Guesser | Guess | None = None,
    report: Progress = silent,
) -> list[Game]:
    """Play the games anew: their images, objects and targets stay, the questions, answers and guesses are new ones.

    questioner  who asks, or a function of a game's state that gives a question, or None to stop
    scenes      by image; None for real games
    limit       at most so many questions per game
    source      what an error calls the games
    oracle      who answers, or a function of a game, a question and an object; the truth of the scenes unless given
    guesser     who guesses, or a function of a state that gives a candidate or its id; `consistent`, with the seed,
                unless given
    report      gets the number of games that have had their last question
    """
    games = list(games)
    answerer = _answerer(oracle, scenes)
    if scenes is not None:
        check_scenes(games, scenes, source)
    guesser = guesser or make_guesser("consistent", seed)
    states = [_start(game, None if scenes is None else scenes[game.image.id]) for game in games]
    going: Iterable[int] = range(len(games))
    report(0, len(games))
    for _ in range(limit):
        asked = {place: question for place in going if (question := _question(questioner, states[place])) is not None}
        if not asked:
            break
        replies = answerer.answer([games[place].about_target(question) for place, question in asked.items()])
        for (place, question), reply in zip(asked.items(), replies, strict=True):
            answer = ANSWERS[int(reply.answers[0, 0])]
            states[place] = replace(states[place], qas=(*states[place].qas, (question, answer)))
        going = asked
        report(len(games) - len(asked), len(games))
    if scenes is None and isinstance(guesser, Consistent):
        guesses = _consistent(guesser, games, states, answerer)
    else:
        guesses = [_guess(guesser, state) for state in states]
    played = list(map(_finish, games, states, guesses))
    report(len(games), len(games))
    return played


def _answerer(oracle: GameOracle | Say | None, scenes: Mapping[int, Scene] | None) -> GameOracle:
    if oracle is None:
        if scenes is None:
            raise UsageError("there are no scenes (`scenes`), so that `oracle` must be one that does without the truth")
        return ScenesOracle(scenes)
    # A model that answers may well be callable, too.
    return oracle if hasattr(oracle, "answer") else _Function(oracle)


def _question(questioner: Questioner | Ask, state: GameState) -> str | None:
    question = questioner.ask(state) if hasattr(questioner, "ask") else questioner(state)
    if question is not None and (not isinstance(question, str) or not question.strip()):
        got = f"got {shorten(question)} in game {state.game_id}"
        raise UsageError(f"a questioner must ask, or give None to stop, {got}")
    return question


def _guess(guesser: Guesser | Guess, state: GameState) -> int:
    """The id of the candidate that is guessed."""
    guess = guesser.guess(state) if hasattr(guesser, "guess") else guesser(state)
    id_ = guess.id if isinstance(guess, Thing) else guess
    if id_ not in {thing.id for thing in state.candidates}:
        raise UsageError(f"a guesser must name a candidate or its id, got {shorten(guess)} in game {state.game_id}")
    return id_


def _consistent(
    guesser: Consistent, games: Sequence[Game], states: Sequence[GameState], oracle: GameOracle
) -> list[int]:
    """What `consistent` guesses by the oracle's own answers about every candidate."""
    replies = oracle.answer(list(map(_with_dialogue, games, states)))
    guesses = []
    for state, reply in zip(states, replies, strict=True):
        answers = np.array([ANSWERS.index(answer) for _, answer in state.qas], np.int64).reshape(-1, 1)
        wrong = (np.asarray(reply.answers)[: len(answers)] != answers).sum(axis=0)
        guesses.append(guesser.among(state, wrong.tolist()).id)
    return guesses


def _start(game: Game, scene: Scene | None) -> GameState:
    if scene is None:
        candidates = tuple(Thing(known.id, known.category, known.category_id, known.bbox, "") for known in game.objects)
    else:
        things = {thing.id: thing for thing in scene.things}
        candidates = tuple(things[object_.id] for object_ in game.objects)
    return GameState(game.id, scene, candidates, (), game.image, tuple(qa.question for qa in game.qas))


def _with_dialogue(game: Game, state: GameState) -> Game:
    # Without ids: those of the given game belong to its own questions.
    return msgspec.structs.replace(game, qas=tuple(Qa(question, answer) for question, answer in state.qas))


def _finish(game: Game, state: GameState, guess: int) -> Game:
    status = "success" if guess == game.target_id else "failure"
    return msgspec.structs.replace(_with_dialogue(game, state), status=status, guess_object_id=guess)
