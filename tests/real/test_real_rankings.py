"""Rankings of 97 real dialogues with all options and dense relevance: hand-made ones whose figures are known."""

import math

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from voirdire.answers.exam import RankAnswersOptions
from voirdire.answers.rank import rank_answers
from voirdire.formats.option_numbers import Ranks, Scores, read_dense
from voirdire.formats.visdial import read_visdial

pytestmark = pytest.mark.slow

ROUNDS = 970


@pytest.fixture(scope="module")
def dialogues(real_data):
    return read_visdial(real_data / "visdial" / "visdialconv" / "visdial_1.0_val_crowdsourced.json")


@pytest.fixture(scope="module")
def dense(real_data):
    return read_dense(real_data / "visdial" / "visdialconv" / "visdial_1.0_val_dense_annotations_crowdsourced.json")


@pytest.fixture(scope="module")
def places(dialogues):
    return dialogues.image_ids[dialogues.round_dialogues()], dialogues.round_numbers()


@pytest.fixture(scope="module")
def relevance(dialogues, dense, places):
    """One row a round: its relevances where it is annotated, else 1 for the truth."""
    table = np.eye(100)[dialogues.gt_index]
    rows = {pair: row for row, pair in enumerate(zip(*(place.tolist() for place in places), strict=True))}
    for row, pair in enumerate(zip(dense.image_ids.tolist(), dense.rounds.tolist(), strict=True)):
        table[rows[pair]] = dense.relevance[row]
    return table


def by(scores, places):
    """The ranking by scores, ties in the order of the options."""
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable") + 1
    return Ranks(*places, ranks.astype(np.int16))


def figures(run):
    return {str(key): figure.value for key, figure in run.measures.items()}


def test_the_truth_first(dialogues, dense, places):
    found = rank_answers(dialogues, by(np.eye(100)[dialogues.gt_index], places), dense=dense)
    single = figures(found)
    assert {single[name] for name in ("mr", "mrr", "recall@1", "recall@5", "recall@10")} == {1.0}
    assert found.measures["mrr"].n == ROUNDS
    assert found.measures["ndcg"].n == 97
    assert 0 < single["ndcg"] < 1


def test_by_relevance(dialogues, dense, places, relevance):
    found = figures(rank_answers(dialogues, by(relevance, places), dense=dense))
    assert found["ndcg"] == 1.0
    # The truth leads only where it is among the most relevant, so it does worse than in the ranking above.
    assert found["mrr"] < 1
    assert (
        figures(rank_answers(dialogues, by(relevance, places), dense=dense, options=RankAnswersOptions("scored")))[
            "ndcg"
        ]
        == 1.0
    )


def test_the_truth_last(dialogues, places):
    found = figures(rank_answers(dialogues, by(-np.eye(100)[dialogues.gt_index], places)))
    assert found == {"mr": 100, "mrr": pytest.approx(0.01), "recall@1": 0, "recall@5": 0, "recall@10": 0}


def test_the_truth_at_rank_7(dialogues, places):
    ranks = np.empty((ROUNDS, 100), dtype=np.int16)
    others = [rank for rank in range(1, 101) if rank != 7]
    for row, truth in zip(ranks, dialogues.gt_index.tolist(), strict=True):
        row[:] = [*others[:truth], 7, *others[truth:]]
    found = figures(rank_answers(dialogues, Ranks(*places, ranks)))
    assert found == {"mr": 7, "mrr": pytest.approx(1 / 7), "recall@1": 0, "recall@5": 0, "recall@10": 1}


def test_one_relevant_answer_moved_down(dialogues, dense, places, relevance):
    """The best answer of every annotated round goes to rank 3, and what it leaves comes forward."""
    ranks = by(relevance, places).ranks
    moved = np.select([ranks == 1, (ranks == 2) | (ranks == 3)], [3, ranks - 1], ranks).astype(np.int16)
    expected = []
    for row in relevance[_annotated(dense, places)]:
        ideal, m = -np.sort(-row), int((row > 0).sum())
        order = np.array([ideal[1], ideal[2], ideal[0], *ideal[3:]])
        discount = np.log2(np.arange(2, 102))
        expected.append((order / discount)[:m].sum() / (ideal / discount)[:m].sum())
    found = rank_answers(dialogues, Ranks(*places, moved), dense=dense)
    assert found.measures["ndcg"].value == pytest.approx(math.fsum(expected) / 97, abs=1e-12)


def test_scores_against_scikit_learn(dialogues, dense, places, relevance):
    scores = np.random.default_rng(11).random((ROUNDS, 100)) + 0.5 * relevance
    found = rank_answers(dialogues, None, Scores(*places, scores), dense, RankAnswersOptions("scored"))
    rows = _annotated(dense, places)
    assert found.measures["ndcg"].value == pytest.approx(ndcg_score(relevance[rows], scores[rows]), abs=1e-12)
    assert figures(found) == figures(
        rank_answers(dialogues, by(scores, places), dense=dense, options=RankAnswersOptions("scored"))
    )


def _annotated(dense, places):
    keys = set(zip(dense.image_ids.tolist(), dense.rounds.tolist(), strict=True))
    pairs = zip(*(place.tolist() for place in places), strict=True)
    return np.array([row for row, pair in enumerate(pairs) if pair in keys])
