"""The drawing of accuracy by partition."""

import json

import pytest
from robustness_records import CLEAN, FALLING, LEVEL, TRUTH, answers, results

from voirdire.errors import OutputError, UsageError
from voirdire.robustness.exam import RScoreOptions
from voirdire.robustness.plot import drawing, plot_partitions
from voirdire.robustness.score import compare_rankers, score_accuracies, score_robustness


def test_the_drawing_holds_every_figure_and_its_interval():
    run = score_robustness(TRUTH, CLEAN, FALLING, results(answers(range(2))))
    spec = drawing(run)
    points = {point["partition"]: point for point in spec["data"]["values"]}
    assert list(points) == [*map(str, range(1, 8)), "random"]
    for number in range(1, 8):
        figure = run.measures[f"accuracy:partition{number}"]
        assert (points[str(number)]["low"], points[str(number)]["high"]) == (figure.low, figure.high)
    assert any("clean: 83.33" in json.dumps(layer) for layer in spec["layer"])


def test_the_drawing_of_several_rankers():
    spec = drawing(compare_rankers(TRUTH, {"lasso": FALLING, "bleu1": LEVEL}))
    assert {point["ranker"] for point in spec["data"]["values"]} == {"lasso", "bleu1"}
    assert "clean" not in json.dumps(spec["layer"])


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html")])
def test_files(tmp_path, ending, start):
    run = score_robustness(TRUTH, CLEAN, FALLING)
    path = plot_partitions(run, tmp_path / f"figure{ending}")
    data = path.read_bytes()
    assert data.lstrip()[:20].startswith(start)
    plot_partitions(run, path)
    assert path.read_bytes() == data
    if ending == ".html":
        assert b"<script src=" not in data
    if ending == ".svg":
        assert b"accuracy (%)" in data


def test_what_cannot_be_drawn(tmp_path):
    run = score_robustness(TRUTH, CLEAN, FALLING)
    with pytest.raises(UsageError, match=r"may be \.svg, \.png, \.html"):
        plot_partitions(run, tmp_path / "figure.pdf")
    with pytest.raises(UsageError, match="`robustness r-score`, which has no accuracy by partition"):
        plot_partitions(score_accuracies(RScoreOptions(60, 50)), tmp_path / "figure.svg")
    (tmp_path / "x.svg").mkdir()
    with pytest.raises(OutputError, match="folder"):
        plot_partitions(run, tmp_path / "x.svg")
