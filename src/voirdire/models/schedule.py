"""What every training has: its schedule, and how each of its epochs went. Light to import; the trainer brings torch."""

from dataclasses import dataclass

import msgspec

from voirdire.errors import UsageError

__all__ = ["Epoch", "Schedule", "check_counts"]


@dataclass(frozen=True)
class Schedule:
    """Adam's steps, how many and how long; options of a model that are called alike have the same limits.

    epochs    passes over the examples, at most
    batch     examples per step
    rate      Adam's step
    clip      longest gradient
    seed      of the order of the examples
    decay     what the step is multiplied by after each epoch
    patience  stop after so many epochs without a smaller error on the validation examples; None for no early stop
    """

    epochs: int
    batch: int
    rate: float
    clip: float
    seed: int
    decay: float = 1.0
    patience: int | None = None

    def __post_init__(self) -> None:
        check_counts(self, "epochs", "batch", *(() if self.patience is None else ("patience",)))
        for name in ("rate", "clip"):
            if not 0 < getattr(self, name) < float("inf"):
                raise UsageError(f"`{name}` must be a finite number above 0, got {getattr(self, name)}")
        if not 0 < self.decay <= 1:
            raise UsageError(f"`decay` must be above 0 and at most 1, got {self.decay}")
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"`seed` must be from 0 to 2⁶³ − 1, got {self.seed}")


def check_counts(options: object, *names: str) -> None:
    """Refuse options that must be at least 1 and are not."""
    for name in names:
        if getattr(options, name) < 1:
            raise UsageError(f"`{name}` must be at least 1, got {getattr(options, name)}")


class Epoch(msgspec.Struct, frozen=True):
    """How an epoch went: mean loss and share of errors while training, and after it on the validation examples."""

    loss: float
    error: float
    valid_loss: float | None = None
    valid_error: float | None = None
