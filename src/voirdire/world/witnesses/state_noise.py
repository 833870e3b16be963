"""`noise`: states that are drawn at random, and so hold nothing."""

import numpy as np

from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.state_witness import STATE_WITNESSES, WIDTH, Heard, Role

__all__ = ["Noise"]


class Noise:
    """Neither sees nor listens."""

    name = "noise"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def states(self, heard: Heard, role: Role = "A") -> np.ndarray:
        """Normal numbers; another seed, scene or role has others."""
        key = [self.seed % 2**63, heard.scene.id, int(role == "Q")]
        return np.random.default_rng(key).standard_normal((len(heard.questions) + 1, WIDTH), np.float32)


@STATE_WITNESSES.register("noise")
def _make(argument: str | None) -> Noise:
    return Noise(seed_from(argument))
