"""Scoring a model's clean and noisy answers: figures by hand, pairing, the trend, and what is left out."""

import numpy as np
import pytest
from robustness_records import CLEAN, COUNT, FALLING, TRUTH, annotations, answers, results, value

from voirdire.errors import InputError, UsageError
from voirdire.metrics.key import Key
from voirdire.metrics.r_score import LIMIT, TOLERANCE, r_score
from voirdire.robustness.exam import RobustnessOptions, RScoreOptions
from voirdire.robustness.score import score_accuracies, score_robustness
from voirdire.runs.view import Coverage


def values(run, *names):
    return [run.measures[name].value for name in names]


def test_figures_by_hand():
    run = score_robustness(TRUTH, CLEAN, FALLING, results(answers(range(1))))
    assert values(run, "accuracy", "accuracy:partition1", "accuracy:partition7") == pytest.approx(
        [1000 / 12, 900 / 12, 300 / 12]
    )
    assert values(run, "drop:partition1", "drop:partition7") == pytest.approx([100 / 12, 700 / 12])
    assert values(run, "accuracy:control", "drop:control") == pytest.approx([100 / 12, 900 / 12])
    assert values(run, "r_score", "r_score:partition1", "r_score:partition7") == pytest.approx(
        [*[float(r_score(1000 / 12, 900 / 12))] * 2, 0]
    )
    # Questions 0 to 9 are right, so of each type these places: 0 3 6 9, 1 4 7 (not 10), 2 5 8 (not 11).
    assert values(run, "accuracy[yes/no]", "accuracy[number]", "accuracy[other]") == pytest.approx([100, 75, 75])
    assert run.measures["trend_p"].value < 0.01
    assert run.measures["trend_p"].n == COUNT
    # People give one answer to each of these types of question, so that nobody can be above the commonest answers.
    (warning,) = run.warnings
    assert warning == (
        "R_score and drop say nothing of this model: its accuracy without noise, 83.3 %, is not above the 100.0 % that "
        "the commonest answer to each type of question gets."
    )


def test_the_measures_and_their_order():
    run = score_robustness(TRUTH, CLEAN, FALLING)
    numbers = range(1, 8)
    conditions = ("", *(f":partition{number}" for number in numbers))
    assert list(map(str, run.measures)) == [
        "accuracy",
        *(f"accuracy[{kind}]" for kind in ("yes/no", "number", "other")),
        *(f"accuracy:partition{number}" for number in numbers),
        *(f"drop:partition{number}" for number in numbers),
        "r_score",
        *(f"r_score:partition{number}" for number in numbers),
        *(f"accuracy[{kind}]:partition{number}" for number in numbers for kind in ("yes/no", "number", "other")),
        "accuracy_normalised",
        *(f"accuracy_normalised:partition{number}" for number in numbers),
        "drop_normalised:partition1",
        "r_score_normalised",
        *(f"sentences{condition}" for condition in conditions),
        *("commonest", "above_commonest", "above_commonest_normalised"),
        *(f"accuracy[{kind}]{condition}" for kind in ("what 0", "what 1") for condition in conditions),
        "trend_p",
    ]
    assert run.items.columns[:5] == ["image_id", "question_id", "answer_type", "question_type", "accuracy"]


def test_the_items_hold_the_texts():
    people = {1: ["two"] * 9 + ["three"]}
    truth = annotations(["yes", "two", "no"], people)
    gap, options = results(["a", None, "c"]), RobustnessOptions(common=True)
    items = score_robustness(truth, results([None, "1", "2"]), [gap], results(["x", "y", "z"]), options).items
    assert items["question_id"].to_list() == [100, 101, 102]
    assert items["answer"].to_list() == [None, "1", "2"]
    assert items["answer:partition1"].to_list() == ["a", None, "c"]
    assert items["answer:control"].to_list() == ["x", "y", "z"]
    assert items["humans"].to_list() == [["yes"] * 10, ["two"] * 9 + ["three"], ["no"] * 10]


def test_intervals_are_paired():
    """Each question loses the same: the accuracies vary from image to image, their difference does not."""
    people = {number: ["yes"] * 2 + ["no"] * (number % 5) + ["x"] * (8 - number % 5) for number in range(COUNT)}
    truth = annotations(["yes"] * COUNT, people)
    run = score_robustness(truth, results(["no"] * COUNT), [results(["no"] * COUNT)])
    accuracy, drop, score = (run.measures[name] for name in ("accuracy", "drop:partition1", "r_score"))
    assert accuracy.low < accuracy.value < accuracy.high
    assert (drop.low, drop.value, drop.high) == (0, 0, 0)
    assert (score.low, score.high) == (1, 1)


def test_a_model_that_ignores_what_is_added_is_told_apart():
    bad = results(answers([0]))
    run = score_robustness(TRUTH, bad, [bad])
    assert values(run, "r_score", "accuracy:partition1") == pytest.approx([1, 100 / 12])
    warning, bottom = run.warnings
    assert "is not above the 100.0 % that the commonest answer" in bottom
    assert "12 of 12 answers are the same" in warning
    assert "8.33 %" in warning


@pytest.mark.parametrize("count", [1, 2])
def test_no_trend_of_fewer_than_three_partitions(count):
    run = score_robustness(TRUTH, CLEAN, FALLING[:count])
    assert "trend_p" not in run.measures
    assert f"r_score:partition{count}" in run.measures


def test_a_rise_is_no_fall():
    run = score_robustness(TRUTH, CLEAN, FALLING[::-1])
    assert run.measures["trend_p"].value > 0.99


def test_nothing_changes_so_there_is_no_trend_to_test():
    run = score_robustness(TRUTH, CLEAN, [CLEAN] * 7)
    assert run.measures["trend_p"].value is None
    assert '"trend_p": {' in run.to_json()


def test_short_lists_are_compared_on_what_they_reach():
    """Partition 2 lacks the questions 0 and 1, which are right when they are clean."""
    short = results([None, None, *answers(range(8))[2:]])
    run = score_robustness(TRUTH, CLEAN, [FALLING[0], short, FALLING[2]], options=RobustnessOptions(common=True))
    assert run.measures["accuracy:partition2"].n == run.measures["drop:partition2"].n == 10
    assert values(run, "accuracy:partition2", "drop:partition2") == pytest.approx([60, 20])
    assert values(run, "r_score:partition2") == pytest.approx([float(r_score(80, 60))])
    assert run.measures["accuracy"].n == 12
    assert run.measures["trend_p"].n == 10
    lacks = "The results of partition2 lack 2 of the annotations (question 100; question 101)."
    assert f"10 questions of 12 are scored. {lacks}" in run.warnings
    assert any(warning.startswith("2 of 12 questions are not in every partition") for warning in run.warnings)


def problems(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def test_a_missing_answer_is_an_error_with_its_place():
    short = results([None, *answers(range(8))[1:]])
    strict = RobustnessOptions(strict=True)
    message = problems(lambda: score_robustness(TRUTH, CLEAN, [FALLING[0], short], options=strict))
    assert message.startswith("results of partition2: question 100: found nothing, expected what the annotations ask.")
    message = problems(lambda: score_robustness(TRUTH, short, FALLING, options=strict))
    assert message.startswith("clean results: question 100")


def test_a_missing_answer_counts_as_wrong_in_a_figure_of_its_own():
    """Skipping what is hard earns nothing: the first answer, which is right, is left out."""
    short = results([None, *answers(range(8))[1:]])
    run = score_robustness(TRUTH, short, FALLING)
    assert run.coverage == Coverage("question", 12, 11)
    assert (run.measures["accuracy"].n, run.measures["accuracy:asked"].n) == (11, 12)
    assert values(run, "accuracy:asked") == pytest.approx([values(run, "accuracy")[0] * 11 / 12])
    assert run.measures["accuracy:partition1"].n == 12
    assert run.measures["drop:partition1"].n == 11
    whole = score_robustness(TRUTH, CLEAN, FALLING)
    assert whole.coverage.complete
    assert "accuracy:asked" not in {str(key) for key in whole.measures}


def test_an_extra_answer_is_an_error_with_its_place():
    more, strict = results([*answers(range(8)), "yes"]), RobustnessOptions(strict=True)
    message = problems(lambda: score_robustness(TRUTH, more, FALLING, options=strict))
    assert "question 112: found this question, expected a question that the annotations ask" in message
    assert score_robustness(TRUTH, more, FALLING).coverage == Coverage("question", 12, 12, 1)


def test_annotations_of_another_split():
    other = results(answers(range(8)), first=5000)
    for common in (False, True):
        options = RobustnessOptions(common=common)
        message = problems(lambda options=options: score_robustness(TRUTH, other, FALLING, options=options))
        assert "none of the 12 questions of the annotations" in message
        assert "may be of another split" in message


def test_clean_and_noisy_share_no_question():
    first, second = results([*["yes"] * 6, *[None] * 6]), results([*[None] * 6, *["yes"] * 6])
    message = problems(lambda: score_robustness(TRUTH, first, [second], options=RobustnessOptions(common=True)))
    assert "no question in common with the clean results" in message


def test_no_annotation():
    assert "no question" in problems(lambda: score_robustness(annotations([]), CLEAN, FALLING))


@pytest.mark.parametrize("count", [0, 8])
def test_one_to_seven_partitions(count):
    with pytest.raises(UsageError, match=f"^`noisy` must be 1 to 7 files of answers, partition 1 first, got {count}$"):
        score_robustness(TRUTH, CLEAN, (FALLING * 2)[:count])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dataset": "mixed"}, "`dataset` must be one of general, yesno, got 'mixed'"),
        ({"t": 20}, "`t` must be below `m`, got 20 and 20"),
        ({"t": -1}, "`t` must be at least 0, got -1"),
        ({"m": 101}, "`m` must be at most 100, got 101"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(UsageError, match=message):
        RobustnessOptions(**options)


def test_the_bounds_of_the_metric_are_those_of_the_options():
    assert (RobustnessOptions.t, RobustnessOptions.m) == (RScoreOptions.t, RScoreOptions.m) == (TOLERANCE, LIMIT)


def test_the_order_of_a_file_makes_no_difference():
    turned = type(CLEAN)(CLEAN.question_ids[::-1].copy(), CLEAN.answers[::-1])
    assert score_robustness(TRUTH, turned, FALLING).measures == score_robustness(TRUTH, CLEAN, FALLING).measures


@pytest.mark.slow
def test_the_trend_keeps_its_level():
    """Over 200 random partitionings of answers that are right at different rates by question: 5 % and no more."""
    rng = np.random.default_rng(3)
    truth = annotations(["yes"] * 300)
    ease = rng.random(300)
    found = []
    for _ in range(200):
        noisy = [results(["yes" if right else "no" for right in rng.random(300) < ease]) for _ in range(7)]
        columns = np.array([[answer == "yes" for answer in one.answers] for one in noisy])
        assert columns.shape == (7, 300)
        found.append(_p(truth, noisy))
    below = np.mean(np.array(found) < 0.05)
    # Binomial of 200 at 0.05: between 4 and 17 with 99.5 %.
    assert 4 / 200 <= below <= 17 / 200
    assert 0.4 < np.mean(found) < 0.6


def _p(truth, noisy):
    """The p of `score` without its intervals, which would take minutes here."""
    from voirdire.robustness.accuracy import Judge, question_items
    from voirdire.robustness.score import trend

    judge = Judge(truth)
    keys = [Key("accuracy", condition=f"partition{at}") for at in range(1, len(noisy) + 1)]
    columns = {key: judge.judge(one, "").official for key, one in zip(keys, noisy, strict=True)}
    return trend(question_items(truth, np.arange(len(truth)), columns), list(columns))[0].value


def test_two_accuracies_that_are_known():
    run = score_accuracies(RScoreOptions(60.48, 54.63))
    assert value(run, "r_score") == pytest.approx(0.48, abs=0.005)
    assert value(run, "drop") == pytest.approx(5.85)
    with pytest.raises(UsageError, match="`noisy` must be at most 100, got 101"):
        RScoreOptions(50, 101)
    with pytest.raises(UsageError, match="`t` must be below `m`, got 30 and 20"):
        RScoreOptions(50, 40, t=30)
