"""What a witness for states is: it hears a dialogue about a scene and has a state after every turn.

    state = code(a turn) + Σ_topic truth · code(topic, true) + score · code(topic, shared)
    truth  +1 true, −1 false, 0 not known          score  +1 shared, −1 private, 0 not known

A state is a sum of codes, as a model's state is no list of facts either. A word's code is a vector of WIDTH signs that
a hash of the word says, so those of two words are nearly orthogonal; a topic's is the sum of its words', so that topics
with common words are alike, as sentences are. No state is all zeros: zeros stand for turns that a dialogue does not
have.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np

from voirdire.formats.scenes import Scene
from voirdire.providers import Registry
from voirdire.world.witnesses.state_claims import Topic

__all__ = ["STATE_WITNESSES", "WIDTH", "Heard", "Role", "StateWitness", "board", "code", "make_state_witness"]

Role = Literal["A", "Q"]
WIDTH = 256


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


def board(turns: int) -> np.ndarray:
    """States of so many turns in which no topic is known."""
    return np.tile(_signs("a turn", ""), (turns, 1))


def code(topic: Topic, of: Literal["true", "shared"]) -> np.ndarray:
    """float32[WIDTH]: the code of what is held `of` a topic, its truth or its score."""
    found: np.ndarray = np.array([_signs(word, of) for word in topic]).sum(axis=0)
    return found


@lru_cache(maxsize=65536)
def _signs(word: str, of: str) -> np.ndarray:
    digest = hashlib.sha256(f"{of}/{word}".encode()).digest()
    drawn = np.random.default_rng(int.from_bytes(digest, "big")).integers(0, 2, WIDTH)
    signs: np.ndarray = (2 * drawn - 1).astype(np.float32)
    return signs
