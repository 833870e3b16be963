"""The section that compares models: each against the first, with the figures that `compare_runs` gives."""

from dataclasses import replace

from section_checks import check_section, tables, texts
from small_report import ranked

from voirdire.figures import show_difference, show_p, stars
from voirdire.report.comparisons import SLICES, comparison_section
from voirdire.report.content import Chart, Model
from voirdire.verdict.comparison import compare_runs


def model(label: str, shift: int, **changes: object) -> Model:
    run = ranked(shift)
    return Model(label, f"run-{label}", replace(run, **changes))  # type: ignore[arg-type]


def test_each_model_is_compared_with_the_first() -> None:
    models = [model("good", 0), model("bad", 3), model("alike", 0)]
    section, notes = comparison_section(models)
    assert notes == []
    assert section is not None
    check_section(section, models)
    found = tables(section)
    compared = compare_runs([one.label for one in models], [one.run for one in models])
    for number, comparison in enumerate(compared, start=1):
        rows = texts(found[f"compare-answers-rank-{number}"])
        assert [row[0] for row in rows] == [one.measure for one in comparison.measures]
        for row, one in zip(rows, comparison.measures, strict=True):
            assert row[3] == show_difference(one.difference) + stars(one.p_holm)
            assert row[5:7] == [show_p(one.p), show_p(one.p_holm)]


def test_findings_say_what_differs_and_what_does_not() -> None:
    section, _ = comparison_section([model("good", 0), model("bad", 3), model("alike", 0)])
    assert section is not None
    bad, alike = section.findings
    assert (bad.label, bad.tone) == ("bad", "bad")
    assert "40 items of answers rank" in bad.text
    assert "differ from good beyond chance" in bad.text
    assert (alike.label, alike.tone) == ("alike", "plain")
    assert "none of" in alike.text


def test_slices_that_differ_are_shown_and_counted() -> None:
    section, _ = comparison_section([model("good", 0), model("bad", 3)])
    assert section is not None
    found = tables(section)
    (comparison,) = compare_runs(["good", "bad"], [ranked(0), ranked(3)])
    differ = [one for one in comparison.slices if one.p_holm is not None and one.p_holm <= 0.05]
    rows = texts(found["compare-answers-rank-1-slices"])
    assert len(rows) == min(SLICES, len(differ))
    assert f"{len(differ)} of {len(comparison.slices)} slices differ" in found["compare-answers-rank-1-slices"].note


def test_the_forest_holds_shares_alone() -> None:
    section, _ = comparison_section([model("good", 0), model("bad", 3)])
    assert section is not None
    (chart,) = [one for one in section.contents if isinstance(one, Chart)]
    drawn = [row[1] for row in texts(chart.data)]
    assert "mrr" in drawn
    assert "mr" not in drawn


def test_runs_that_differ_in_what_matters_are_said_and_left_out() -> None:
    other = replace(ranked(1).signature, data={"visdial": "b" * 64})
    section, notes = comparison_section([model("good", 0), model("odd", 1, signature=other)])
    assert section is None
    (note,) = notes
    assert "answers rank" in note
    assert "data.visdial" in note


def test_one_model_is_not_compared() -> None:
    assert comparison_section([model("good", 0)]) == (None, [])
    assert comparison_section([]) == (None, [])
