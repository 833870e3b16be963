"""`scorekeeper`: holds the scoreboard. No flaw: what every other witness for states is held against.

state[place]           +1 true, −1 false          of every topic of the dialogue
state[TOPICS + place]  +1 shared, −1 private
"""

import numpy as np

from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.state_claims import claims
from voirdire.world.witnesses.state_witness import STATE_WITNESSES, TOPICS, Heard, Role, empty, place_of

__all__ = ["Scorekeeper"]


class Scorekeeper:
    """Knows all that is true, and remembers all that was said."""

    name = "scorekeeper"

    def states(self, heard: Heard, role: Role = "A") -> np.ndarray:
        """A has the whole scoreboard at every turn; Q has what is shared."""
        said = claims(heard.scene, heard.caption, heard.questions)
        states = empty(len(said))
        # The last turn first: what is said twice is shared from the first time on.
        for turn in reversed(range(len(said))):
            for claim in said[turn]:
                place = place_of(claim.topic)
                known = slice(None) if role == "A" else slice(turn, None)
                states[known, place] = 1 if claim.true else -1
                states[known, TOPICS + place] = -1
                states[turn:, TOPICS + place] = 1
        return states


@STATE_WITNESSES.register("scorekeeper")
def _make(argument: str | None) -> Scorekeeper:
    seed_from(argument)
    return Scorekeeper()
