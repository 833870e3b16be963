"""`scorekeeper`: holds the scoreboard. No flaw: what every other witness for states is held against."""

import numpy as np

from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.state_claims import Topic, claims
from voirdire.world.witnesses.state_witness import STATE_WITNESSES, Heard, Role, board, code

__all__ = ["Scorekeeper"]


class Scorekeeper:
    """Knows all that is true, and remembers all that was said."""

    name = "scorekeeper"

    def states(self, heard: Heard, role: Role = "A") -> np.ndarray:
        """A has the whole scoreboard at every turn; Q has what is shared."""
        said = claims(heard.scene, heard.caption, heard.questions)
        states = board(len(said))
        known: set[Topic] = set()
        for turn, made in enumerate(said):
            for claim in made:
                # What is said again was shared before.
                if claim.topic in known:
                    continue
                known.add(claim.topic)
                true, shared = code(claim.topic, "true"), code(claim.topic, "shared")
                start = 0 if role == "A" else turn
                states[start:] += true if claim.true else -true
                states[start:turn] -= shared
                states[turn:] += shared
        return states


@STATE_WITNESSES.register("scorekeeper")
def _make(argument: str | None) -> Scorekeeper:
    seed_from(argument)
    return Scorekeeper()
