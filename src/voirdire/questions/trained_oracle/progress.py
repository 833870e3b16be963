"""How far the training of an oracle is, and where it keeps its state: `OUT.training`, beside what it will become.

The order of examples comes from the seed and the epoch, so that the next step depends on the state alone.
"""

from pathlib import Path

import msgspec

from voirdire.questions.trained_oracle.file import Epoch

__all__ = ["Progress", "checkpoint_path"]


class Progress(msgspec.Struct, frozen=True):
    """How far a training is.

    epoch, batch   the next batch, both from 0
    steps          Adam's steps so far
    loss, errors   sums over the examples of this epoch so far
    best           the epoch, from 1, with the smallest error on the validation games; 0 before the first
    """

    epoch: int = 0
    batch: int = 0
    steps: int = 0
    loss: float = 0.0
    errors: int = 0
    best: int = 0
    history: tuple[Epoch, ...] = ()


def checkpoint_path(output: str | Path) -> Path:
    """Where the training that is to become `output` keeps its state."""
    return Path(f"{output}.training")
