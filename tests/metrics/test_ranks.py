"""Ranks from scores, and MRR, mean rank, recall and NDCG: by hand, ties, degenerate input, and against scipy and
scikit-learn.
"""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.metrics import label_ranking_average_precision_score, ndcg_score, top_k_accuracy_score

from voirdire.metrics.ranks import MR, MRR, NDCG, RECALLS, all_ranks, gains, recall_at, true_ranks
from voirdire.runs import Estimate, estimate


def test_ranks_of_four_rounds_by_hand():
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


MEASURES = [MR, MRR, *RECALLS]


def figures(ranks):
    actual = estimate({"rank": ranks}, MEASURES, seed=0, resamples=50)
    return {str(key): each.value for key, each in actual.items()}


def test_measures_of_four_rounds_by_hand():
    outcome = figures(np.array([1, 2, 10, 100]))
    assert list(outcome) == ["mr", "mrr", "recall@1", "recall@5", "recall@10"]
    assert outcome["mr"] == 113 / 4
    assert outcome["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 10 + 1 / 100) / 4, abs=1e-15)
    assert (outcome["recall@1"], outcome["recall@5"], outcome["recall@10"]) == (0.25, 0.5, 0.75)


def test_a_constant_score_has_the_worst_rank():
    outcome = figures(true_ranks(np.full((3, 100), 0.7), [0, 50, 99]))
    assert outcome == {"mr": 100, "mrr": 0.01, "recall@1": 0, "recall@5": 0, "recall@10": 0}


def test_measures_of_no_round():
    actual = estimate({"rank": np.empty(0, dtype=np.int64)}, MEASURES, seed=0)
    assert set(actual.values()) == {Estimate(None, None, None, 0)}


def test_which_way_is_better():
    assert {measure.name: measure.better for measure in MEASURES} == {
        "mr": "lower",
        "mrr": "higher",
        "recall@1": "higher",
        "recall@5": "higher",
        "recall@10": "higher",
    }


def test_recall_at_any_k():
    assert recall_at(3).name == "recall@3"
    assert estimate({"rank": [3, 4]}, [recall_at(3)], seed=0)["recall@3"].value == 0.5
    with pytest.raises(ValueError, match="`k` must be at least 1, got 0"):
        recall_at(0)


def test_measures_equal_scikit_learn():
    rng = np.random.default_rng(5)
    scores, truth = rng.random((300, 100)), rng.integers(0, 100, 300)
    outcome = figures(true_ranks(scores, truth))
    # With one label a row, the average precision of its ranking is the reciprocal rank.
    assert outcome["mrr"] == pytest.approx(label_ranking_average_precision_score(np.eye(100)[truth], scores), abs=1e-12)
    for k in (1, 5, 10):
        expected = top_k_accuracy_score(truth, scores, k=k, labels=np.arange(100))
        assert outcome[f"recall@{k}"] == pytest.approx(expected, abs=1e-12)


def test_ndcg_of_four_rounds_by_hand():
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


def test_a_constant_score_has_no_gain():
    relevance = np.zeros((1, 100))
    relevance[0, :7] = 1
    assert gains(all_ranks(np.ones((1, 100))), relevance).tolist() == [0.0]


def test_a_round_without_relevance_has_no_gain():
    gained = gains([[1, 2], [1, 2]], [[0.0, 0.0], [0.0, 0.2]])
    assert np.isnan(gained[0])
    assert gained[1] == 0.0


def test_ndcg_of_no_round():
    assert gains(np.empty((0, 100), dtype=int), np.empty((0, 100))).shape == (0,)
    assert estimate({"ndcg": np.empty(0)}, [NDCG], seed=0)["ndcg"].value is None


@pytest.mark.parametrize("levels", [2, 6])
def test_ndcg_equals_scikit_learn(levels):
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


def test_ndcg_names_what_is_wrong():
    with pytest.raises(ValueError, match="`cutoff` must be one of relevant, scored, got 'ten'"):
        gains([[1]], [[1.0]], "ten")
    with pytest.raises(ValueError, match=r"shapes \(1, 2\) and \(1, 3\)"):
        gains([[1, 2]], [[1.0, 0.0, 0.0]])
    for bad in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match=f"`relevance` must be from 0 to 1, got {bad}"):
            gains([[1, 2]], [[1.0, bad]])
