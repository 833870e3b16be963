"""The short answers in wordy results: beside the official accuracy, in every condition, and said where they matter."""

import pytest
from robustness_records import annotations, results

from voirdire import compare_runs
from voirdire.robustness.accuracy import score_vqa
from voirdire.robustness.score import score_robustness
from voirdire.text.short_answers import RULE

TRUTH = annotations(["yes", "2", "red bus", "no"] * 3)
SHORT = ["yes", "2", "red bus", "no"] * 3
WORDY = ["Yes, it is.", "There are two dogs.", "It is a red bus parked on the street.", "No."] * 3


def value(run, name):
    return run.measures[name].value


def test_wordy_answers_are_wrong_officially_and_right_by_their_short_answers():
    run = score_vqa(TRUTH, results(WORDY))
    assert value(run, "accuracy") == 0
    assert value(run, "accuracy_normalised") == 100
    assert value(run, "accuracy_normalised[number]") == 100
    assert run.signature.options["normalised"] == RULE
    assert run.items["answer"].to_list() == WORDY
    (warning,) = run.warnings
    assert "9 of 12 answers (75 %) are written as sentences" in warning
    assert "0.00 % as written, 100.00 % by the short answers in them (accuracy_normalised)" in warning


def test_short_answers_keep_their_accuracy_and_no_warning():
    run = score_vqa(TRUTH, results([*SHORT[:-1], "red, white and blue"]))
    assert run.items["accuracy_normalised"].to_list() == run.items["accuracy"].to_list()
    assert run.warnings == ()


def test_letter_case_and_a_full_stop_alone():
    """Where all ten people say the same, the official tool compares texts as they are: "No." is not "no"."""
    run = score_vqa(TRUTH, results(["Yes", "2.", "Red bus", "no"] * 3))
    assert value(run, "accuracy") == 25
    assert value(run, "accuracy_normalised") == 100
    assert run.warnings == (
        "results: letter case and marks cost accuracy where all ten people wrote the same answer: 25.00 % as written, "
        "100.00 % without them (accuracy_normalised).",
    )
    assert value(run, "sentences") == 0


def test_a_wrong_sentence_stays_wrong():
    run = score_vqa(TRUTH, results(["No, it is not.", "There are five.", "It is a blue car.", "Yes."] * 3))
    assert value(run, "accuracy_normalised") == 0


def test_every_condition_has_it():
    lost = ["No.", *WORDY[1:]]
    run = score_robustness(TRUTH, results(WORDY), [results(lost), results(WORDY)], results(SHORT))
    assert value(run, "accuracy") == value(run, "accuracy:partition1") == 0
    assert value(run, "accuracy_normalised") == 100
    assert value(run, "accuracy_normalised:partition1") == pytest.approx(1100 / 12)
    assert value(run, "accuracy_normalised:partition2") == 100
    assert value(run, "accuracy_normalised:control") == value(run, "accuracy:control") == 100
    assert value(run, "drop_normalised:partition1") == pytest.approx(100 / 12)
    assert value(run, "r_score") == 1
    assert 0 < value(run, "r_score_normalised") < 1
    assert run.signature.options["normalised"] == RULE
    (warning,) = (warning for warning in run.warnings if "written as sentences" in warning)
    assert warning.startswith("clean results: 9 of 12")
    assert warning.endswith("So are those of 2 more files.")


def compared(first, second):
    (comparison,) = compare_runs(["first", "second"], [first, second], slices=False)
    return [figure.measure.name for figure in comparison.measures]


def test_a_wordy_model_is_compared_with_a_short_one_by_both():
    wordy, short = (score_vqa(TRUTH, results(some)) for some in (WORDY, SHORT))
    assert compared(wordy, short) == compared(short, wordy) == ["accuracy_normalised", "accuracy", "accuracy:eq6"]
    assert compared(short, short) == ["accuracy", "accuracy:eq6"]
