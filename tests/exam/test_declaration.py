"""What an exam declares: every name leads somewhere, every format can be read, every measure tells of itself."""

from dataclasses import fields

import pytest

from voirdire.exam import Exam, Input, Part, exams, exams_reading, load
from voirdire.formats.catalogue import formats
from voirdire.metrics.measure import Measure
from voirdire.options import about, named, option_fields
from voirdire.report.methods import citations

PARTS = [(exam, part) for exam in exams() for part in exam.parts]
EVERY = pytest.mark.parametrize(("exam", "part"), PARTS, ids=[f"{exam.name}-{part.name}" for exam, part in PARTS])


def measures(part: Part) -> tuple[Measure, ...]:
    found = load(part.measures) if part.measures else ()
    return tuple(found() if callable(found) else found)


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


def test_a_name_with_braces_stands_for_as_many_files_as_are_numbered() -> None:
    one = Input("noisy", "Answers.", many=3)
    assert one.files("p{}.json") == ["p1.json", "p2.json", "p3.json"]
    assert one.files(("a.json", "b{}.json")) == ["a.json", "b1.json", "b2.json", "b3.json"]
    assert one.files(None) == []
    assert Input("games", "Games.").files("odd{}.json") == ["odd{}.json"]
