"""What an answering witness is: it is shown a scene and asked a question, alone or in a dialogue, and says something.

A witness has a name and a seed, and what it says depends on these, the scene, the question and the history alone.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from voirdire.errors import UsageError
from voirdire.formats.scenes import Scene
from voirdire.providers import Registry
from voirdire.world.meaning import Meaning

__all__ = ["WITNESSES", "History", "Witness", "make_witness", "seed_from"]


class History(NamedTuple):
    """What was said before: the caption, and the questions with their answers in order."""

    caption: str = ""
    rounds: tuple[tuple[str, str], ...] = ()


class Witness(Protocol):
    """Without a history the question stands alone, and the answer is the few words of VQA; else it is a dialogue."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        ...

    def read(self, question: str) -> Meaning | None:
        """What it takes the question to mean; None where it cannot read it."""
        ...

    def answer(self, scene: Scene, question: str, history: History | None = None) -> str:
        """What it says."""
        ...

    def generate(self, scene: Scene, question: str, history: History | None, count: int) -> list[str]:
        """`count` answers, the first the one that it would give alone."""
        ...

    def rank(self, scene: Scene, question: str, history: History | None, options: Sequence[str]) -> list[int]:
        """The rank of each option, from 1."""
        ...


WITNESSES: Registry[Witness] = Registry("witness", "voirdire.witnesses")


def make_witness(name: str, seed: int = 0) -> Witness:
    """The answering witness of this name; UsageError where there is none."""
    return WITNESSES.make(f"{name}:{seed}")


def seed_from(argument: str | None) -> int:
    """The seed that a witness's factory is given as text."""
    try:
        return int(argument or "0")
    except ValueError:
        raise UsageError(f"the seed of a witness is a whole number, not {argument!r}") from None
