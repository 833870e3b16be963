"""Rankers side by side, on the same questions."""

import pytest
from robustness_records import CLEAN, FALLING, LEVEL, TRUTH, answers, results, value

from voirdire.errors import InputError, UsageError
from voirdire.robustness.exam import TrendOptions
from voirdire.robustness.score import compare_rankers


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
