"""EfficientNet-lite0 beside the package whose network the weights were made for: the same features to the bit."""

import pytest
import torch

from voirdire.models.efficientnet_lite0 import WEIGHTS, efficientnet_lite0

pytestmark = pytest.mark.slow


def test_features_are_those_of_the_other_package() -> None:
    peer = pytest.importorskip("efficientnet_lite_pytorch", reason="needs efficientnet-lite-pytorch")
    other = peer.EfficientNet.from_name("efficientnet-lite0")
    (path,) = WEIGHTS.paths()
    other.load_state_dict(torch.load(path, weights_only=True))
    pixels = torch.randn(2, 3, 224, 224, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        wanted = other.eval().extract_features(pixels).permute(0, 2, 3, 1)
        assert torch.equal(efficientnet_lite0()(pixels), wanted)
    assert float(wanted.std()) > 0.1
