"""All networks: counts, gradients, padding, batches, seeds, and what training drops."""

from fnmatch import fnmatch

import numpy as np
import pytest
import torch
from tiny_networks import GRU, SIZES
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from voirdire.models.architectures import ARCHITECTURES, Architecture, find_architecture
from voirdire.models.vqa_network import Part, VqaNetwork, rows_of

WORDS, CLASSES, WIDTH, PLACES = 9, 11, 6, 12
QUESTIONS = torch.tensor([[3, 1, 4, 1, 5, 9, 2], [2, 6, 5, 0, 0, 0, 0], [0] * 7, [7, 0, 0, 0, 0, 0, 0]])
ALL = sorted(ARCHITECTURES)


def width(architecture: Architecture) -> int:
    return 0 if architecture.layout == "none" else WIDTH


def tiny(name: str, seed: int = 1) -> VqaNetwork:
    architecture = ARCHITECTURES[name]
    return architecture.build(SIZES[name], WORDS, CLASSES, width(architecture), seed).eval()


def pictures(name: str, many: int = 4) -> Tensor | None:
    shape = {"none": None, "global": (many, WIDTH), "grid": (many, PLACES, WIDTH)}[ARCHITECTURES[name].layout]
    return None if shape is None else torch.randn(shape, generator=torch.Generator().manual_seed(5))


def part_of(network: VqaNetwork, features: Tensor | None) -> Part:
    return () if features is None else network.of_picture(features)


@pytest.mark.parametrize("name", ALL)
def test_a_changed_weight_changes_the_scores(name: str) -> None:
    network, features = tiny(name), pictures(name)
    arrays = {key: array.copy() for key, array in network.arrays().items()}
    (out,) = [key for key in arrays if key in ("out.bias", "linear_classif.bias")]
    arrays[out][3] += 0.5
    other = type(network).of_arrays(arrays).eval()
    difference = (other(QUESTIONS, features) - network(QUESTIONS, features)).detach().numpy()
    assert np.allclose(difference, np.eye(CLASSES)[[3]] * 0.5, atol=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_sizes_come_from_shapes(name: str) -> None:
    network = tiny(name)
    shapes = {key: array.shape for key, array in network.arrays().items()}
    sizes, *rest = type(network).sizes_of(shapes)
    assert (sizes, rest) == (SIZES[name], [WORDS, CLASSES, width(ARCHITECTURES[name])])
    with pytest.raises(ValueError, match="`shapes` must be those of the weights of a"):
        type(network).sizes_of({"embed.weight": (3,)})


COUNTS = {
    "lqi": (4096, 1000, 10_882_737, 200, 0),
    "hieco-att": (512, 1000, 12_846_065, 512, 1),
    "hieco-att, ResNet": (2048, 1000, 13_632_497, 512, 1),
    "mutan": (2048, 2000, 26_674_400, 620, 1),
    "mutan-att": (2048, 2000, 30_131_112, 620, 1),
    "mlb": (2048, 2000, 29_493_200, 620, 1),
    "mlb-att": (2048, 2000, 58_058_004, 620, 1),
    "mlb-authors": (2048, 2000, 42_575_602, 620, 1),
    # LQI without 1,024 numbers of each of the picture's 4,096, and without their biases.
    "question-only": (0, 1000, 10_882_737 - 1024 * 4097, 200, 0),
}
"""Width, classes, parameters without words, per word, and rows beside the words'."""


@pytest.mark.parametrize("name", sorted(COUNTS))
@pytest.mark.parametrize("words", [50, 14_770])
def test_numbers_of_parameters_at_the_published_size(name: str, words: int) -> None:
    architecture = find_architecture(name.partition(",")[0])
    wide, classes, fixed, per_word, more = COUNTS[name]
    with torch.device("meta"):
        network = architecture.build(architecture.presets["paper"], words, classes, wide)
    count = sum(weight.numel() for weight in network.parameters())
    assert count == fixed + per_word * (words + more)


WITHOUT_GRADIENT = {
    "question-only": ["lstm.unused.*"],
    "lqi": ["lstm.unused.*"],
    "hieco-att": [f"att.{level}.h{step}.bias" for level in ("word", "phrase", "question") for step in (1, 2, 3)],
    "mutan": [],
    "mutan-att": ["conv_att.bias", "fusion_att.list_linear_hv.*.bias"],
    "mlb": [],
    "mlb-att": ["conv_att.bias"],
    "mlb-authors": ["att.out.bias"],
}
"""Biases straight before a softmax, the picture's side of MUTAN's attention, and what nothing asks for."""


@pytest.mark.parametrize("name", ALL)
def test_which_parameters_never_get_a_gradient(name: str) -> None:
    network, features = tiny(name).double(), pictures(name)
    scores = network(QUESTIONS, None if features is None else features.double())
    cross_entropy(scores, torch.tensor([0, 3, 3, 8])).backward()
    largest = {
        network.name_in_files(ours): 0.0 if weight.grad is None else float(weight.grad.abs().max())
        for ours, weight in network.named_parameters()
    }
    zero = {key for key, gradient in largest.items() if gradient < 1e-15}
    assert zero == {key for key in largest if any(fnmatch(key, pattern) for pattern in WITHOUT_GRADIENT[name])}
    assert all(any(fnmatch(key, pattern) for key in zero) for pattern in WITHOUT_GRADIENT[name])


@pytest.mark.parametrize("name", ALL)
def test_padding_and_the_batch_change_nothing(name: str) -> None:
    network, features = tiny(name), pictures(name)
    with torch.no_grad():
        scores = network(QUESTIONS, features).numpy()
        wider = network(torch.cat([QUESTIONS, torch.zeros(4, 3, dtype=torch.long)], 1), features).numpy()
        single = [
            network(QUESTIONS[[row]], None if features is None else features[[row]]).numpy()[0] for row in range(4)
        ]
        cut = network(QUESTIONS[[1], :3], None if features is None else features[[1]]).numpy()
        bare = network(QUESTIONS[[2], :0], None if features is None else features[[2]]).numpy()
    assert np.isfinite(scores).all()
    assert np.allclose(wider, scores, atol=1e-6)
    assert np.allclose(single, scores, atol=1e-6)
    assert np.allclose(cut, scores[[1]], atol=1e-6)
    assert np.allclose(bare, scores[[2]], atol=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_the_parts_of_questions_and_pictures_join_in_any_combination(name: str) -> None:
    network, features = tiny(name), pictures(name, 2)
    question, picture = torch.tensor([0, 0, 1, 3, 2]), torch.tensor([1, 0, 0, 1, 1])
    with torch.no_grad():
        parts = network.of_question(QUESTIONS), part_of(network, features)
        joined = network.join(rows_of(parts[0], question), rows_of(parts[1], picture))
        whole = network(QUESTIONS[question], None if features is None else features[picture])
    assert torch.allclose(joined, whole, atol=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_the_same_seed_gives_the_same_weights(name: str) -> None:
    first, again, other = tiny(name).arrays(), tiny(name).arrays(), tiny(name, seed=2).arrays()
    assert all(np.array_equal(first[key], again[key]) for key in first)
    assert not any(np.array_equal(first[key], other[key]) for key in first)


@pytest.mark.parametrize("name", ALL)
def test_first_weights_by_their_rules(name: str) -> None:
    network = tiny(name)
    network.draw(0, "uniform")
    largest = {key: float(np.abs(array).max()) for key, array in network.arrays().items()}
    assert max(largest.values()) <= 0.08
    assert max(largest.values()) > 0.07
    padded = [module for module in network.modules() if isinstance(module, nn.Embedding)]
    assert all(not module.weight[0].any() for module in padded)
    network.draw(0, "fan-in")
    for module in network.modules():
        if isinstance(module, nn.Linear):
            assert float(module.weight.detach().abs().max()) <= module.in_features**-0.5
        if isinstance(module, nn.Embedding):
            assert not module.weight[0].any()
            assert float(module.weight.detach().abs().max()) > 1


N, T = 4, 11
"""Questions of the tests, and their words."""
OF_GRU = [(N, GRU["embedding"])] * 3 + [(N, GRU["question"])] * 3
OF_LSTM = [(T, 5), *[(rows, 4) for rows in (3, 2, 2, 1, 1, 1, 1)]]
"""What enters LQI's words, and its second layer at each of the seven places."""
OF_LEVELS = [(N, 7, 4), (N, 4, 7), *[(rows, 4) for rows in (3, 2, 2, 1, 1, 1, 1)], (T, 4)]
"""Words, phrases, the LSTM's second layer and its top."""
DROPPED = {
    "question-only": [*OF_LSTM, (N, 16), (N, 7)],
    "lqi": [*OF_LSTM, (N, 16), (N, WIDTH), (N, 7)],
    "hieco-att": [
        *OF_LEVELS,
        *[(N, 7, 4)] * 3,
        (N, PLACES, 4),
        *[(N, PLACES, 4), (N, 7, 4), (N, 4)],
        *[(N, PLACES, 4), (N, 7, 4), (N, 8)] * 2,
        (N, 5),
    ],
    "mutan": [*OF_GRU, (N, 8), (N, WIDTH), (N, 7)],
    "mutan-att": [*OF_GRU, (N, 8), (N, 8), (N, PLACES, WIDTH), (N, 7, PLACES), *[(N, WIDTH)] * 2, (N, 6)],
    "mlb": [*OF_GRU, (N, 8), (N, WIDTH), (N, 5)],
    "mlb-att": [*OF_GRU, (N, 8), (N, 8), (N, PLACES, WIDTH), (N, PLACES, 5), *[(N, WIDTH)] * 3, (N, 12)],
    "mlb-authors": [*OF_GRU, (N, 8), (N, 8), (N, PLACES, WIDTH), *[(N, WIDTH)] * 3, (N, 12)],
}
"""The shapes of all that training drops numbers of, in order."""


@pytest.mark.parametrize("name", ALL)
def test_what_training_drops(name: str) -> None:
    network, features = tiny(name), pictures(name)
    seen: list[tuple[tuple[int, ...], float]] = []

    def note(module: nn.Module, inputs: tuple[Tensor], output: Tensor) -> None:
        (given,) = inputs
        assert not torch.equal(output, given) or given.numel() < 12
        kept = output != 0
        assert torch.allclose(output[kept], given[kept] / (1 - module.p))
        seen.append((tuple(given.shape), module.p))

    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.register_forward_hook(note)
    torch.manual_seed(2)
    scores = network.train()(QUESTIONS, features)
    assert [shape for shape, _ in seen] == DROPPED[name]
    shares = [0.25 if at < 6 and DROPPED[name][:6] == OF_GRU else 0.5 for at in range(len(seen))]
    assert [share for _, share in seen] == shares
    assert not torch.allclose(scores, network(QUESTIONS, features))


@pytest.mark.parametrize("name", ["mutan-att", "mlb-authors"])
def test_attention_in_training_is_that_in_evaluation_where_nothing_is_dropped(name: str) -> None:
    network, features = tiny(name), pictures(name)
    before = network(QUESTIONS, features)
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 1e-12
    assert torch.allclose(network.train()(QUESTIONS, features), before, atol=1e-6)


def test_lqi_divides_pictures_by_their_length_and_drops_words_before_tanh() -> None:
    network, features = tiny("lqi"), pictures("lqi")
    assert features is not None
    assert torch.allclose(network(QUESTIONS, features * 7), network(QUESTIONS, features), atol=1e-6)
    assert torch.isfinite(network(QUESTIONS, features * 0)).all()
    entered: list[float] = []
    network.get_submodule("reader.drop").register_forward_hook(lambda _, given, __: entered.append(given[0].max()))
    with torch.no_grad():
        network.get_parameter("reader.embed.bias").fill_(5.0)
    network(QUESTIONS, features)
    assert max(entered) > 4


def test_a_network_that_needs_features_says_so() -> None:
    with pytest.raises(ValueError, match="`width` must fit lqi, which reads global features, got 0"):
        ARCHITECTURES["lqi"].build(SIZES["lqi"], WORDS, CLASSES)
