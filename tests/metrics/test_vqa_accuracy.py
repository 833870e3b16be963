"""VQA accuracy against its definition; the official answer processing: by hand, and against a second implementation."""

import string
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.metrics.vqa_accuracy import (
    EQ6,
    OFFICIAL,
    VQA_ACCURACY,
    HumanAnswers,
    accuracies,
    process_answer,
    process_answers,
    tidy_answer,
)
from voirdire.runs import estimate


def official(prediction, answers):
    """For each person: the other nine who said the same, by three, at most one; then the mean."""
    given, others = process_answers(prediction, answers)
    shares = [min(Fraction(1), Fraction(sum(a == given for a in others[:j] + others[j + 1 :]), 3)) for j in range(10)]
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
    actual = people(answers).matches([prediction])
    assert accuracies(actual)[0] == official(prediction, answers)
    given, others = process_answers(prediction, answers)
    assert accuracies(actual, EQ6)[0] == pytest.approx(100 * min(others.count(given) / 3, 1))


def test_the_measure_is_the_mean_in_percent():
    figure = estimate({"accuracy": np.array([0.0, 30.0, 90.0])}, [VQA_ACCURACY], seed=0)["accuracy"]
    assert (figure.value, figure.n) == (40.0, 3)


@pytest.mark.parametrize(
    ("answer", "processed"),
    [
        ("Yes", "yes"),
        ("  a dog\n", "dog"),
        ("the\tred car", "red car"),
        ("an apple a day", "apple day"),
        ("None", "0"),
        ("ten one-two", "10 1 2"),
        ("eleven", "eleven"),
        ("dont know", "don't know"),
        ("it's", "it's"),
        ("he'dve", "he'd've"),
        ("couldnt've", "couldn't've"),
        ("somebody'd", "somebodyd"),
        ("Im", "im"),
        ("yall'd've", "y'all'd've"),
        ("ow's'at", "'ow's'at"),
        # A mark inside words becomes a space; the same mark next to a space anywhere vanishes everywhere.
        ("black/white", "black white"),
        ("black/white / grey", "blackwhite grey"),
        ("red, blue", "red blue"),
        ("red,blue", "red blue"),
        ("t-shirt", "t shirt"),
        ("t-shirt -", "tshirt"),
        # A digit, a comma and a digit make every mark vanish.
        ("1,000", "1000"),
        ("1,000 t-shirts", "1000 tshirts"),
        ("1, 000", "1 000"),
        # Full stops go unless a digit follows; what stands before makes no difference.
        ("3.5", "3.5"),
        ("3.", "3"),
        ("a.m.", "am"),
        (".5", ".5"),
        ("u.s.a", "usa"),
        ("." * 33, "."),
        ("7:30", "7:30"),
        ("what?!", "what"),
        ("(a) [b] {c}", "b c"),
        ("", ""),
        ("the", ""),
    ],
)
def test_processing_by_hand(answer: str, processed: str) -> None:
    assert process_answer(answer) == processed


def test_parentheses_next_to_a_space_vanish() -> None:
    # `(a)` has its second mark next to a space and its first not: the first leaves a space, and `a` is an article.
    assert process_answer("x(a) b") == "x b"


def test_processing_runs_only_where_annotators_differ() -> None:
    assert process_answers(" The Dog. ", ["the dog", "the dog\n"]) == ("The Dog.", ["the dog", "the dog"])
    assert process_answers("The Dog.", ["the dog", "a cat"]) == ("dog", ["dog", "cat"])
    assert process_answers("The Dog.", []) == ("The Dog.", [])


def test_tidying_keeps_other_white_space() -> None:
    assert tidy_answer("\ta\nb  c\r") == "a b  c"


APOSTROPHES = {
    "arent": "aren't",
    "hes": "he's",
    "theyll": "they'll",
    "wouldn'tve": "wouldn't've",
    "twas": "'twas",
    "y'allll": "y'all'll",
    "oclock": "o'clock",
}


def processed_again(text: str) -> str:
    """The rules letter by letter: no regular expressions, one pass a step."""
    text = "".join(" " if letter in "\n\t" else letter for letter in text).strip()
    big_number = any(
        text[i] == "," and text[i - 1].isdecimal() and text[i + 1].isdecimal() for i in range(1, len(text) - 1)
    )
    neighbours = {text[i] for i in range(len(text)) if " " in (text[i - 1 : i], text[i + 1 : i + 2])}
    kept = []
    for letter in text:
        if letter not in set(string.punctuation) - set("'.:#$%&*^|~"):
            kept.append(letter)
        elif not (big_number or letter in neighbours):
            kept.append(" ")
    out, removed = [], 0
    for i, letter in enumerate(kept):
        if letter == "." and removed < 32 and not (i + 1 < len(kept) and kept[i + 1].isdecimal()):
            removed += 1
        else:
            out.append(letter)
    words = "".join(out).lower().split()
    digits = {"none": "0", "one": "1", "ten": "10"}
    words = [digits.get(word, word) for word in words]
    return " ".join(APOSTROPHES.get(word, word) for word in words if word not in ("a", "an", "the"))


PARTS = st.sampled_from([*string.punctuation, *" \n\t.,,'019", "1,2", "." * 17, "x", "A", "an", "the", "none", "Ten"])
CONTRACTED = st.sampled_from(list(APOSTROPHES)).map(lambda word: f" {word} ")


@pytest.mark.slow
@settings(max_examples=500)
@given(st.lists(PARTS | CONTRACTED, max_size=14).map("".join))
def test_a_second_implementation_agrees(text: str) -> None:
    assert process_answer(text) == processed_again(text)
