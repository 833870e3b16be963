"""VQA accuracy against its definition, read word for word."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.metrics.vqa_accuracy import EQ6, OFFICIAL, VQA_ACCURACY, HumanAnswers, accuracies, process_answers
from voirdire.runs import estimate


def official(prediction, answers):
    """For each person: the other nine who said the same, by three, at most one; then the mean."""
    said, others = process_answers(prediction, answers)
    shares = [min(Fraction(1), Fraction(sum(a == said for a in others[:j] + others[j + 1 :]), 3)) for j in range(10)]
    return float(100 * sum(shares) / 10)


def people(*questions):
    pool = list(dict.fromkeys(text for answers in questions for text in answers))
    return HumanAnswers(np.array([[pool.index(text) for text in answers] for answers in questions]), pool)


def test_by_number_of_matches():
    assert OFFICIAL[:5] == pytest.approx([0, 30, 60, 90, 100])
    assert (OFFICIAL[4:] == 100).all()
    assert EQ6[:4] == pytest.approx([0, 100 / 3, 200 / 3, 100])
    assert (EQ6[3:] == 100).all()


def test_texts_are_processed_only_where_people_differ():
    unanimous, mixed = ["2 dogs"] * 10, ["two dogs"] * 4 + ["a cat"] * 6
    assert people(unanimous, mixed).matches(["two dogs", "2 dogs"]).tolist() == [0, 4]
    assert people(unanimous, mixed).matches(["\t2 dogs\n", "The cat!"]).tolist() == [10, 6]


def test_chosen_questions_in_any_order():
    both = people(["yes"] * 10, ["no"] * 7 + ["yes"] * 3)
    assert both.matches(["no", "no", "yes"], np.array([1, 0, 1])).tolist() == [7, 0, 3]
    assert both.matches([], np.array([], dtype=np.int64)).tolist() == []


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="one for each of 1 questions, got 2"):
        people(["yes"] * 10).matches(["yes", "no"])
    with pytest.raises(ValueError, match="ten answers per question"):
        HumanAnswers(np.zeros((2, 9), dtype=np.int32), ["yes"])


WORDS = st.sampled_from(
    ["yes", "Yes", "a yes", "two", "2", "don't", "dont", "1,000", "1000", "no.", "", " yes ", "no,"]
)


@given(st.lists(WORDS, min_size=10, max_size=10), WORDS)
def test_equals_the_definition(answers, prediction):
    found = people(answers).matches([prediction])
    assert accuracies(found)[0] == official(prediction, answers)
    said, others = process_answers(prediction, answers)
    assert accuracies(found, EQ6)[0] == pytest.approx(100 * min(others.count(said) / 3, 1))


def test_the_measure_is_the_mean_in_percent():
    figure = estimate({"accuracy": np.array([0.0, 30.0, 90.0])}, [VQA_ACCURACY], seed=0)["accuracy"]
    assert (figure.value, figure.n) == (40.0, 3)
