"""How a probe is trained. Light to import; the trainer brings torch."""

from dataclasses import dataclass
from typing import Literal, get_args

from voirdire.errors import UsageError
from voirdire.models.schedule import Schedule, check_counts

__all__ = ["Batches", "ProbeTraining"]

Batches = Literal["shuffled", "grouped"]


@dataclass(frozen=True)
class ProbeTraining:
    """The defaults are the paper's.

    epochs   passes over the points; there is no early stop
    batch    points per step
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
        check_counts(self, "hidden")
        self.schedule()
        if not 0 <= self.dropout < 1:
            raise UsageError(f"`dropout` must be at least 0 and below 1, got {self.dropout}")
        if self.batches not in get_args(Batches):
            raise UsageError(f"`batches` must be {' or '.join(get_args(Batches))}, got {self.batches!r}")

    def schedule(self) -> Schedule:
        """What the trainer goes by; it checks its options."""
        return Schedule(self.epochs, self.batch, self.rate, self.clip, self.seed)
