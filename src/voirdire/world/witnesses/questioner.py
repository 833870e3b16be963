"""What a questioning witness is: it sees the candidates of a GuessWhat?! game and asks until it makes its guess."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from voirdire.formats.guesswhat import Answer
from voirdire.formats.scenes import Scene, Thing
from voirdire.providers import Registry
from voirdire.world.meaning import Meaning
from voirdire.world.oracle import true_answer
from voirdire.world.understand import understand

__all__ = ["QUESTIONERS", "GameState", "Questioner", "asked", "make_questioner", "remaining"]


@dataclass(frozen=True, slots=True)
class GameState:
    """A game so far.

    candidates  the things one of which is the target
    qas         the questions asked and their answers: yes, no or n/a
    """

    game_id: int
    scene: Scene
    candidates: tuple[Thing, ...]
    qas: tuple[tuple[str, Answer], ...] = ()

    def rng(self, seed: int, use: str) -> Random:
        """Chance that depends on the seed, the game and the turn alone."""
        return Random(f"{seed}/{self.game_id}/{len(self.qas)}/{use}")


class Questioner(Protocol):
    """Asks, or stops."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        ...

    def ask(self, state: GameState) -> str | None:
        """The next question; None to stop and guess."""
        ...


QUESTIONERS: Registry[Questioner] = Registry("questioning witness", "voirdire.questioners")


def make_questioner(name: str, seed: int = 0) -> Questioner:
    """The questioning witness of this name; UsageError where there is none."""
    return QUESTIONERS.make(f"{name}:{seed}")


def remaining(state: GameState) -> list[Thing]:
    """RS_t = {o ∈ RS_{t−1} : A(q_t, o) = a_t}: the candidates that fit all answers so far."""
    left: Sequence[Thing] = state.candidates
    for question, answer in state.qas:
        left = [thing for thing in left if true_answer(question, state.scene, thing) == answer]
    return list(left)


def asked(state: GameState) -> set[Meaning | None]:
    """What has been asked."""
    return {understand(question) for question, _ in state.qas}
