"""The models of the papers that are trained here, and the one trainer that they share.

Every training has a schedule, `TrainingSchedule`, and a record of each of its epochs, `Epoch`. `trainer.train` runs it,
and `array_file` keeps weights in a file. The package itself imports nothing heavy; the trainer brings torch.
"""

from dataclasses import dataclass
from typing import Literal

from voirdire.options import LARGEST_SEED, Options, option

OptimiserName = Literal["adam", "adamax", "rmsprop", "sgd"]
_MOST_STEPS = 1_000_000_000
CLOSE = 1e-3
"""Two scores that are closer than this are made anew, each by itself: far more than what a batch's order changes."""


@dataclass(frozen=True)
class TrainingSchedule(Options):
    """The steps of a training, how many and how long; a model makes its schedule of its own options."""

    epochs: int = option(..., "Passes over the examples, at most.", least=1, most=1_000_000)
    batch: int = option(..., "Examples per step.", least=1, most=1_000_000)
    rate: float = option(..., "The optimiser's step.", above=0, most=10)
    clip: float = option(..., "The longest gradient; 0 for no limit.", least=0, most=1e6)
    seed: int = option(..., "Of the order of the examples.", least=0, most=LARGEST_SEED)
    decay: float = option(1.0, "What the step is multiplied by after each epoch.", above=0, most=1)
    patience: int | None = option(
        None, "Stop after so many epochs without a smaller error on the validation examples.", least=1, most=100_000
    )
    optimiser: OptimiserName = option("adam", "What makes a step of a gradient.")
    momentum: float = option(0.0, "Share of the last step that sgd takes again.", least=0, most=0.9999)
    clip_each: bool = option(False, "Clip the gradient of each weight matrix by itself, not all together.")
    clamp: float = option(0.0, "The largest number of a gradient; 0 for no limit.", least=0, most=1e6)
    step_decay: float = option(1.0, "What the step is multiplied by after each step.", above=0, most=1)
    doubled_at: tuple[int, ...] = option((), "Steps, from 1, at which the step is doubled.", least=1, most=_MOST_STEPS)
    warm_up: int = option(0, "Steps over which the step grows to its size.", least=0, most=_MOST_STEPS)
    warm_from: float = option(0.2, "Its share of that at the first of them.", least=0, most=1)
    steps: int | None = option(None, "Stop after so many steps.", least=1, most=_MOST_STEPS)
    keep: Literal["best", "last"] = option("best", "The weights of the epoch that validates best, or of the last one.")

    def rate_at(self, epoch: int, steps: int) -> float:
        """The step in an epoch, from 0, after so many steps.

        rate · decay^epoch · step_decay^steps · 2^(doublings so far) · the growth of the warm-up
        """
        rate: float = self.rate * self.decay**epoch * self.step_decay**steps
        rate *= 2.0 ** sum(steps + 1 >= at for at in self.doubled_at)
        grown = 1.0 if steps >= self.warm_up else self.warm_from + (1 - self.warm_from) * steps / self.warm_up
        return rate * grown


@dataclass(frozen=True)
class Epoch:
    """How an epoch went: mean loss and share of errors while training, and after it on the validation examples."""

    loss: float
    error: float
    valid_loss: float | None = None
    valid_error: float | None = None
