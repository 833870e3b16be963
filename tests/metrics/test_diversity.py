"""Diversity of the answers of a round: by hand, and by plain loops."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.metrics.diversity import DIVERSITY, diversity

NAMES = [measure.name for measure in DIVERSITY]


def figures(rounds):
    """The figures of each round by name, of rounds that are lists of texts."""
    texts = [text for row in rounds for text in row]
    of = np.repeat(np.arange(len(rounds)), [len(row) for row in rounds])
    return [dict(zip(NAMES, row, strict=True)) for row in diversity(texts, of, len(rounds)).tolist()]


def test_names_and_directions():
    assert ["distinct1", "distinct2", *(f"self_bleu{n}" for n in range(1, 5)), "different"] == NAMES
    assert {each.better for each in DIVERSITY} == {"neither"}


def test_by_hand():
    same, apart, mixed = figures([["yes it is"] * 3, ["yes", "no"], ["a dog", "a cat", "A  dog"]])
    assert (same["distinct1"], same["distinct2"], same["different"]) == pytest.approx((3 / 9, 2 / 6, 1))
    assert [same[f"self_bleu{n}"] for n in (1, 2, 3, 4)] == pytest.approx([1, 1, 1, 0])
    assert (apart["distinct1"], apart["self_bleu1"], apart["different"]) == pytest.approx((1, 0, 2))
    assert np.isnan(apart["distinct2"])
    # a, dog, cat, A of six words; a dog, a cat, A dog of three pairs; case and spacing make no other answer.
    assert (mixed["distinct1"], mixed["distinct2"], mixed["different"]) == pytest.approx((4 / 6, 1, 2))
    # "a dog": `a` and `dog` are in the others; "a cat": `a` alone; "A dog": `dog` alone.
    assert mixed["self_bleu1"] == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)


def test_rounds_with_fewer_than_two_answers_have_no_figures():
    texts, rounds = ["yes", "no", "no"], np.array([2, 0, 0])
    actual = diversity(texts, rounds, 4)
    assert np.isnan(actual[[1, 2, 3]]).all()
    assert actual[0, NAMES.index("different")] == 1
    assert np.isnan(diversity([], np.empty(0, np.int64), 2)).all()
    with pytest.raises(ValueError, match="`rounds` must be one for each of 1 texts, got 2"):
        diversity(["yes"], np.array([0, 0]), 1)


def by_loops(row):
    """The same from the words of the definitions."""
    words = [text.split() for text in row]
    actual = {}
    for n in (1, 2):
        grams = [tuple(each[at : at + n]) for each in words for at in range(len(each) - n + 1)]
        actual[f"distinct{n}"] = len(set(grams)) / len(grams) if grams else np.nan
    for order in range(1, 5):
        scores = []
        for at, each in enumerate(words):
            others = words[:at] + words[at + 1 :]
            nearest = min((abs(len(other) - len(each)), len(other)) for other in others)[1]
            product = 1.0
            for n in range(1, order + 1):
                mine = Counter(tuple(each[i : i + n]) for i in range(len(each) - n + 1))
                theirs = [Counter(tuple(o[i : i + n]) for i in range(len(o) - n + 1)) for o in others]
                matched = sum(min(times, max(o[gram] for o in theirs)) for gram, times in mine.items())
                product *= matched / sum(mine.values()) if mine else 0.0
            brevity = 1.0 if len(each) >= nearest else np.exp(1 - nearest / len(each))
            scores.append(brevity * product ** (1 / order))
        actual[f"self_bleu{order}"] = float(np.mean(scores))
    actual["different"] = len({" ".join(each).casefold() for each in words})
    return actual


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "A"]), min_size=1, max_size=5).map(" ".join)


@pytest.mark.slow
@given(st.lists(st.lists(TEXTS, min_size=2, max_size=5), min_size=1, max_size=6))
def test_every_figure_is_its_definition(rounds):
    for outcome, row in zip(figures(rounds), rounds, strict=True):
        assert outcome == pytest.approx(by_loops(row), nan_ok=True)


def test_the_order_of_the_texts_is_nothing():
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(list("abcd"), rng.integers(1, 5))) for _ in range(60)]
    rounds = rng.integers(0, 9, 60)
    order = rng.permutation(60)
    again = diversity([texts[place] for place in order], rounds[order], 9)
    np.testing.assert_allclose(diversity(texts, rounds, 9), again)
