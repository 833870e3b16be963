"""VQA accuracy of one file, by type; rankers side by side; the drawing."""

import json

import pytest
from robustness_records import annotations, answers, results

from voirdire.errors import InputError, OutputError, UsageError
from voirdire.robustness.accuracy import score_vqa
from voirdire.robustness.exam import AccuracyOptions, RScoreOptions, TrendOptions
from voirdire.robustness.plot import drawing, plot_partitions
from voirdire.robustness.ranker_trends import compare_rankers
from voirdire.robustness.score import score_accuracies, score_robustness

COUNT = 12
TRUTH = annotations(["yes"] * COUNT)
CLEAN = results(answers(range(10)))
FALLING = [results(answers(range(10 - number))) for number in range(1, 8)]
LEVEL = [results(answers([(at + number) % COUNT for at in range(6)])) for number in (3, 0, 5, 1, 6, 2, 4)]


def value(run, name):
    return run.measures[name].value


def test_both_definitions_by_type():
    people = {0: ["yes"] * 2 + ["no"] * 8, 1: ["yes"] * 3 + ["no"] * 7}
    run = score_vqa(annotations(["yes"] * 4, people), results(["yes"] * 4))
    assert value(run, "accuracy") == pytest.approx((60 + 90 + 200) / 4)
    assert value(run, "accuracy:eq6") == pytest.approx((200 / 3 + 300) / 4)
    # Questions 0 and 3 are yes/no; 0 and 2 are of type "what 0".
    assert value(run, "accuracy[yes/no]") == pytest.approx(80)
    assert value(run, "accuracy[yes/no]:eq6") == pytest.approx((200 / 3 + 100) / 2)
    assert value(run, "accuracy[what 0]") == pytest.approx(80)
    assert value(run, "accuracy[what 1]") == pytest.approx(95)
    assert list(map(str, run.measures))[-2:] == ["accuracy[what 1]", "accuracy[what 1]:eq6"]


def test_a_question_type_that_is_called_as_an_answer_type():
    truth = annotations(["yes"] * 3)
    object.__setattr__(truth, "question_types", ("other", "how many", "number"))
    run = score_vqa(truth, results(["yes", "no", "no"]))
    assert value(run, "accuracy[other]") == 0
    assert value(run, "accuracy[question type other]") == 100
    assert value(run, "accuracy[question type number]") == 0
    assert run.items["question_type"].to_list() == ["other", "how many", "number"]


def test_common_questions_only():
    part = results([None, *["yes"] * 11, "yes"])
    with pytest.raises(InputError, match="question 100: found nothing"):
        score_vqa(TRUTH, part, AccuracyOptions(strict=True))
    run = score_vqa(TRUTH, part)
    assert run.measures == score_vqa(TRUTH, part, AccuracyOptions(common=True)).measures
    assert (run.measures["accuracy"].n, run.measures["accuracy:asked"].n) == (11, 12)
    assert run.warnings == (
        "11 questions of 12 are scored. The results lack 1 of the annotations (question 100): `:asked` counts these as "
        "wrong. The annotations are a sample: 1 other questions of the results are left aside.",
    )


def test_rankers_side_by_side():
    run = compare_rankers(TRUTH, {"lasso": FALLING, "bleu1": LEVEL}, CLEAN)
    assert value(run, "accuracy[lasso]:partition7") == pytest.approx(25)
    assert value(run, "accuracy[bleu1]:partition7") == pytest.approx(50)
    assert value(run, "trend_p[lasso]") < 0.01
    assert value(run, "trend_p[bleu1]") > 0.1
    assert value(run, "trend_p[lasso]:holm") == pytest.approx(2 * value(run, "trend_p[lasso]"))
    assert list(map(str, run.measures.of("trend_p")))[::2] == ["trend_p[lasso]", "trend_p[bleu1]"]
    assert "accuracy" not in compare_rankers(TRUTH, {"lasso": FALLING}).measures


def test_rankers_are_compared_on_the_same_questions():
    short = [*FALLING[:6], results([None, None, *answers(range(3))[2:]])]
    with pytest.raises(InputError, match="results of bleu4, partition 7"):
        compare_rankers(TRUTH, {"lasso": FALLING, "bleu4": short}, options=TrendOptions(strict=True))
    run = compare_rankers(TRUTH, {"lasso": FALLING, "bleu4": short}, options=TrendOptions(common=True))
    assert {figure.n for figure in run.measures.values()} == {10}
    (said,) = run.warnings
    assert said.startswith("2 of 12 questions are not in all files; all rankers are without them.")
    assert "lacks: lasso 0, bleu4 2." in said


def test_no_question_that_all_files_have():
    halves = [results([*["yes"] * 6, *[None] * 6]), results([*[None] * 6, *["yes"] * 6]), CLEAN]
    with pytest.raises(InputError, match="no question that all files have"):
        compare_rankers(TRUTH, {"lasso": halves}, options=TrendOptions(common=True))


@pytest.mark.parametrize(
    ("rankings", "message"), [({}, "at least one"), ({"x": FALLING[:2]}, "ranker x must have 3 to 7 partitions, got 2")]
)
def test_rankers_that_cannot_be_compared(rankings, message):
    with pytest.raises(UsageError, match=message):
        compare_rankers(TRUTH, rankings)


def test_the_drawing_holds_every_figure_and_its_interval():
    run = score_robustness(TRUTH, CLEAN, FALLING, results(answers(range(2))))
    made = drawing(run)
    points = {point["partition"]: point for point in made["data"]["values"]}
    assert list(points) == [*map(str, range(1, 8)), "random"]
    for number in range(1, 8):
        figure = run.measures[f"accuracy:partition{number}"]
        assert (points[str(number)]["low"], points[str(number)]["high"]) == (figure.low, figure.high)
    assert any("clean: 83.33" in json.dumps(layer) for layer in made["layer"])


def test_the_drawing_of_several_rankers():
    made = drawing(compare_rankers(TRUTH, {"lasso": FALLING, "bleu1": LEVEL}))
    assert {point["ranker"] for point in made["data"]["values"]} == {"lasso", "bleu1"}
    assert "clean" not in json.dumps(made["layer"])


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


def test_two_accuracies_that_are_known():
    run = score_accuracies(RScoreOptions(60.48, 54.63))
    assert value(run, "r_score") == pytest.approx(0.48, abs=0.005)
    assert value(run, "drop") == pytest.approx(5.85)
    with pytest.raises(UsageError, match="`noisy` must be at most 100, got 101"):
        RScoreOptions(50, 101)
    with pytest.raises(UsageError, match="`t` must be below `m`, got 30 and 20"):
        RScoreOptions(50, 40, t=30)
