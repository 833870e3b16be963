"""How far the training of a probe is.

Order and dropout come from the seed, the epoch and the step, so that the next step depends on the state alone; one that
had ended is not run again.
"""

import msgspec

from voirdire.scorekeeping.probe.options import Epoch

__all__ = ["Progress"]


class Progress(msgspec.Struct, frozen=True):
    """How far a training is.

    epoch, batch  the next batch, both from 0
    steps         steps so far
    loss, right   sums over the points of this epoch so far
    best          the epoch, from 1, with the best accuracy on the validation points; 0 before the first
    """

    epoch: int = 0
    batch: int = 0
    steps: int = 0
    loss: float = 0.0
    right: int = 0
    best: int = 0
    history: tuple[Epoch, ...] = ()
