"""Ranks from scores: by hand, ties, degenerate input, and against scipy's ranking."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from voirdire.metrics.ranks import all_ranks, true_ranks


def test_four_rounds_by_hand():
    scores = [[0.9, 0.5, 0.1], [0.9, 0.5, 0.1], [-3.0, -1.0, -2.0], [0.0, 1e-300, -np.inf]]
    assert true_ranks(scores, [0, 2, 0, 1]).tolist() == [1, 3, 3, 1]
    assert all_ranks(scores).tolist() == [[1, 2, 3], [1, 2, 3], [3, 1, 2], [2, 1, 3]]


def test_a_tie_takes_the_worst_rank_of_its_group():
    scores = np.array([[0.5, 0.5, 0.5, 0.5], [0.7, 0.2, 0.7, 0.1], [0.0, -0.0, 1.0, 1.0]])
    assert all_ranks(scores).tolist() == [[4, 4, 4, 4], [2, 3, 2, 4], [4, 4, 2, 2]]
    for place in range(4):
        assert true_ranks(scores, np.full(3, place)).tolist() == all_ranks(scores)[:, place].tolist()


@given(st.lists(st.lists(st.integers(-3, 3), min_size=6, max_size=6), min_size=1, max_size=5), st.integers(0, 5))
def test_both_ways_agree_with_scipy(rows, place):
    scores = np.array(rows, dtype=np.float64)
    expected = rankdata(-scores, method="max", axis=1)
    assert np.array_equal(all_ranks(scores), expected)
    assert np.array_equal(true_ranks(scores, np.full(len(rows), place)), expected[:, place])


def test_whole_numbers_and_single_precision_will_do():
    assert true_ranks(np.array([[3, 1, 2]]), np.array([2])).tolist() == [2]
    # 0.1 and 0.1 + 1e-12 are one number in single precision, so they tie there and nowhere else.
    close = np.array([[0.1, 0.1 + 1e-12]])
    assert true_ranks(close, [0]).tolist() == [2]
    assert true_ranks(close, [1]).tolist() == [1]
    assert true_ranks(close.astype(np.float32), [1]).tolist() == [2]


@pytest.mark.parametrize("candidates", [255, 256, 300])
def test_many_candidates_and_more_rounds_than_one_block(candidates):
    scores = np.random.default_rng(candidates).permuted(np.tile(np.arange(candidates), (2500, 1)), axis=1)
    place = np.argmin(scores, axis=1)
    assert (true_ranks(scores, place) == candidates).all()
    assert (true_ranks(np.ones((2500, candidates)), place) == candidates).all()


def test_no_round_and_one_candidate():
    assert true_ranks(np.empty((0, 100)), np.empty(0, dtype=int)).tolist() == []
    assert all_ranks(np.empty((0, 100))).shape == (0, 100)
    assert true_ranks([[0.3], [0.1]], [0, 0]).tolist() == [1, 1]


def test_what_cannot_be_ranked_is_named():
    with pytest.raises(ValueError, match=r"`scores` .* got NaN in round 1 \(counted from 0\)"):
        true_ranks([[0.1, 0.2], [np.nan, 0.2]], [0, 1])
    with pytest.raises(ValueError, match="got NaN"):
        all_ranks([[0.1, np.nan]])
    with pytest.raises(ValueError, match=r"`scores` .* got shape \(2,\)"):
        all_ranks([0.1, 0.2])
    with pytest.raises(ValueError, match=r"`scores` .* got shape \(2, 0\)"):
        all_ranks(np.empty((2, 0)))
    with pytest.raises(ValueError, match="`truth` must be places from 0 to 1, got 2"):
        true_ranks([[0.1, 0.2]], [2])
    with pytest.raises(ValueError, match="got -1"):
        true_ranks([[0.1, 0.2]], [-1])
    with pytest.raises(ValueError, match=r"`truth` must be one place per round, so \(1,\), got shape \(2,\)"):
        true_ranks([[0.1, 0.2]], [0, 1])
    with pytest.raises(ValueError, match="of float64"):
        true_ranks([[0.1, 0.2]], [0.0])
