"""From runs to a file: sections in the exams' order, labels that must differ, files that are whole or not there."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from section_checks import unpack
from small_report import ranked, small_report

from voirdire.errors import OutputError, UsageError
from voirdire.exam import views_of
from voirdire.report.make import ReportFormat, make_report, models_of, report_text, write_report
from voirdire.report.packed_items import pack_drill
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.runs.view import Coverage, estimate_views
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


def shown(run: Run, form: ReportFormat = "html") -> str:
    return report_text(make_report(models_of([("part", run), ("whole", ranked(3))]), Context()), form)


@pytest.mark.slow
def test_what_is_not_of_all_that_was_asked_says_so_beside_every_figure() -> None:
    some = replace(ranked(0), coverage=Coverage("round", 20_640, 2_064))
    page = shown(some)
    figures = re.findall(
        r'<span class="figure[^>]*data-run="1-part-answers-rank"[^>]*>[^<]*</span>(.{0,1200}?)</t[dh]>', page, re.S
    )
    assert len(figures) > 5
    assert all('<span class="covers">2,064 of 20,640 rounds</span>' in after for after in figures)
    # Of the other run nothing is missing.
    others = re.findall(r'data-run="2-whole-answers-rank"[^>]*>[^<]*</span>(.{0,1200}?)</t[dh]>', page, re.S)
    assert others
    assert not any("covers" in after for after in others)
    assert 'covers">' not in shown(replace(some, coverage=Coverage("round", 40, 40, beyond=7)))
    assert ": 2,064 of 20,640 rounds." in shown(some, "md").replace("\\", "")
    assert "Not of all that was asked" in shown(some, "latex")


def test_figures_with_missing_answers_as_wrong_are_complete_but_for_a_limit() -> None:
    some = replace(ranked(0), coverage=Coverage("round", 50, 40))
    assert (some.covers("mrr"), some.covers("mrr:asked")) == ("40 of 50 rounds", "")
    limit = {"limit": {"images": 20, "of": 2_064, "seed": 0}}
    limited = replace(some, signature=replace(some.signature, options=limit))
    assert limited.covers("mrr") == "20 of 2,064 images, seed 0; 40 of 50 rounds"
    assert limited.covers("mrr:asked") == "20 of 2,064 images, seed 0"
    assert '<span class="covers">20 of 2,064 images, seed 0</span>' in shown(replace(limited, coverage=None))


def test_a_measure_that_is_of_fewer_cases_says_so() -> None:
    whole = ranked(0)
    gains = pl.Series("ndcg", [0.5 if at % 4 == 0 else None for at in range(40)])
    bare = replace(whole, items=whole.items.with_columns(gains), coverage=Coverage("round", 40, 40))
    run = replace(bare, measures=estimate_views(views_of(bare), seed=0))
    (model,) = models_of([("part", run)])
    assert [model.coverage(measure) for measure in ("ndcg", "mrr", "")] == ["10 of 40 rounds", "", ""]
    assert '<span class="covers">10 of 40 rounds</span>' in shown(run)


def filters(path: Path, *runs: Run) -> dict[str, list[str]]:
    """The filters of the first list of items, and each item's value of them."""
    named = [(f"m{number}", run) for number, run in enumerate(runs)]
    report = make_report(models_of(named), Context(), slices=path)
    index: Any = unpack(pack_drill(report.sections[0].drills[0]).index)
    return {facet["name"]: [facet["values"][code] for code in facet["codes"]] for facet in index["facets"]}


def test_own_labels_filter_the_items(tmp_path: Path) -> None:
    path = tmp_path / "halls.csv"
    path.write_text("image_id,hall,floor\n0,left,1\n1,right,\n2,left,2\n")
    found = filters(path, ranked(0, count=8), ranked(2, count=8))
    assert list(found) == ["round", "hall", "floor"]
    assert found["hall"] == ["left", "left", "right", "right", "left", "left", "no label", "no label"]
    assert found["floor"] == ["1", "1", "no label", "no label", "2", "2", "no label", "no label"]
    path.write_text("image_id,round,hall\n0,1,left\n")
    assert filters(path, ranked(0, count=4))["hall"] == ["no label", "left", "no label", "no label"]


@pytest.mark.parametrize(("form", "start"), [("html", "<!DOCTYPE html>"), ("md", "# Voir Dire"), ("latex", "% good")])
def test_each_format_is_written(tmp_path: Path, form: str, start: str) -> None:
    path = write_report(small_report(), tmp_path / "deep" / "out", form)  # type: ignore[arg-type]
    assert path.read_text(encoding="utf-8").startswith(start)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="it is a folder"):
        write_report(small_report(), tmp_path)


def test_the_worst_slice_is_called_so_only_where_no_other_is_lower() -> None:
    """A small slice may be lower without being clearly so; then the clear one is not the worst."""
    kinds = ["other"] * 400 + ["yes/no"] * 400 + ["number"] * 21
    right = [40.0 if at % 2 else 80.0 for at in range(400)] + [90.0] * 400 + [0.0, 100.0, 70.0] * 7
    items = pl.DataFrame(
        {
            **{name: range(len(kinds)) for name in ("image_id", "question_id")},
            **dict.fromkeys(("accuracy", "accuracy:eq6", "accuracy_normalised"), right),
            "answer_type": kinds,
            "question_type": "what",
        }
    )
    bare = Run("robustness", {"seed": 0}, items, Measures(), Signature("0.1.0", seed=0), part="accuracy")
    run = replace(bare, measures=estimate_views(views_of(bare), seed=0))

    def worst(run: Run) -> str:
        section, *_ = make_report(models_of([("one", run)]), Context(())).sections
        (text,) = (finding.text for finding in section.findings if " over all" in finding.text)
        return text

    assert run.measures["accuracy[number]"].value < run.measures["accuracy[other]"].value
    assert worst(run).startswith("accuracy is clearly worse at answer type “other”: 60.00 % there (400 questions)")
    without = replace(bare, items=items.filter(pl.col("answer_type") != "number"))
    assert worst(replace(without, measures=estimate_views(views_of(without), seed=0))).startswith(
        "accuracy is worst at answer type “other”: 60.00 % there"
    )
