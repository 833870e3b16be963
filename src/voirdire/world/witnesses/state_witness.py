"""What a witness for states is: it hears a dialogue about a scene and has a state after every turn.

    float32[turns, WIDTH]      turn 0 is the caption

A topic of the dialogue (see `state_claims`) has two numbers of the state: is it so, and has it been said? The topics of
the survey have places of their own; any other topic has one that a hash of it says, so that two may share it. The last
number is 1 after every turn, so that no state is all zeros: zeros stand for turns that a dialogue does not have.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np

from voirdire.formats.scenes import Scene
from voirdire.providers import Registry
from voirdire.world.survey import QUESTIONS
from voirdire.world.witnesses.state_claims import topic_of

__all__ = [
    "STATE_WITNESSES",
    "TOPICS",
    "WIDTH",
    "Heard",
    "Role",
    "StateWitness",
    "empty",
    "make_state_witness",
    "place_of",
]

Role = Literal["A", "Q"]
TOPICS = 128
WIDTH = 2 * TOPICS + 1

_OWN = {topic_of(meaning): place for place, meaning in enumerate(QUESTIONS.values())}


@dataclass(frozen=True, slots=True)
class Heard:
    """A dialogue about a scene: the caption and the questions; the answers are true ones."""

    scene: Scene
    caption: str
    questions: Sequence[str]


class StateWitness(Protocol):
    """Hears, and has states."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        ...

    def states(self, heard: Heard, role: Role = "A") -> np.ndarray:
        """float32[turns, WIDTH]: A sees the scene; Q knows what was said and nothing else."""
        ...


STATE_WITNESSES: Registry[StateWitness] = Registry("witness for states", "voirdire.state_witnesses")


def make_state_witness(name: str, seed: int = 0) -> StateWitness:
    """The witness for states of this name; UsageError where there is none."""
    return STATE_WITNESSES.make(f"{name}:{seed}")


def empty(turns: int) -> np.ndarray:
    """States of so many turns in which no topic is known."""
    states = np.zeros((turns, WIDTH), np.float32)
    states[:, -1] = 1
    return states


@lru_cache(maxsize=65536)
def place_of(topic: str) -> int:
    """The place of a topic, from 0 to TOPICS − 1."""
    if topic in _OWN:
        return _OWN[topic]
    number = int.from_bytes(hashlib.sha256(topic.encode()).digest()[:8], "big")
    return len(_OWN) + number % (TOPICS - len(_OWN))
