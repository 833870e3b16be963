"""How a probe is trained, and how its training went."""

from dataclasses import dataclass
from typing import Literal, get_args

import msgspec

from voirdire.errors import UsageError

__all__ = ["Batches", "Epoch", "TrainingOptions"]

Batches = Literal["shuffled", "grouped"]


@dataclass(frozen=True)
class TrainingOptions:
    """The defaults are the paper's.

    epochs   passes over the points; there is no early stop
    batch    points a step
    rate     Adam's step
    clip     longest gradient
    dropout  share of the hidden layer that is left out of a step
    hidden   size of the hidden layer
    batches  shuffled: any points; grouped: the points of a dialogue together, dialogues in any order, which shares
             more of the first layer's work
    seed     of the first weights, of the order and of dropout
    """

    epochs: int = 30
    batch: int = 512
    rate: float = 1e-3
    clip: float = 1.0
    dropout: float = 0.1
    hidden: int = 1024
    batches: Batches = "shuffled"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "hidden"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name}: {getattr(self, name)}; it must be at least 1")
        for name in ("rate", "clip"):
            if not 0 < getattr(self, name) < float("inf"):
                raise UsageError(f"{name}: {getattr(self, name)}; it must be greater than 0")
        if not 0 <= self.dropout < 1:
            raise UsageError(f"dropout: {self.dropout}; it must be at least 0 and less than 1")
        if self.batches not in get_args(Batches):
            raise UsageError(f"--batches {self.batches!r}; it may be {' or '.join(get_args(Batches))}")
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"seed: {self.seed}; it must be from 0 to 2⁶³ − 1")


class Epoch(msgspec.Struct, frozen=True):
    """Mean loss and accuracy while training, and the accuracy on the validation points afterwards."""

    loss: float
    accuracy: float
    valid_accuracy: float
