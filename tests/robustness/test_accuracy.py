"""VQA accuracy of one file of answers, by type."""

import pytest
from robustness_records import TRUTH, annotations, results, value

from voirdire.errors import InputError
from voirdire.robustness.accuracy import score_vqa
from voirdire.robustness.exam import AccuracyOptions


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
