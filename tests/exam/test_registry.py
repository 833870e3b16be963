"""The registry of exams: ours in their order, those of other packages, and names that there are not."""

import pytest

from voirdire.errors import UsageError
from voirdire.exam import Exam, exam_named, exam_texts, exams, part_named
from voirdire.exam.registry import _others


def test_the_four_exams_in_order() -> None:
    assert [exam.name for exam in exams()] == ["answers", "robustness", "questions", "scorekeeping"]


def test_an_exam_and_a_part_that_there_are_not() -> None:
    with pytest.raises(UsageError, match="there is no exam 'taste'; there are: answers, robustness"):
        exam_named("taste")
    with pytest.raises(UsageError, match="answers has no part 'sing'; it has score"):
        part_named("answers sing")


def test_the_list_of_exams_says_what_their_declarations_say() -> None:
    assert exam_texts("help") == {exam.name: exam.help for exam in exams()}
    assert exam_texts("question") == {exam.name: exam.question for exam in exams()}
    assert [exam_named(name).name for name in exam_texts("help")] == list(exam_texts("help"))


def test_two_exams_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "other"

        def load(self) -> Exam:
            return exams()[0]

    monkeypatch.setattr("voirdire.exam.registry.entry_points", lambda group: [Point()])
    _others.cache_clear()
    try:
        with pytest.raises(UsageError, match="two exams are called 'answers'; uninstall one"):
            exam_texts("help")
    finally:
        _others.cache_clear()
