"""Who guesses at the end of a game: it sees the candidates, the questions and the answers, and names one thing.

consistent  one of the candidates that contradict the fewest answers, by chance
random      any candidate, by chance, whatever was said
salient     the largest candidate, whatever was said
"""

from random import Random
from typing import Protocol

from voirdire.formats.scenes import Thing
from voirdire.providers import Registry
from voirdire.world.oracle import true_answer
from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.questioner import GameState

__all__ = ["GUESSERS", "Consistent", "Guesser", "RandomGuess", "Salient", "make_guesser"]


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
    """Does not listen."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def guess(self, state: GameState) -> Thing:
        """Any candidate."""
        return _chance(self.seed, state).choice(state.candidates)


class Salient:
    """Takes what catches the eye."""

    name = "salient"

    def guess(self, state: GameState) -> Thing:
        """The candidate with the largest box; of equal ones the first."""
        return max(state.candidates, key=lambda thing: thing.bbox[2] * thing.bbox[3])


@GUESSERS.register("consistent")
def _consistent(argument: str | None) -> Consistent:
    return Consistent(seed_from(argument))


@GUESSERS.register("random")
def _random(argument: str | None) -> RandomGuess:
    return RandomGuess(seed_from(argument))


@GUESSERS.register("salient")
def _salient(argument: str | None) -> Salient:
    return Salient()
