"""Mean rank, reciprocal rank and recall: by hand, with ties, without items, and against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import label_ranking_average_precision_score, top_k_accuracy_score

from voirdire.metrics.ranks import MR, MRR, RECALLS, recall_at, true_ranks
from voirdire.runs import Estimate, estimate

MEASURES = [MR, MRR, *RECALLS]


def figures(ranks):
    found = estimate({"rank": ranks}, MEASURES, seed=0, resamples=50)
    return {str(key): one.value for key, one in found.items()}


def test_four_rounds_by_hand():
    found = figures(np.array([1, 2, 10, 100]))
    assert list(found) == ["mr", "mrr", "recall@1", "recall@5", "recall@10"]
    assert found["mr"] == 113 / 4
    assert found["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 10 + 1 / 100) / 4, abs=1e-15)
    assert (found["recall@1"], found["recall@5"], found["recall@10"]) == (0.25, 0.5, 0.75)


def test_a_constant_score_earns_nothing():
    found = figures(true_ranks(np.full((3, 100), 0.7), [0, 50, 99]))
    assert found == {"mr": 100, "mrr": 0.01, "recall@1": 0, "recall@5": 0, "recall@10": 0}


def test_no_round():
    found = estimate({"rank": np.empty(0, dtype=np.int64)}, MEASURES, seed=0)
    assert set(found.values()) == {Estimate(None, None, None, 0)}


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


def test_equal_to_scikit_learn():
    rng = np.random.default_rng(5)
    scores, truth = rng.random((300, 100)), rng.integers(0, 100, 300)
    found = figures(true_ranks(scores, truth))
    # With one label a row, the average precision of its ranking is the reciprocal rank.
    assert found["mrr"] == pytest.approx(label_ranking_average_precision_score(np.eye(100)[truth], scores), abs=1e-12)
    for k in (1, 5, 10):
        expected = top_k_accuracy_score(truth, scores, k=k, labels=np.arange(100))
        assert found[f"recall@{k}"] == pytest.approx(expected, abs=1e-12)
