"""The models of the papers that are trained here, and the one trainer that they share.

Every training has a schedule, `TrainingSchedule`, and a record of each of its epochs, `Epoch`. `trainer.train` runs it,
and `array_file` keeps weights in a file. The package itself imports nothing heavy; the trainer brings torch.
"""

from dataclasses import dataclass

from voirdire.options import LARGEST_SEED, Options, option


@dataclass(frozen=True)
class TrainingSchedule(Options):
    """Adam's steps, how many and how long; a model makes its schedule of its own options."""

    epochs: int = option(..., "Passes over the examples, at most.", least=1, most=100_000)
    batch: int = option(..., "Examples per step.", least=1, most=1_000_000)
    rate: float = option(..., "Adam's step.", above=0, most=10)
    clip: float = option(..., "The longest gradient; 0 for no limit.", least=0, most=1e6)
    seed: int = option(..., "Of the order of the examples.", least=0, most=LARGEST_SEED)
    decay: float = option(1.0, "What Adam's step is multiplied by after each epoch.", above=0, most=1)
    patience: int | None = option(
        None, "Stop after so many epochs without a smaller error on the validation examples.", least=1, most=100_000
    )


@dataclass(frozen=True)
class Epoch:
    """How an epoch went: mean loss and share of errors while training, and after it on the validation examples."""

    loss: float
    error: float
    valid_loss: float | None = None
    valid_error: float | None = None
