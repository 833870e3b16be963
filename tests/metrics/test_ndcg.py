"""NDCG: by hand, both cut-offs, ties, rounds without relevance, and against scikit-learn."""

from math import log2

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from voirdire.metrics.ranks import NDCG, all_ranks, gains
from voirdire.runs import estimate


def test_four_rounds_by_hand():
    relevance = [[1.0, 0.5, 0.0, 0.0]] * 4
    ranks = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 2, 1, 3], [3, 4, 2, 1]]
    ideal = 1 + 0.5 / log2(3)
    expected = [1, (0.5 + 1 / log2(3)) / ideal, (0.5 / log2(3)) / ideal, 0]
    assert gains(ranks, relevance) == pytest.approx(expected, abs=1e-15)


def test_the_words_of_the_appendix_count_to_the_end_of_the_list():
    relevance = [[1.0, 0.5, 0.0, 0.0]] * 2
    ranks = [[4, 2, 1, 3], [3, 4, 2, 1]]
    ideal = 1 + 0.5 / log2(3)
    expected = [(1 / log2(5) + 0.5 / log2(3)) / ideal, (1 / log2(4) + 0.5 / log2(5)) / ideal]
    assert gains(ranks, relevance, "scored") == pytest.approx(expected, abs=1e-15)


def test_the_order_inside_a_group_of_equal_relevance_makes_no_difference():
    assert gains([[1, 2, 3], [2, 1, 3]], [[0.4, 0.4, 0.0]] * 2).tolist() == [1.0, 1.0]


def test_a_constant_score_earns_nothing():
    relevance = np.zeros((1, 100))
    relevance[0, :7] = 1
    assert gains(all_ranks(np.ones((1, 100))), relevance).tolist() == [0.0]


def test_a_round_without_relevance_has_no_gain():
    found = gains([[1, 2], [1, 2]], [[0.0, 0.0], [0.0, 0.2]])
    assert np.isnan(found[0])
    assert found[1] == 0.0


def test_no_round():
    assert gains(np.empty((0, 100), dtype=int), np.empty((0, 100))).shape == (0,)
    assert estimate({"ndcg": np.empty(0)}, [NDCG], seed=0)["ndcg"].value is None


@pytest.mark.parametrize("levels", [2, 6])
def test_equal_to_scikit_learn(levels):
    rng = np.random.default_rng(levels)
    scores = rng.random((60, 100))
    relevance = rng.integers(0, levels, (60, 100)) / (levels - 1) * (rng.random((60, 100)) < 0.15)
    relevance[:, 3] = 1
    ranks = all_ranks(scores)
    expected = [
        ndcg_score(truth[None], row[None], k=int((truth > 0).sum()))
        for truth, row in zip(relevance, scores, strict=True)
    ]
    assert gains(ranks, relevance) == pytest.approx(expected, abs=1e-12)
    whole = [ndcg_score(truth[None], row[None]) for truth, row in zip(relevance, scores, strict=True)]
    assert gains(ranks, relevance, "scored") == pytest.approx(whole, abs=1e-12)


def test_what_cannot_be_is_named():
    with pytest.raises(ValueError, match="`cutoff` must be one of relevant, scored, got 'ten'"):
        gains([[1]], [[1.0]], "ten")
    with pytest.raises(ValueError, match=r"shapes \(1, 2\) and \(1, 3\)"):
        gains([[1, 2]], [[1.0, 0.0, 0.0]])
    for bad in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match=f"`relevance` must be from 0 to 1, got {bad}"):
            gains([[1, 2]], [[1.0, bad]])
