"""How the training of a probe went; its options are `TrainingOptions` of the exam."""

import msgspec

__all__ = ["Epoch"]


class Epoch(msgspec.Struct, frozen=True):
    """Mean loss and accuracy while training, and the accuracy on the validation points afterwards."""

    loss: float
    accuracy: float
    valid_accuracy: float
