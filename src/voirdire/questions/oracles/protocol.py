"""What every oracle does: answer each question of a game for each of its objects.

    A(q, o) ∈ {yes, no, n/a}   for every question q and every object o of the game

An oracle is given whole games, many at once, so that it can make batches of its own. Where it chooses by the highest
score, a tie takes the first class, in the order yes, no, n/a, and is counted.
"""

from collections.abc import Sequence
from typing import Protocol

from voirdire.formats.guesswhat import Game
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.providers import Registry
from voirdire.reports import Report, silent

__all__ = ["ORACLES", "Oracle", "make_oracle"]


class Oracle(Protocol):
    """One oracle.

    name      as it was asked for: "table:answers.jsonl"
    identity  what its answers depend on, for signatures: its kind and the fingerprint of its file
    """

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str: ...
    def answer(self, games: Sequence[Game], report: Report = silent) -> list[ObjectAnswers]:
        """The answers of every game, in the order of `games`; `report` is told games that are done."""
        ...


ORACLES: Registry[Oracle] = Registry("oracle", "voirdire.oracles")


def make_oracle(spec: str) -> Oracle:
    """The oracle that `spec` names, as `name:argument`."""
    import voirdire.questions.oracles  # noqa: F401  (it registers ours)

    return ORACLES.make(spec)
