"""From runs to a file: sections in the exams' order, labels that must differ, files that are whole or not there."""

from dataclasses import replace
from pathlib import Path

import pytest
from small_report import ranked, small_report

from voirdire.errors import OutputError, UsageError
from voirdire.report.make import make_report, models_of, write_report
from voirdire.section.context import Context


def test_models_have_keys_of_their_own() -> None:
    models = models_of([("My model!", ranked(0)), ("My model?", ranked(1)), ("日本", ranked(2))])
    assert [model.label for model in models] == ["My model!", "My model?", "日本"]
    assert [model.key for model in models] == ["1-my-model-answers-rank", "2-my-model-answers-rank", "3-x-answers-rank"]


def test_two_runs_of_a_part_need_two_labels() -> None:
    with pytest.raises(UsageError, match="two runs of `answers rank` are called 'same'"):
        models_of([("same", ranked(0)), ("same", ranked(1))])
    assert len(models_of([("same", ranked(0)), ("same", replace(ranked(0), part="bounds"))])) == 2


def test_a_report_of_two_runs() -> None:
    report = make_report(models_of([("good", ranked(0)), ("bad", ranked(3))]), Context())
    assert [section.exam for section in report.sections] == ["answers", "comparison"]
    assert report.notes == []


def test_runs_that_cannot_be_compared_are_noted() -> None:
    other = replace(ranked(0).signature, version="0.0.1")
    report = make_report(models_of([("good", ranked(0)), ("old", ranked(0, signature=other))]), Context())
    assert [section.exam for section in report.sections] == ["answers"]
    assert "version" in report.notes[0]


def test_what_no_section_is_for_is_an_error() -> None:
    with pytest.raises(UsageError, match="there is no exam 'swimming'"):
        make_report(models_of([("a", replace(ranked(0), exam="swimming"))]), Context())
    with pytest.raises(UsageError, match="at least one run"):
        make_report([], Context())


@pytest.mark.parametrize(("form", "start"), [("html", "<!DOCTYPE html>"), ("md", "# Voir Dire"), ("latex", "% good")])
def test_each_format_is_written(tmp_path: Path, form: str, start: str) -> None:
    path = write_report(small_report(), tmp_path / "deep" / "out", form)  # type: ignore[arg-type]
    assert path.read_text(encoding="utf-8").startswith(start)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="it is a folder"):
        write_report(small_report(), tmp_path)
