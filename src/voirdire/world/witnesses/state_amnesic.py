"""`amnesic`: knows what the last turn said, and has forgotten all before it; it has no eyes for the rest either."""

import numpy as np

from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.state_claims import claims
from voirdire.world.witnesses.state_witness import STATE_WITNESSES, TOPICS, Heard, Role, empty, place_of

__all__ = ["Amnesic"]


class Amnesic:
    """Lives in the present."""

    name = "amnesic"

    def states(self, heard: Heard, role: Role = "A") -> np.ndarray:
        """The same for both roles: what was said last is known to both."""
        said = claims(heard.scene, heard.caption, heard.questions)
        states = empty(len(said))
        for turn, made in enumerate(said):
            for claim in made:
                states[turn, place_of(claim.topic)] = 1 if claim.true else -1
                states[turn, TOPICS + place_of(claim.topic)] = 1
        return states


@STATE_WITNESSES.register("amnesic")
def _make(argument: str | None) -> Amnesic:
    seed_from(argument)
    return Amnesic()
