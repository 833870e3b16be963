"""The registry of exams: ours in their order, those of other packages, and names that there are not."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.exam import Exam, Part, exam_named, exam_texts, exams, exams_reading, part_named, read_run
from voirdire.exam.registry import _others, studied, views_of
from voirdire.items import ItemSchema
from voirdire.options import LimitOptions, Options
from voirdire.runs import write_run

TASTE = Exam("taste", "Is it good?", (), (Part("score", "Score.", print, makes="value"),), "Taste.")


class Point:
    """Where another package says that it has an exam."""

    def __init__(self, exam: object, name: str = "point") -> None:
        self.exam, self.name, self.value = exam, name, f"package:{name}"

    def load(self) -> object:
        if isinstance(self.exam, Exception):
            raise self.exam
        return self.exam


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes exams those of other packages."""

    def install(*points: Point) -> None:
        monkeypatch.setattr("voirdire.exam.registry.entry_points", lambda group: list(points))
        _others.cache_clear()
        exams.cache_clear()

    yield install
    _others.cache_clear()
    exams.cache_clear()


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


def test_exams_of_other_packages_stand_behind_ours_by_name(installed: Callable[..., None]) -> None:
    installed(Point(replace(TASTE, name="taste"), "taste"), Point(replace(TASTE, name="smell"), "smell"))
    assert [exam.name for exam in exams()][4:] == ["smell", "taste"]
    assert list(exam_texts("help"))[4:] == ["smell", "taste"]
    assert part_named("taste score").summary == "Score."


@pytest.mark.parametrize("name", ["answers", "taste"])
def test_two_exams_of_one_name_are_refused(installed: Callable[..., None], name: str) -> None:
    exam = replace(TASTE, name=name)
    installed(*([Point(exams()[0])] if name == "answers" else [Point(exam, "a"), Point(exam, "b")]))
    with pytest.raises(UsageError, match=f"two exams are called '{name}'; uninstall one"):
        exam_texts("help")


@pytest.mark.parametrize(
    ("exam", "message"),
    [
        (ImportError("no taste"), r"the exam 'point' \(package:point\) cannot be loaded: ImportError: no taste"),
        ("taste", "the entry point point of voirdire.exams must name an Exam, got str"),
        (replace(TASTE, context=("dialogs",)), "exam `taste`: `context` has 'dialogs'"),
    ],
    ids=["an import that fails", "something else", "a declaration that does not hold"],
)
def test_what_is_no_exam_is_refused_with_its_name(installed: Callable[..., None], exam: object, message: str) -> None:
    installed(Point(exam))
    with pytest.raises(UsageError, match=message):
        exam_named("taste")


def test_an_exam_reads_the_formats_of_its_inputs_and_those_that_it_names(installed: Callable[..., None]) -> None:
    assert "taste" not in exams_reading("coco")
    installed(Point(replace(TASTE, formats=("coco",))))
    assert "taste" in exams_reading("coco")
    assert "taste" not in exams_reading("visdial")


def test_exams_that_people_judge_are_named_where_one_is_not() -> None:
    exam = next(exam for exam in exams() if any(part.study for part in exam.parts))
    assert studied(exam.name)[0] is exam
    without = next(exam for exam in exams() if not any(part.study for part in exam.parts))
    with pytest.raises(UsageError, match=f"{without.name} has no part that people judge; these .* one: ") as caught:
        studied(without.name)
    assert without.name not in str(caught.value).partition("have one: ")[2]


@pytest.mark.parametrize(
    ("options", "items", "message"),
    [
        ({"limit": 2}, {"x": [1]}, ""),
        ({"limit": "two"}, {"x": [1]}, r"run\.json: field `options\.limit`: found 'two', expected what the part takes"),
        ({"limit": 0}, {"x": [1]}, r"field `options\.limit`: .*`limit` must be at least 1, got 0. Run the exam again"),
        ({"most": 2}, {"x": [1]}, r"field `options\.most`: found 2, expected no such option; there are limit\."),
        ({}, {"y": [1]}, r"items\.parquet: .*field `x`: found no such column, expected a column of whole numbers"),
    ],
)
def test_a_run_is_read_by_what_its_part_declares(
    installed: Callable[..., None], tmp_path: Path, options: dict[str, Any], items: dict[str, list[int]], message: str
) -> None:
    part = Part("score", "Score.", print, options=LimitOptions, items=ItemSchema(whole="x"))
    exam = replace(TASTE, parts=(part,))
    installed(Point(exam))
    run = replace(exam.run("score", Options(), pl.DataFrame(items), {}, {}), options=options)
    folder = write_run(run, tmp_path / "run")
    if not message:
        assert read_run(folder).options == options
        return
    with pytest.raises(InputError, match=f"(?s){message}"):
        read_run(folder)


def test_a_run_of_an_exam_that_is_not_installed_is_read_as_it_is(tmp_path: Path) -> None:
    run = replace(TASTE.run("score", Options(), pl.DataFrame({"y": [1]}), {}, {}), options={"most": 2})
    assert read_run(write_run(run, tmp_path / "run")).title == "taste score"


def test_a_part_without_views_is_not_compared(installed: Callable[..., None]) -> None:
    installed(Point(TASTE))
    run = TASTE.run("score", Options(), pl.DataFrame({"y": [1]}), {}, {})
    with pytest.raises(
        UsageError, match=r"`taste score` has no figures by which models are compared; .*: answers score"
    ):
        views_of(run)
