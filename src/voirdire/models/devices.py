"""Where a network computes: this machine's processor, or a graphics card that torch can use.

On the processor one thread computes, and the same examples, options and machine give the same weights. On a card the
order of sums is the card's: results differ in their last bits from run to run, and from the processor's.
"""

from typing import Literal

import torch

from voirdire.errors import UsageError

DeviceName = Literal["cpu", "cuda", "mps"]


def find_device(name: DeviceName) -> torch.device:
    """The device of that name; one that is not there is an error."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[name]:
        usable = ", ".join(device for device, found in there.items() if found)
        raise UsageError(f"`device` {name} is not there for torch; there is: {usable}")
    return torch.device(name)
