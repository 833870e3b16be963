"""What an exam declares: every name leads somewhere, every format can be read, every measure tells of itself."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import voirdire
from voirdire.answers.exam import JudgedAnswersOptions
from voirdire.call import Call
from voirdire.errors import UsageError
from voirdire.exam import Exam, Input, Part, exam_named, exam_texts, exams, exams_reading, load, part_named
from voirdire.exam.registry import _others
from voirdire.formats.catalogue import formats
from voirdire.metrics.measure import Measure
from voirdire.options import about, named, option_fields
from voirdire.report.methods import citations

PARTS = [(exam, part) for exam in exams() for part in exam.parts]
EVERY = pytest.mark.parametrize(("exam", "part"), PARTS, ids=[f"{exam.name}-{part.name}" for exam, part in PARTS])


def measures(part: Part) -> tuple[Measure, ...]:
    found = load(part.measures) if part.measures else ()
    return tuple(found() if callable(found) else found)


def test_the_four_exams_in_order() -> None:
    assert [exam.name for exam in exams()] == ["answers", "robustness", "questions", "scorekeeping"]


@EVERY
def test_every_name_leads_somewhere(exam: Exam, part: Part) -> None:
    for one in option_fields(part.options):
        if about(one).provider:
            assert hasattr(load(about(one).provider), "check")


@EVERY
def test_inputs_name_formats_that_can_be_read_and_serve_the_exam(exam: Exam, part: Part) -> None:
    known = {one.name for one in formats()}
    for one in part.inputs:
        for name in one.kinds:
            assert name in known
            assert exam.name in exams_reading(name)


@EVERY
def test_options_and_inputs_say_what_they_are_for_and_have_names_of_their_own(exam: Exam, part: Part) -> None:
    said = [about(one).help for one in option_fields(part.options)]
    said += [one.help for one in (*part.inputs, *part.outputs)]
    assert all(text.endswith((".", "…")) for text in said), [text for text in said if not text.endswith((".", "…"))]
    names = [named(one) for one in fields(part.options)] + [one.name for one in (*part.inputs, *part.outputs)]
    assert len(set(names)) == len(names)


@EVERY
def test_measures_tell_of_themselves(exam: Exam, part: Part) -> None:
    if part.makes != "run":
        return
    found = measures(part)
    assert found, "a run's measures are declared"
    for one in found:
        assert one.label
        assert one.description, one.name
        assert not one.work or one.work in citations(), one.citation


def test_keys_of_a_config_are_each_of_the_data_or_of_the_model() -> None:
    for exam in exams():
        data, model = ({one.name for one in exam.session_inputs(of)} for of in (False, True))
        assert not data & model


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


def test_a_name_with_braces_stands_for_as_many_files_as_are_numbered() -> None:
    one = Input("noisy", "Answers.", many=3)
    assert one.files("p{}.json") == ["p1.json", "p2.json", "p3.json"]
    assert one.files(("a.json", "b{}.json")) == ["a.json", "b1.json", "b2.json", "b3.json"]
    assert one.files(None) == []
    assert Input("games", "Games.").files("odd{}.json") == ["odd{}.json"]


def strings(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_an_input_with_an_empty_name_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="`judgements` must name something, got an empty name"):
        Call(part_named("answers humans"), {"judgements": ""}, JudgedAnswersOptions()).run()


def test_nobody_above_names_an_exam() -> None:
    """Outside the exams, the world, the one registry and the public names, nobody holds an exam's name."""
    source = Path(voirdire.__file__).parent
    names = {exam.name for exam in exams()}
    # The fields of other people's files are called as they are: VisDial has `questions` and `answers`.
    allowed = {*names, "conversion", "formats", "world", "exam", "__init__.py"}
    found = [
        f"{path.relative_to(source)}:{line}: {text}"
        for path in sorted(source.rglob("*.py"))
        if path.relative_to(source).parts[0] not in allowed
        for line, text in strings(path)
        if text in names
    ]
    assert found == []
