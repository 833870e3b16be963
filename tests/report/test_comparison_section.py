"""The section that compares models: each against the first, with the figures that `compare_runs` gives."""

from dataclasses import replace

import pytest
from section_checks import check_section, tables, texts
from small_report import ranked

from voirdire.figures import ARROWS, show_difference, show_interval, show_p, stars
from voirdire.report.comparison_section import DRAWN, OPEN, SLICES, compare_models, comparison_section
from voirdire.section.content import Chart, Fold, Model, Section
from voirdire.verdict.comparison import compare_runs


def model(label: str, shift: int, **changes: object) -> Model:
    run = ranked(shift)
    return Model(label, f"run-{label}", replace(run, **changes))  # type: ignore[arg-type]


def compared_section(models: list[Model]) -> tuple[Section | None, list[str]]:
    families, notes = compare_models(models)
    return comparison_section(families), notes


def test_each_model_is_compared_with_the_first() -> None:
    models = [model("good", 0), model("bad", 3), model("alike", 0)]
    section, notes = compared_section(models)
    assert notes == []
    assert section is not None
    check_section(section, models)
    found = tables(section)
    compared = compare_runs([model.label for model in models], [model.run for model in models])
    for number, comparison in enumerate(compared, start=1):
        rows = texts(found[f"compare-answers-rank-{number}"])
        assert [row[0] for row in rows] == [
            paired.measure.name + (" (%)" if paired.measure.share else "") + ARROWS[paired.measure.better]
            for paired in comparison.measures
        ]
        for row, paired in zip(rows, comparison.measures, strict=True):
            assert row[3] == show_difference(paired.difference * paired.measure.scale) + stars(paired.p_holm)
            assert row[5:7] == [show_p(paired.p), show_p(paired.p_holm)]


def test_findings_say_what_differs_and_what_does_not() -> None:
    section, _ = compared_section([model("good", 0), model("bad", 3), model("alike", 0)])
    assert section is not None
    bad, alike = section.findings
    assert (bad.label, bad.tone) == ("bad", "bad")
    assert "40 rounds that both were asked, answers rank" in bad.text
    assert "differ from good beyond chance" in bad.text
    assert (alike.label, alike.tone) == ("alike", "plain")
    assert "none of" in alike.text


def test_too_few_images_are_not_called_alike() -> None:
    def few(whole: Model) -> Model:
        return replace(whole, run=replace(whole.run, items=whole.run.items.filter(whole.run.items["image_id"] < 3)))

    section, _ = compared_section([few(model("good", 0)), few(model("bad", 3))])
    assert section is not None
    (finding,) = section.findings
    assert (finding.label, finding.tone) == ("bad", "plain")
    assert finding.text.endswith(
        " rounds that both were asked, answers rank, too few images to tell it from good: no p can be below 1.0000 "
        "after the correction."
    )


def test_slices_that_differ_are_shown_and_counted() -> None:
    section, _ = compared_section([model("good", 0), model("bad", 3)])
    assert section is not None
    found = tables(section)
    (comparison,) = compare_runs(["good", "bad"], [ranked(0), ranked(3)])
    differ = [paired for paired in comparison.slices if paired.p_holm is not None and paired.p_holm <= 0.05]
    rows = texts(found["compare-answers-rank-1-slices"])
    assert len(rows) == min(SLICES, len(differ))
    assert f"{len(differ)} of {len(comparison.slices)} slices differ" in found["compare-answers-rank-1-slices"].note


def test_the_forest_holds_shares_alone() -> None:
    section, _ = compared_section([model("good", 0), model("bad", 3)])
    assert section is not None
    percent, shares = [content for content in section.contents if isinstance(content, Chart)]
    assert [row[1] for row in texts(percent.data)] == ["recall@1 ↑", "recall@5 ↑", "recall@10 ↑"]
    assert [row[1] for row in texts(shares.data)] == ["mrr ↑"]


def test_runs_that_differ_in_what_matters_are_said_and_left_out() -> None:
    other = replace(ranked(1).signature, data={"visdial": "b" * 64})
    section, notes = compared_section([model("good", 0), model("odd", 1, signature=other)])
    assert section is None
    (note,) = notes
    assert note.startswith(
        "Runs of answers rank: good and odd cannot be compared, since their signatures differ in data."
    )
    assert "data.visdial" in note


def test_one_odd_run_does_not_stop_the_others() -> None:
    other = replace(ranked(1).signature, data={"visdial": "b" * 64})
    models = [model("good", 0), model("odd", 1, signature=other), model("bad", 3), model("even", 2, signature=other)]
    section, notes = compared_section(models)
    assert section is not None
    check_section(section, models)
    found = tables(section)
    # Those that the first cannot be compared with are compared with each other, as a family of their own.
    assert [row[0] for row in texts(found["comparison-summary"])] == ["bad against good", "even against odd"]
    for number, (first, second) in enumerate((("good", "bad"), ("odd", "even")), start=1):
        runs = {model.label: model.run for model in models}
        (alone,) = compare_runs([first, second], [runs[first], runs[second]])
        rows = texts(found[f"compare-answers-rank-{number}"])
        assert [row[6] for row in rows] == [show_p(paired.p_holm) for paired in alone.measures]
    assert [note.split(" cannot")[0] for note in notes] == [
        f"Runs of answers rank: good and {label}" for label in ("odd", "even")
    ]


def test_a_part_that_says_nothing_of_models_is_noted_once() -> None:
    section, notes = compared_section([model(label, 0, part="audit") for label in ("one", "two", "three")])
    assert section is None
    (note,) = notes
    assert "`answers audit` has no figures by which models are compared" in note


def test_the_summary_counts_what_differs() -> None:
    models = [model("good", 0), model("bad", 3), model("alike", 0)]
    section, _ = compared_section(models)
    assert section is not None
    bad, alike = texts(tables(section)["comparison-summary"])
    compared = compare_runs([model.label for model in models], [model.run for model in models])
    differ = [paired for paired in compared[0].measures if paired.p_holm <= 0.05]
    lead = next(paired for paired in compared[0].measures if paired.measure.name == "mrr")
    assert bad == [
        *("bad against good", "answers rank", "0", str(len(differ)), "0", str(len(compared[0].measures) - len(differ))),
        *("mrr ↑", show_difference(lead.difference) + stars(lead.p_holm), show_interval(lead.low, lead.high)),
        show_p(lead.p_holm),
    ]
    assert alike[:6] == ["alike against good", "answers rank", "0", "0", "0", str(len(compared[1].measures))]


@pytest.mark.slow
def test_many_comparisons_are_folded_and_their_charts_cut() -> None:
    few, many = (
        compared_section([model("good", 0), *(model(f"m{at}", at % 4) for at in range(count))])[0]
        for count in (OPEN, OPEN + 16)
    )
    assert few is not None
    assert many is not None
    for section, at_once in ((few, True), (many, False)):
        folds = [content for content in section.contents if isinstance(content, Fold)]
        assert {fold.at_once for fold in folds} == {at_once}
        assert all("of 5 measures differ" in fold.says for fold in folds)
    drawn = [content for content in many.contents if isinstance(content, Chart)]
    assert all(len(chart.data.rows) <= DRAWN for chart in drawn)
    assert "of 3 measures; the tables have all." in drawn[0].says


def test_one_model_is_not_compared() -> None:
    assert compared_section([model("good", 0)]) == (None, [])
    assert compared_section([]) == (None, [])
