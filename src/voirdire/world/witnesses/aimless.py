"""`random`: sensible questions about whatever is in the picture, without a thought for what is known already.

It asks five questions, unless it has found the target by then.
"""

from voirdire.world.games import guess_question
from voirdire.world.grammar import say
from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.questioner import QUESTIONERS, GameState, asked, remaining

__all__ = ["Aimless"]

_QUESTIONS = 5
_ATTEMPTS = 12


class Aimless:
    """Asks what comes to mind; it does not ask the same thing twice."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def ask(self, state: GameState) -> str | None:
        """A question about any of the candidates, also of those that are out of the question."""
        if len(state.qas) >= _QUESTIONS or len(remaining(state)) == 1:
            return None
        rng, before = state.rng(self.seed, self.name), asked(state)
        for _ in range(_ATTEMPTS):
            meaning = guess_question(state.scene, list(state.candidates), rng)
            if meaning not in before:
                return say(meaning, rng, "game")
        return None


@QUESTIONERS.register("random")
def _make(argument: str | None) -> Aimless:
    return Aimless(seed_from(argument))
