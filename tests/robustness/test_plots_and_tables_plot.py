"""The drawing of accuracy by partition."""

import json

import pytest
from robustness_records import CLEAN, FALLING, LEVEL, TRUTH, answers, results

from voirdire.errors import OutputError, UsageError
from voirdire.robustness.exam import PlotRobustnessOptions, RScoreOptions
from voirdire.robustness.plots_and_tables import draw_robustness, drawing
from voirdire.robustness.score import compare_rankers, score_accuracies, score_robustness


def save(run, path):
    assert draw_robustness([("a", run)], output=path).lines == (f"drawn: {path}",)
    return path


def test_the_drawing_holds_every_figure_and_its_interval():
    run = score_robustness(TRUTH, CLEAN, FALLING, results(answers(range(2))))
    spec = drawing({"a": run})
    points = {point["partition"]: point for point in spec["data"]["values"]}
    assert list(points) == [*map(str, range(1, 8)), "random"]
    for number in range(1, 8):
        figure = run.measures[f"accuracy:partition{number}"]
        assert (points[str(number)]["low"], points[str(number)]["high"]) == (figure.low, figure.high)
    assert any("clean: 83.33" in json.dumps(layer) for layer in spec["layer"])


def test_the_drawing_of_several_rankers():
    spec = drawing({"a": compare_rankers(TRUTH, {"lasso": FALLING, "bleu1": LEVEL})})
    assert {point["series"] for point in spec["data"]["values"]} == {"lasso", "bleu1"}
    assert "clean: " not in json.dumps(spec["layer"])


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html")])
def test_files(tmp_path, ending, start):
    run = score_robustness(TRUTH, CLEAN, FALLING)
    path = save(run, tmp_path / f"figure{ending}")
    data = path.read_bytes()
    assert data.lstrip()[:20].startswith(start)
    save(run, path)
    assert path.read_bytes() == data
    if ending == ".html":
        assert b"<script src=" not in data
    if ending == ".svg":
        assert b"accuracy (%)" in data


def test_what_cannot_be_drawn(tmp_path):
    run = score_robustness(TRUTH, CLEAN, FALLING)
    with pytest.raises(UsageError, match=r"may be \.svg, \.png, \.html"):
        save(run, tmp_path / "figure.pdf")
    with pytest.raises(UsageError, match="a is a run of `robustness r-score`, which has no accuracy by partition"):
        save(score_accuracies(RScoreOptions(60, 50)), tmp_path / "figure.svg")
    (tmp_path / "x.svg").mkdir()
    with pytest.raises(OutputError, match="folder"):
        save(run, tmp_path / "x.svg")


def test_several_models_have_a_line_each_and_their_clean_accuracy_beside():
    runs = {"a": score_robustness(TRUTH, CLEAN, FALLING), "b": score_robustness(TRUTH, CLEAN, LEVEL)}
    spec = drawing(runs)
    points = spec["data"]["values"]
    assert [(point["series"], point["value"]) for point in points if point["partition"] == "clean"] == [
        (name, run.measures["accuracy"].value) for name, run in runs.items()
    ]
    assert {point["series"] for point in points} == {"a", "b"}
    assert len(points) == 2 * 8
    assert "clean:" not in json.dumps(spec["layer"])


def test_rankers_of_several_models():
    run = compare_rankers(TRUTH, {"lasso": FALLING, "bleu1": LEVEL})
    spec = drawing({"x": run, "y": run})
    assert {point["series"] for point in spec["data"]["values"]} == {"x, lasso", "x, bleu1", "y, lasso", "y, bleu1"}


def test_the_drop_by_partition():
    run = score_robustness(TRUTH, CLEAN, FALLING)
    points = drawing({"a": run}, PlotRobustnessOptions("drop"))["data"]["values"]
    assert [point["value"] for point in points] == [run.measures[f"drop:partition{at}"].value for at in range(1, 8)]
    rankers = compare_rankers(TRUTH, {"lasso": FALLING})
    with pytest.raises(UsageError, match="b is a run of `robustness rankers`, which has no drop by partition"):
        drawing({"a": run, "b": rankers}, PlotRobustnessOptions("drop"))


def test_the_curve_of_r_score(tmp_path):
    options = PlotRobustnessOptions("r-score")
    points = drawing({}, options)["data"]["values"]
    curve = {round(point["distance"], 2): point["value"] for point in points}
    assert (curve[0.0], curve[20.0], curve[25.0]) == (1.0, 0.0, 0.0)
    assert curve[5.0] == pytest.approx((20**0.5 - 5**0.5) / (20**0.5 - 0.05**0.5))
    run = score_robustness(TRUTH, CLEAN, FALLING)
    last = drawing({"a": run}, options)["data"]["values"][-1]
    assert last == {
        "series": "a",
        "distance": abs(run.measures["drop:partition1"].value),
        "value": run.measures["r_score"].value,
    }
    path = tmp_path / "curve.html"
    draw_robustness([("a", run)], options, output=path)
    assert b"A_clean" in path.read_bytes()
    with pytest.raises(UsageError, match="which has no R_score"):
        drawing({"a": compare_rankers(TRUTH, {"lasso": FALLING})}, options)
    with pytest.raises(UsageError, match=r"was scored with t = 0.05 and m = 20.0; the curve is of 0.05 and 30"):
        drawing({"a": run}, PlotRobustnessOptions("r-score", m=30.0))
    with pytest.raises(UsageError, match="`run` must be given"):
        drawing({})
