"""What the exams need, and what they would do with files."""

from voirdire.exams import EXAMS
from voirdire.cli.plan import plan
from voirdire.formats.catalogue import formats


def test_the_four_exams_in_order() -> None:
    assert [exam.name for exam in EXAMS] == ["answers", "robustness", "questions", "scorekeeping"]


def test_every_need_names_formats_that_can_be_read_and_that_say_they_serve_the_exam() -> None:
    known = {one.name: one for one in formats()}
    for exam in EXAMS:
        for need in exam.needs:
            for name in need.formats:
                assert exam.name in known[name].exams, (exam.name, name)


def test_plan_says_what_is_used_and_what_is_missing() -> None:
    plans = {one.exam.name: one for one in plan({"d.json": "visdial", "q.json": "vqa_questions"})}
    assert [name for name, _ in plans["answers"].uses] == ["d.json"]
    assert [need.formats for need in plans["answers"].missing] == [("generations", "ranks", "scores")]
    assert [need.formats for need in plans["robustness"].missing] == [("vqa_annotations",), ("vqa_results",)]
    assert plans["questions"].uses == ()


def test_one_file_meets_a_need_that_any_of_several_formats_meets() -> None:
    plans = {one.exam.name: one for one in plan({"t.json": "visdial_text", "s.h5": "states"})}
    assert plans["scorekeeping"].missing == ()
