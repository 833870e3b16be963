"""The oracle's network: its inputs by hand, its LSTM against torch's."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.engine.threads import one_thread
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.network import (
    UNKNOWN,
    OracleNetwork,
    PrefixTree,
    Vocabulary,
    read_tree,
    spatial,
    words_of,
)

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def test_spatial_features_are_turned_upward() -> None:
    # A box from (160, 120), 320 wide and 60 high, in an image of 640 × 480: its upper edge is a quarter down.
    (vector,) = spatial([(160, 120, 320, 60)], [640], [480])
    assert vector.tolist() == [-0.5, 0.25, 0.5, 0.5, 0.0, 0.375, 1.0, 0.25]
    (whole,) = spatial([(0, 0, 640, 480)], [640], [480])
    assert whole.tolist() == [-1, -1, 1, 1, 0, 0, 2, 2]
    assert spatial([], [], []).shape == (0, 8)


def test_words_and_their_numbers() -> None:
    assert words_of("Isn’t it the 3rd dog's bowl, on_top?") == [
        "isn't",
        "it",
        "the",
        "3rd",
        "dog's",
        "bowl",
        "on",
        "top",
    ]
    known = Vocabulary.of({"is it a dog": 2, "is it a cat?": 1, "???": 5}, min_count=2)
    assert known.words == ("a", "dog", "is", "it")
    assert len(known) == 5
    assert known.numbers("Is it a CAT") == [3, 4, 1, UNKNOWN]
    assert known.numbers("?!") == [UNKNOWN]
    with pytest.raises(ValueError, match="twice"):
        Vocabulary(["dog", "dog"])


def test_a_tree_shares_beginnings() -> None:
    tree = PrefixTree([[1, 2, 3], [1, 2], [1, 2, 4], [5]])
    assert len(tree.word) == 5
    levels = tree.levels(np.array([0, 1, 2, 3]))
    assert [len(words) for words in levels.words] == [2, 1, 2]
    assert levels.vocabulary.tolist() == [1, 2, 3, 4, 5]
    assert [levels.vocabulary[words].tolist() for words in levels.words] == [[1, 5], [2], [3, 4]]
    assert levels.ends.tolist() == [3, 2, 4, 1]
    part = tree.levels(np.array([3, 3]))
    assert [len(words) for words in part.words] == [1]
    assert part.ends.tolist() == [0, 0]
    with pytest.raises(ValueError, match="at least one word each, got one without"):
        PrefixTree([[1], []])


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=8))
def test_the_tree_reads_as_an_lstm_does(questions: list[list[int]]) -> None:
    generator = torch.Generator().manual_seed(len(questions))
    size, width = 5, 3
    peer = torch.nn.LSTM(width, size, batch_first=True).double()
    table = torch.randn(4, width, generator=generator, dtype=torch.float64, requires_grad=True)
    levels = PrefixTree(questions).levels(np.arange(len(questions)))
    weights = (peer.weight_ih_l0, peer.weight_hh_l0)
    inputs = table[torch.from_numpy(levels.vocabulary)] @ peer.weight_ih_l0.T + peer.bias_ih_l0 + peer.bias_hh_l0
    ours = read_tree(inputs, peer.weight_hh_l0, levels)
    theirs = torch.cat([peer(table[question][None])[1][0][0] for question in questions])
    torch.testing.assert_close(ours, theirs)
    pull = torch.randn(ours.shape, generator=generator, dtype=torch.float64)
    wanted = torch.autograd.grad((theirs * pull).sum(), (table, *weights))
    # A tree of one level does not reach the recurrent weights; their gradient is zero there.
    found = torch.autograd.grad((ours * pull).sum(), (table, *weights))
    for mine, peers in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, peers)


def test_first_weights_depend_on_the_seed_alone() -> None:
    torch.manual_seed(1)
    options = OracleOptions(word=4, lstm=6, category=4, hidden="8")
    first = OracleNetwork(options, 5, seed=3).arrays()
    torch.manual_seed(2)
    second = OracleNetwork(options, 5, seed=3).arrays()
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert first["input.bias"][6:12].min() > 1 - 0.51
