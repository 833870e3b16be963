"""The world's own encoder: a small convolutional network that was trained on the pictures of made-up scenes.

    pixels in −0.5..0.5  →  five convolutions of 3 × 3 with ReLU, the first four in steps of two  →  12 × 12 × 96

It was trained to say of each of the 12 × 12 places what is there (category, colour, what it does), and of the whole
picture where and when it is; the layers that said so are left away. `docs/evidence/world_encoder.py` makes its file,
world_encoder.npz, from scenes of a seed of its own. Of photographs it knows nothing.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from voirdire.bundled import digest_file
from voirdire.formats.files import open_source
from voirdire.models.array_file import read_arrays

SIDE, PLACES, WIDTH = 192, 12, 96
"""Pixels of a side, places of a side, and numbers of a place."""
CHANNELS = (3, 16, 32, 64, WIDTH, WIDTH)
STEPS = (2, 2, 2, 2, 1)
FILE = Path(__file__).with_name("world_encoder.npz")


class WorldEncoderAbout(msgspec.Struct, forbid_unknown_fields=True):
    """How the file's weights were made: scenes of the seed, passes over them, and shares of right answers on others."""

    kind: str
    seed: int
    scenes: int
    epochs: int
    category_found: float
    setting_right: float


class WorldEncoder(nn.Module):
    """Convolutions with their normalisation folded into weights and biases."""

    def __init__(self) -> None:
        super().__init__()
        pairs = zip(CHANNELS, CHANNELS[1:], STEPS, strict=False)
        self.layers = nn.ModuleList(nn.Conv2d(n, m, 3, step, padding=1) for n, m, step in pairs)

    def forward(self, pixels: Tensor) -> Tensor:
        """Features (n, rows, columns, width) of pixels (n, 3, SIDE, SIDE)."""
        for layer in self.layers:
            pixels = layer(pixels).relu()
        return pixels.permute(0, 2, 3, 1)

    def take(self, arrays: Mapping[str, npt.NDArray[np.float16]]) -> None:
        """Take the weights from arrays."""
        self.load_state_dict({name: torch.from_numpy(array.astype(np.float32)) for name, array in arrays.items()})


@cache
def world_encoder() -> WorldEncoder:
    """The encoder that comes with the package."""
    _, arrays = read_arrays(open_source(FILE), WorldEncoderAbout, "the encoder of the world's pictures")
    encoder = WorldEncoder()
    encoder.take(arrays)
    return encoder.eval().requires_grad_(False)


def world_encoder_digest() -> str:
    """SHA-256 of its file."""
    return digest_file(FILE)
