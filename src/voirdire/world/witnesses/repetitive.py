"""`repetitive`: after its first question it asks, two times in three, what it has asked before, with other words.

Only every third question is a new one, and the others tell it nothing.
"""

from voirdire.world.grammar import say
from voirdire.world.understand import understand
from voirdire.world.witnesses.keen import Keen
from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.questioner import QUESTIONERS, GameState

__all__ = ["Repetitive"]

_EVERY = 3
_ATTEMPTS = 12


class Repetitive(Keen):
    """Keen at every third question; stops when the keen one would, but never before it has repeated itself."""

    name = "repetitive"

    def ask(self, state: GameState) -> str | None:
        """A new question, or one of the old ones in other words."""
        if len(state.qas) % _EVERY == 0:
            return super().ask(state)
        rng = state.rng(self.seed, self.name)
        said = {question for question, _ in state.qas}
        meaning = understand(rng.choice(state.qas)[0])
        if meaning is None:
            return None
        texts = [say(meaning, rng, "game") for _ in range(_ATTEMPTS)]
        return next((text for text in texts if text not in said), texts[0])


@QUESTIONERS.register("repetitive")
def _make(argument: str | None) -> Repetitive:
    return Repetitive(seed_from(argument))
