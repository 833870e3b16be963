"""Effectiveness by turn, drawn."""

import pytest
from question_games import FIGURE, FIGURE_ANSWERS, GivenAnswers, game, given

from voirdire.errors import UsageError
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.metrics.key import Key
from voirdire.questions.plots_and_tables import drawing, plot_turns
from voirdire.questions.score import score_questions
from voirdire.runs.estimate import Estimate, Measures

RUN = score_questions(*given(*(game(["yn", ("yn", "yy")[number % 2]], id_=number) for number in range(6))))


def test_a_point_per_turn_with_its_interval():
    spec = drawing({"keen": RUN})
    points = spec["data"]["values"]
    assert [(point["turn"], point["effectiveness"]) for point in points] == [(1, 1.0), (2, 0.0)]
    figure = RUN.measures["effectiveness@1"]
    assert (points[0]["low"], points[0]["high"]) == (figure.low, figure.high)
    assert "xOffset" not in spec["layer"][0]["encoding"]


def test_one_line_per_run():
    figure = score_questions([FIGURE], GivenAnswers([ObjectAnswers(7, FIGURE_ANSWERS)]))
    spec = drawing({"a": RUN, "b": figure})
    assert [point["run"] for point in spec["data"]["values"]] == ["a"] * 2 + ["b"] * 5
    assert spec["layer"][0]["encoding"]["xOffset"]["field"] == "run"


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html")])
def test_files(tmp_path, ending, start):
    figure = tmp_path / f"figure{ending}"
    assert plot_turns([("keen", RUN)], output=figure).lines == (f"drawn: {figure}",)
    data = figure.read_bytes()
    assert data.lstrip().startswith(start)
    if ending == ".svg":
        assert b"share of effective questions" in data
    if ending == ".html":
        assert b"<script src=" not in data


def test_a_run_whose_games_have_no_question(tmp_path):
    run = score_questions(*given(game([])))
    with pytest.raises(UsageError, match=r"silent: a run without effectiveness by turn: no game .* has a question"):
        plot_turns([("silent", run)], output=tmp_path / "figure.svg")


def test_what_cannot_be_drawn(tmp_path):
    with pytest.raises(UsageError, match=r"may be \.svg"):
        plot_turns([("keen", RUN)], output=tmp_path / "figure.pdf")
    shares = Measures({Key("object"): Estimate(0.5, None, None, 1)})
    other = type(RUN)("questions", {}, RUN.items, shares, RUN.signature, part="kinds")
    with pytest.raises(UsageError, match="a run of `questions kinds`, which has no effectiveness by turn"):
        plot_turns([("runs/kinds", other)], output=tmp_path / "figure.svg")
