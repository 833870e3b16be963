"""A model that answers in sentences is judged by its short answers, on the page and in a comparison, and it is said."""

import random

import pytest
from robustness_records import annotations, results

from voirdire import compare_runs
from voirdire.report.make import make_report, models_of
from voirdire.report.page import render
from voirdire.robustness.accuracy import score_vqa
from voirdire.robustness.score import score_robustness
from voirdire.section.context import Context

COUNT = 200
COLOURS = ("white", "black", "red", "blue", "green", "brown")
TRUTHS = random.Random(1).choices(COLOURS, k=COUNT)
TRUTH = annotations(TRUTHS)


def said(right: float, pattern: str = "{}", seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return [pattern.format(truth if draw.random() < right else "purple") for truth in TRUTHS]


WORDY, TERSE = said(0.7, "The answer is {}."), said(0.45, seed=1)


@pytest.fixture(scope="module")
def plain():
    return {"wordy": score_vqa(TRUTH, results(WORDY)), "terse": score_vqa(TRUTH, results(TERSE))}


@pytest.fixture(scope="module")
def under_noise():
    worse = [results(said(share, "The answer is {}.", seed=2)) for share in (0.5, 0.55)]
    terse = [results(said(share, seed=3)) for share in (0.3, 0.35)]
    return {
        "wordy": score_robustness(TRUTH, results(WORDY), worse),
        "terse": score_robustness(TRUTH, results(TERSE), terse),
    }


def report_of(runs):
    return make_report(models_of(runs.items()), Context(()))


def test_the_share_of_sentences_is_exact(plain):
    mixed = [*WORDY[:30], *TERSE[30:100], *(f"{text.capitalize()}." for text in TERSE[100:])]
    assert score_vqa(TRUTH, results(mixed)).measures["sentences"].value == 30 / COUNT
    assert [run.measures["sentences"].value for run in plain.values()] == [1, 0]


def test_short_answers_lead_the_exam_for_all_models(plain):
    report = report_of(plain)
    verdict = report.verdicts["robustness"]
    assert verdict.short == "wordy leads"
    assert "accuracy, official VQA definition" not in verdict.text
    section = report.sections[0]
    assert {headline.measure for headline in section.headlines} == {"accuracy_normalised"}
    assert {headline.beside for headline in section.headlines} == {"accuracy"}
    assert section.why[0].startswith(
        "Figures by short answers lead, with the official ones beside: wordy (100.0 % of its answers) answers in "
        "sentences, which"
    )
    page = render(report)
    assert 'official: <span class="figure" data-run="1-wordy-robustness-accuracy" data-measure="accuracy"' in page
    assert section.why[0] in page


def test_without_sentences_the_official_figure_leads(plain):
    section = report_of({"one": plain["terse"], "two": plain["terse"]}).sections[0]
    assert {headline.measure for headline in section.headlines} == {"accuracy"}
    assert not any("short answers" in note for note in section.notes)


def test_under_noise_every_headline_is_by_short_answers(under_noise):
    report = report_of(under_noise)
    assert [headline.measure for headline in report.sections[0].headlines[:4]] == [
        *("accuracy_normalised:partition1", "accuracy_normalised", "drop_normalised:partition1", "r_score_normalised"),
    ]
    assert report.verdicts["robustness"].short == "wordy leads"
    # Its official accuracy is 0, so that its official R_score is 1; that is no lead.
    run = under_noise["wordy"]
    assert run.measures["r_score"].value == 1
    assert any("R_score and drop say nothing of this model" in warning for warning in run.warnings)


def test_a_comparison_is_led_by_short_answers_and_says_so(plain, under_noise):
    (found,) = compare_runs(list(plain), list(plain.values()))
    assert [row.measure.name for row in found.measures[:2]] == ["accuracy_normalised", "accuracy"]
    assert found.lead.startswith("Figures by short answers lead")
    assert {row.measure.key.measure for row in found.slices} == {"accuracy_normalised"}
    (found,) = compare_runs(list(under_noise), list(under_noise.values()))
    rows = {row.measure.name: row for row in found.measures}
    assert rows["r_score"].mark == rows["drop:partition1"].mark == "†"
    assert rows["r_score"].best == (False, False)
    assert rows["r_score_normalised"].mark != "†"
    assert any(warning.startswith("† drop:partition1") for warning in found.warnings)


def test_official_figures_never_change(plain):
    official = {str(key): figure for key, figure in plain["wordy"].measures.items() if key.measure == "accuracy"}
    assert official["accuracy"].value == 0
    again = score_vqa(TRUTH, results(WORDY)).measures
    assert official == {name: again[name] for name in official}


def test_a_model_that_says_the_commonest_answer_is_not_ranked_by_what_noise_costs():
    kinds = [row % 2 for row in range(COUNT)]
    most = {kind: max(COLOURS, key=TRUTHS[kind::2].count) for kind in (0, 1)}
    constant = [most[kind] for kind in kinds]
    blind = score_robustness(TRUTH, results(constant), [results(constant), results(constant)])
    assert blind.measures["above_commonest"].value == 0
    assert blind.measures["r_score"].value == 1
    good = score_robustness(TRUTH, results(said(0.9)), [results(said(0.8, seed=4)), results(said(0.8, seed=5))])
    headlines = report_of({"blind": blind, "good": good}).sections[0].headlines
    caveats = {(each.label, each.measure): each.caveat for each in headlines if each.caveat}
    assert set(caveats) == {("blind", "drop:partition1"), ("blind", "r_score")}
    assert "is not above the" in caveats["blind", "r_score"]


def test_without_noise_the_section_is_called_vqa_accuracy(plain):
    report = report_of(plain)
    assert report.sections[0].title == "VQA accuracy"
    page = render(report)
    assert "`voirdire robustness rank`" in report.sections[0].notes[-1]
    assert "`voirdire robustness perturb`" in report.sections[0].notes[-1]
    assert "ranked related questions added as noise" not in page
