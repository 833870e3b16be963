"""The rankers by smoothed BLEU: beside the metric, sacrebleu and pycocoevalcap on every pair."""

import numpy as np
import pytest
from pycocoevalcap.bleu.bleu import Bleu
from sacrebleu.metrics import BLEU

from voirdire.metrics.bleu import bleu
from voirdire.metrics.ngrams import compare_texts
from voirdire.robustness.rankers import RANKERS

NOBODY = np.empty(0, np.int64)
ADDED = {"add-one": (0.0, 0.0, 1.0), "coco": (1e-15, 1e-9, 0.0)}


def made_up(count, seed, words=14, longest=11):
    rng = np.random.default_rng(seed)
    return [" ".join(f"w{n}" for n in rng.integers(0, words, rng.integers(1, longest))) for _ in range(count)]


def ranker(order, pool, smoothing):
    return RANKERS.make(f"bleu{order}")(pool, None, 0.0, smoothing=smoothing)


def metric(order, pool, question, smoothing):
    compared = compare_texts(pool, [question], [0, 1], np.zeros(len(pool)))
    return bleu(compared, *ADDED[smoothing])[:, order - 1]


@pytest.mark.slow
@pytest.mark.parametrize("smoothing", ADDED)
@pytest.mark.parametrize("order", range(1, 5))
def test_lists_are_those_of_the_metric(order, smoothing) -> None:
    pool = [*made_up(300, 1), "x y", "z"]
    questions = [*made_up(6, 2), "w1", "unheard of", " ".join(f"w{n % 14}" for n in range(70))]
    out = [NOBODY] * 5 + [np.array([3, 7])] + [NOBODY] * 3
    ranked = ranker(order, pool, smoothing).rank(questions, out, 21)
    for row, question in enumerate(questions):
        expected = metric(order, pool, question, smoothing)
        expected[out[row]] = 0
        places = ranked.places[row][ranked.places[row] >= 0]
        assert len(set(places.tolist())) == len(places) == min(21, int((expected > 0).sum()))
        np.testing.assert_allclose(ranked.scores[row, : len(places)], expected[places], rtol=1e-11)
        np.testing.assert_allclose(expected[places], np.sort(expected)[::-1][: len(places)], rtol=1e-11)
        for at in np.flatnonzero(np.diff(ranked.scores[row, : len(places)]) == 0):
            assert places[at] < places[at + 1]


@pytest.mark.parametrize("order", range(1, 5))
def test_add_one_is_that_of_sacrebleu(order) -> None:
    theirs = BLEU(smooth_method="add-k", smooth_value=1, max_ngram_order=order, tokenize="none")
    pool, question = made_up(80, 3), "w1 w2 w3 w4 w1 w5"
    expected = np.array([theirs.sentence_score(text, [question]).score / 100 for text in pool])
    np.testing.assert_allclose(metric(order, pool, question, "add-one"), expected, rtol=1e-9, atol=1e-12)


def test_coco_is_that_of_pycocoevalcap() -> None:
    pool, question = [*made_up(80, 4), "w1 w2"], "w1 w2 w3 w4 w1 w5"
    given = {at: [question] for at in range(len(pool))}, {at: [text] for at, text in enumerate(pool)}
    theirs = Bleu().compute_score(*given, verbose=0)[1]
    ranked = ranker(4, pool, "coco").rank([question], [NOBODY], len(pool))
    np.testing.assert_allclose(ranked.scores[0], np.array(theirs[3])[ranked.places[0]], rtol=1e-11)
    assert ranked.places[0].min() == 0  # every question of the pool has a score


def test_smoothing_fills_lists_that_are_short_without_it() -> None:
    pool = ["is the dog red", "is the dog big", "a red dog", "is the", "what then"]
    places = {
        smoothing: ranker(4, pool, smoothing).rank(["is the dog red"], [NOBODY], 5).places[0].tolist()
        for smoothing in ("none", "add-one", "coco")
    }
    assert places["none"] == [0, -1, -1, -1, -1]
    assert places["add-one"][:2] == [0, 1]
    assert places["add-one"][-1] == -1
    assert sorted(places["coco"]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("smoothing", ADDED)
def test_without_words(smoothing) -> None:
    assert ranker(4, ["a b", ""], smoothing).rank(["", "?"], [NOBODY] * 2, 2).places.tolist() == [[-1, -1]] * 2
    assert ranker(4, [""], smoothing).rank(["a"], [NOBODY], 2).places.tolist() == [[-1, -1]]
    assert ranker(4, ["a"], smoothing).signature["smoothing"] == smoothing
