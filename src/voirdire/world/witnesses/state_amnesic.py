"""`amnesic`: knows what the last turn said, and has forgotten all before it; it has no eyes for the rest either."""

import numpy as np

from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.state_claims import claims
from voirdire.world.witnesses.state_witness import STATE_WITNESSES, Heard, Role, board, code

__all__ = ["Amnesic"]


class Amnesic:
    """Lives in the present."""

    name = "amnesic"

    def states(self, heard: Heard, role: Role = "A") -> np.ndarray:
        """The same for both roles: what was said last is known to both."""
        said = claims(heard.scene, heard.caption, heard.questions)
        states = board(len(said))
        for turn, made in enumerate(said):
            for claim in made:
                true = code(claim.topic, "true")
                states[turn] += (true if claim.true else -true) + code(claim.topic, "shared")
        return states


@STATE_WITNESSES.register("amnesic")
def _make(argument: str | None) -> Amnesic:
    seed_from(argument)
    return Amnesic()
