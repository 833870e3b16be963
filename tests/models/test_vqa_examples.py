"""Answers as classes, and the labels that the recipes draw."""

import numpy as np
import pytest
from coloured import annotated

from voirdire.errors import InputError
from voirdire.formats.vqa_annotations import VqaAnnotation, VqaAnnotations, VqaAnswer
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.models.vqa_examples import VqaExamples, majority_answers, make_examples

CLASSES = ("two", "one", "red", "blue")
PEOPLE = [
    ["two"] * 5 + ["one"] * 4 + ["rare"],
    ["red"] * 4 + ["rare"] * 4 + ["blue"] * 2,
    ["rare"] * 8 + ["one"] * 2,
    ["blue"] * 7 + ["red"] * 3,
]


def examples(people: list[list[str]] = PEOPLE) -> VqaExamples:
    """One question per list of ten answers, in another order than the annotations."""
    rows = [annotated(10 + at, 100 + at // 2, answers) for at, answers in enumerate(people)]
    asked = [VqaQuestion(10 + at, 100 + at // 2, f"question {at % 2}") for at in range(len(people))]
    return make_examples(VqaQuestions.from_rows(asked), VqaAnnotations.from_rows(rows[::-1]), CLASSES)


def test_answers_become_classes() -> None:
    made = examples()
    assert made.texts == ("question 0", "question 1")
    assert made.question.tolist() == [0, 1, 0, 1]
    assert made.image.tolist() == [100, 100, 101, 101]
    assert made.majority.tolist() == [0, 2, -1, 3]
    assert made.people[0].tolist() == [0] * 5 + [1] * 4 + [-1]
    # The second answer to question 1 is no class, and that of question 2 was given by two.
    assert made.second_share.tolist() == [0.4, 0.0, 0.0, 0.3]
    assert made.second[[0, 3]].tolist() == [1, 2]


def test_some_of_them() -> None:
    made = examples().only(np.array([False, True, False, True]))
    assert made.texts == ("question 1",)
    assert made.question.tolist() == [0, 0]
    assert made.majority.tolist() == [2, 3]
    assert made.second_share.tolist() == [0.0, 0.3]
    assert made.people.shape == (2, 10)


def drawn(made: VqaExamples, rule: str) -> np.ndarray:
    """How often each class was drawn for each question, in 4,000 epochs."""
    rng = np.random.default_rng(0)
    labels = np.stack([made.labels(rule, rng) for _ in range(4000)])  # type: ignore[arg-type]
    return np.stack([(labels == class_).mean(0) for class_ in (-1, 0, 1, 2, 3)], 1)


def test_labels_of_the_majority_are_not_drawn() -> None:
    assert drawn(examples(), "majority").tolist() == [
        [0, 1, 0, 0, 0],
        [0, 0, 0, 1, 0],
        [1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1],
    ]


def test_labels_are_drawn_from_the_people_who_gave_a_class() -> None:
    expected = [[0, 5 / 9, 4 / 9, 0, 0], [0, 0, 0, 4 / 6, 2 / 6], [0, 0, 1, 0, 0], [0, 0, 0, 0.3, 0.7]]
    assert np.allclose(drawn(examples(), "drawn"), expected, atol=0.03)
    nobody = examples([["rare"] * 10])
    assert nobody.labels("drawn", np.random.default_rng(0)).tolist() == [-1]


def test_second_answers_are_drawn_by_their_share() -> None:
    expected = [[0, 0.6, 0.4, 0, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0.3, 0.7]]
    assert np.allclose(drawn(examples(), "second"), expected, atol=0.03)


def test_without_a_majority_it_is_the_commonest_answer() -> None:
    answers = ["b"] * 3 + ["a"] * 4 + ["c"] * 3
    given = VqaAnnotation(1, 1, "what", "other", tuple(VqaAnswer(text) for text in answers))
    tied = VqaAnnotation(2, 1, "what", "other", tuple(VqaAnswer(text) for text in ["b", "a"] * 5))
    assert majority_answers(VqaAnnotations.from_rows([given, tied])) == ["a", "b"]


def test_files_of_other_questions_are_refused() -> None:
    asked = VqaQuestions.from_rows([VqaQuestion(1, 1, "a"), VqaQuestion(2, 1, "b")])
    answered = VqaAnnotations.from_rows([annotated(number, 1, ["yes"] * 10) for number in (2, 3)])
    with pytest.raises(InputError) as found:
        make_examples(asked, answered, ("yes",))
    assert "question 1, field `question_id`: found nothing" in str(found.value)
    assert "question 3" in str(found.value.problems[1])
