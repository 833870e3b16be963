"""Ranks of the truth and measures over k, drawn from runs."""

import pytest
from score_records import generations, references

from voirdire.answers.exam import BoundOptions, PlotAnswersOptions, ScoreAnswersOptions
from voirdire.answers.plots_and_tables import figure, plot_runs
from voirdire.answers.score import score_answers, score_bounds
from voirdire.errors import UsageError
from voirdire.runs import Run, Signature

SETS = references([["a b", "a cab"], ["bad", "a bad dab"], ["d"]])


def scored(texts):
    return score_answers(generations(texts), SETS, ScoreAnswersOptions(measures=("cider", "rouge")))


MANY = scored([["a b"] * 4 + ["c"], ["bad", "a", "b", "c", "d"], ["d"] * 5])
WORSE = scored([["c"] * 5, ["c"] * 5, ["d"] * 5])


def ranked(ranks):
    import polars as pl

    items = pl.DataFrame({"image_id": range(len(ranks)), "round": [0] * len(ranks), "rank": ranks})
    return Run(exam="answers", part="rank", options={}, items=items, measures={}, signature=Signature("0", {}))


def test_ranks_of_the_truth_by_model():
    runs = [("x", ranked([1, 1, 2, 15])), ("y", ranked([100, 91, 50, 7]))]
    points = figure(runs, PlotAnswersOptions()).spec["data"]["values"]
    shares = {(point["series"], point["at"]): point["value"] for point in points}
    assert len(shares) == 2 * 19
    assert {place: share for (series, place), share in shares.items() if series == "x" and share} == {
        "1": 0.5,
        "2": 0.25,
        "11–20": 0.25,
    }
    assert {place: share for (series, place), share in shares.items() if series == "y" and share} == {
        "7": 0.25,
        "41–50": 0.25,
        "91–100": 0.5,
    }


@pytest.mark.parametrize(("name", "key"), [(None, "cider4"), ("rouge_l", "rouge_l")])
def test_a_measure_over_k_by_model(name, key):
    drawn = figure([("x", MANY), ("y", WORSE)], PlotAnswersOptions(name))
    points = {(point["series"], point["at"]): point for point in drawn.spec["data"]["values"]}
    assert list(points) == [(f"{run}, {what}", k) for run in "xy" for what in ("mean", "best") for k in (1, 5)]
    for label, run in (("x", MANY), ("y", WORSE)):
        mean, best = run.measures[f"{key}@5"], run.measures[f"{key}@5:best"]
        assert (points[f"{label}, mean", 5]["value"], points[f"{label}, mean", 5]["low"]) == (mean.value, mean.low)
        assert points[f"{label}, best", 5]["value"] == best.value


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html")])
def test_files(tmp_path, ending, start):
    path = tmp_path / f"figure{ending}"
    assert plot_runs([("x", MANY)], output=path).lines == (f"CIDEr-4 by number of generations: {path}",)
    assert path.read_bytes().lstrip().startswith(start)


def test_what_cannot_be_drawn(tmp_path):
    single = scored([["a b"], ["bad"], ["d"]])
    for runs, options, says in (
        ([("x", MANY), ("y", ranked([1]))], PlotAnswersOptions(), "got answers rank, answers score"),
        ([("x", score_bounds(SETS, BoundOptions(measures=("rouge",))))], PlotAnswersOptions(), "got answers bounds"),
        ([("x", MANY), ("y", single)], PlotAnswersOptions(), "y: its rounds have one generation each"),
        ([("x", MANY)], PlotAnswersOptions("meteor"), "got 'meteor'; there are cider1, cider2"),
        ([("x", ranked([1]))], PlotAnswersOptions("meteor"), "`measure` is for runs of `answers score`"),
        ([("x", ranked([None]))], PlotAnswersOptions(), "no run has ranks of the true answer"),
    ):
        with pytest.raises(UsageError, match=says):
            figure(runs, options)
    with pytest.raises(UsageError, match=r"may be \.svg, \.png, \.html"):
        plot_runs([("x", MANY)], output=tmp_path / "figure.pdf")
