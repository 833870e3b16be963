"""The probe's network: its size, and its gradients beside those of torch's own layers."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy

from voirdire.scorekeeping.points import TASKS
from voirdire.scorekeeping.probe.network import Dropout, ProbeNetwork, scores_of


@pytest.mark.parametrize(("task", "count"), [("TFxPS", 1_315_844), ("PxTSFS", 1_314_819), ("TF", 1_313_794)])
def test_it_has_the_published_number_of_parameters(task: str, count: int) -> None:
    network = ProbeNetwork(512, 768, len(TASKS[task].classes))
    assert sum(parameter.numel() for parameter in network.parameters()) == count
    assert sum(parameter.numel() for parameter in network.sequential().parameters()) == count


@dataclass
class Batch:
    states: torch.Tensor
    sentences: torch.Tensor
    state: np.ndarray
    sentence: np.ndarray
    labels: torch.Tensor

    @property
    def whole(self) -> torch.Tensor:
        return torch.cat([self.states[self.state], self.sentences[self.sentence]], dim=1)


def batch(seed: int, dtype: torch.dtype, points: int = 64, rows: int = 9, classes: int = 4) -> Batch:
    rng, generator = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    return Batch(
        torch.randn(rows, 12, generator=generator, dtype=dtype),
        torch.randn(rows, 20, generator=generator, dtype=dtype),
        rng.integers(0, rows, points),
        rng.integers(0, rows, points),
        torch.from_numpy(rng.integers(0, classes, points)),
    )


class Masked(torch.nn.Module):
    """Dropout with a mask that is given."""

    def __init__(self, mask: torch.Tensor) -> None:
        super().__init__()
        self.mask = mask

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden * self.mask


def mask(dropout: Dropout, shape: tuple[int, int], dtype: torch.dtype) -> torch.Tensor:
    ones = torch.ones(shape, dtype=dtype)
    dropout.apply(ones)
    return ones


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.integers(0, 10**6), st.integers(1, 80), st.integers(1, 20), st.integers(2, 4), st.sampled_from([0.0, 0.1, 0.5])
)
def test_gradients_are_those_of_the_plain_module(seed: int, points: int, rows: int, classes: int, share: float) -> None:
    given_ = batch(seed, torch.float64, points, rows, classes)
    network = ProbeNetwork(12, 20, classes, hidden=33, seed=seed).double()
    dropout = Dropout(share, seed) if share else None
    plain = network.sequential()
    if dropout is not None:
        plain[2] = Masked(mask(dropout, (points, 33), torch.float64))
    ours = cross_entropy(
        network(given_.states, given_.sentences, given_.state, given_.sentence, dropout), given_.labels
    )
    theirs = cross_entropy(plain(given_.whole), given_.labels)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    ours.backward()
    theirs.backward()
    first = torch.cat([network.from_state.weight.grad, network.from_sentence.weight.grad], dim=1)
    pairs = [
        (first, plain[0].weight.grad),
        (network.from_sentence.bias.grad, plain[0].bias.grad),
        (network.output.weight.grad, plain[3].weight.grad),
        (network.output.bias.grad, plain[3].bias.grad),
    ]
    for mine, peers in pairs:
        torch.testing.assert_close(mine, peers, rtol=1e-9, atol=1e-12)


def test_single_precision_is_close_too() -> None:
    given_ = batch(3, torch.float32, 512, 60)
    network = ProbeNetwork(12, 20, 4, seed=3)
    plain = network.sequential()
    cross_entropy(network(given_.states, given_.sentences, given_.state, given_.sentence), given_.labels).backward()
    cross_entropy(plain(given_.whole), given_.labels).backward()
    first = torch.cat([network.from_state.weight.grad, network.from_sentence.weight.grad], dim=1)
    torch.testing.assert_close(first, plain[0].weight.grad, rtol=1e-4, atol=1e-7)
    torch.testing.assert_close(network.output.weight.grad, plain[3].weight.grad, rtol=1e-4, atol=1e-6)


def test_the_head_passes_torchs_own_check() -> None:
    generator = torch.Generator().manual_seed(1)
    made = [
        torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
        for shape in ((3, 7), (4, 7), (3, 7), (3,))
    ]
    a, b = np.array([0, 0, 2, 1, 0, 2]), np.array([3, 0, 1, 3, 3, 2])
    for dropout in (None, Dropout(0.3, 5)):
        assert torch.autograd.gradcheck(lambda *given_, d=dropout: scores_of(*given_, a, b, d), made)


def test_dropout_leaves_out_its_share_and_keeps_the_mean() -> None:
    kept = mask(Dropout(0.1, 7), (512, 1024), torch.float32)
    left_out = float((kept == 0).float().mean())
    # 524,288 draws: the standard deviation of the share is 0.0004.
    assert abs(left_out - 0.1) < 0.002
    assert torch.all((kept == 0) | (kept == np.float32(1 / 0.9)))
    # Neither rows nor columns are left out together.
    assert (kept == 0).float().mean(dim=0).std() < 0.02
    assert (kept == 0).float().mean(dim=1).std() < 0.02
    again, other = (mask(Dropout(0.1, key), (512, 1024), torch.float32) for key in (7, 8))
    assert torch.equal(kept, again)
    assert abs(float(((kept == 0) & (other == 0)).float().mean()) - 0.01) < 0.001


def test_first_weights_are_uniform_within_their_bounds() -> None:
    network = ProbeNetwork(512, 768, 4, seed=5)
    for parameter in (network.from_state.weight, network.from_sentence.weight):
        bound = 1280**-0.5
        assert float(parameter.detach().abs().max()) <= bound
        assert float(parameter.detach().std()) == pytest.approx(bound / 3**0.5, rel=0.01)
    assert float(network.output.weight.detach().abs().max()) <= 1 / 32
    same, other = ProbeNetwork(512, 768, 4, seed=5), ProbeNetwork(512, 768, 4, seed=6)
    assert all(np.array_equal(array, same.arrays()[name]) for name, array in network.arrays().items())
    assert not np.array_equal(network.arrays()["output.weight"], other.arrays()["output.weight"])


@pytest.mark.parametrize("layers", [0, 2, 3])
def test_other_numbers_of_layers_are_those_of_torch(layers: int) -> None:
    made = batch(3, torch.float64)
    network = ProbeNetwork(12, 20, 4, hidden=16, seed=1, layers=layers).double()
    whole = network(made.states, made.sentences, made.state, made.sentence)
    assert torch.allclose(whole, network.sequential()(made.whole), atol=1e-12)
    counted = 33 * 4 if not layers else 33 * 16 + (layers - 1) * 17 * 16 + 17 * 4
    assert sum(parameter.numel() for parameter in network.parameters()) == counted
    assert len(network.sequential(0.1)) == 1 + 3 * layers


def test_dropout_of_a_deep_network_differs_from_layer_to_layer() -> None:
    made = batch(3, torch.float32)
    network = ProbeNetwork(12, 20, 4, hidden=16, seed=1, layers=2)
    dropped = network(made.states, made.sentences, made.state, made.sentence, Dropout(0.5, 7))
    again = network(made.states, made.sentences, made.state, made.sentence, Dropout(0.5, 7))
    assert torch.equal(dropped, again)
    assert not torch.equal(dropped, network(made.states, made.sentences, made.state, made.sentence))
    first, second = (mask(Dropout(0.5, 7).of_layer(at), (64, 16), torch.float32) for at in (0, 1))
    assert not torch.equal(first, second)


def test_gradients_without_a_limit_stay() -> None:
    network = ProbeNetwork(2, 3, 2, hidden=4, seed=1)
    for parameter in network.parameters():
        parameter.grad = torch.full_like(parameter, 100.0)
    network.clip_gradients(0)
    assert all(bool((parameter.grad == 100).all()) for parameter in network.parameters())
