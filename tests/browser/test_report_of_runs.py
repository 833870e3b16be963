"""The page of real runs of all four exams: every figure in it is a run's, and every section can be read by all."""

import re
from pathlib import Path
from typing import Any

import pytest
from probe_dialogues import Table, given, material
from question_games import AGAIN, WELL
from robustness_runs import below, robust, said
from small_report import ranked
from watching import barriers, check_figures, figures, shows

from voirdire import compare_runs
from voirdire.figures import ALPHA
from voirdire.questions.score import score_questions
from voirdire.report.make import make_report, models_of, write_report
from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.probe.score import probe_states
from voirdire.section.content import Model
from voirdire.section.context import Context

pytestmark = pytest.mark.slow

EXAMS = ("answers", "robustness", "questions", "scorekeeping")


@pytest.fixture(scope="module")
def models() -> list[Model]:
    """Two models, each with a run of every exam; the second is the worse one."""
    small = ProbeOptions(epochs=2, batch=128, rate=3e-2, hidden=16)
    falling = [said(below(share)) for share in (0.7, 0.5, 0.3)]
    runs = {
        "good": (
            ranked(0),
            robust(said(below(0.9)), [said(below(0.9))] * 3, said(below(0.9))),
            score_questions(*WELL),
            probe_states(**given(material(40)), encoder=Table(), options=small),
        ),
        "bad": (
            ranked(3),
            robust(said(below(0.9)), falling, said(below(0.2))),
            score_questions(*AGAIN),
        ),
    }
    return models_of((label, run) for label, some in runs.items() for run in some)


@pytest.fixture(scope="module")
def page_file(models: list[Model], tmp_path_factory: pytest.TempPathFactory) -> Path:
    report = make_report(models, Context())
    assert report.notes == []
    return write_report(report, tmp_path_factory.mktemp("runs") / "report.html")


def test_every_figure_is_the_runs(open_page: Any, page_file: Path, models: list[Model]) -> None:
    page = open_page(page_file)
    shown = check_figures(figures(page), models)
    assert {run for run, _ in shown} == {model.key for model in models}
    for model in models:
        assert len({measure for run, measure in shown if run == model.key}) >= 5
    sections = page.locator("main > section").evaluate_all("all => all.map(one => one.id)")
    assert sections == ["verdict", *EXAMS, "comparison", "methods"]


CLAIMS = {
    "answers": {
        "first in N %": "recall@1",
        "mean rank among 100 is N": "mr",
    },
    "robustness": {
        "Accuracy falls N points": "drop:partition1",
        ", from N %": "accuracy",
        " to N %; ": "accuracy:partition1",
        "in partition 1, N %": "accuracy:partition3",
        "R_score,? N": "r_score",
        "of the same length cost N points": "drop:control",
    },
    "questions": {
        "Of a game's questions N %": "effectiveness",
        "guessed in N %": "task_success",
        "(?:from|is) N % at turn 1": "effectiveness@1",
        "N % at turn 3": "effectiveness@3",
        "alone in N %": "last_referring",
    },
    "scorekeeping": {
        "with an accuracy of N %": "accuracy@5",
        "words alone give, N %": "words_accuracy@5",
        "N % of the propositions become": "shift_right",
        ", N % at that turn alone": "shift_only_right",
        "N % keep one truth value": "truth_stable",
        "the same one at N %": "opposites_agree",
        "from N % after the caption": "dialogue_accuracy@0",
        "to N % after turn 10": "dialogue_accuracy@10",
        "mistaken: N % ": "confusion@5[false shared → true shared]",
    },
}
"""What sentences say of which measure, N being its figure."""
NUMBER, INTERVAL = r"([-+]?\d+\.\d+)", r"(?: \(95 % interval ([-\d.]+) … ([-\d.]+)\))?"


def test_the_figures_of_every_finding_are_the_runs(open_page: Any, page_file: Path, models: list[Model]) -> None:
    runs = {(model.label, model.run.exam): model.run for model in models}
    page = open_page(page_file)
    page.locator("details.every > summary").click()
    for exam, claims in CLAIMS.items():
        sentences = page.locator(".found > div", has=page.locator(f"h3 a[href='#{exam}']")).locator("li")
        told = [text.split(": ", 1) for text in sentences.all_inner_texts()]
        assert {label for label, _ in told} == {label for label, of in runs if of == exam}
        found = [
            (label, measure, match)
            for label, text in told
            for claim, measure in claims.items()
            for match in re.finditer(claim.replace("N", NUMBER) + INTERVAL, text)
        ]
        assert {measure for _, measure, _ in found} == set(claims.values())
        assert {match.string for *_, match in found} == {text for _, text in told}
        for label, measure, match in found:
            figure = runs[label, exam].measures[measure]
            pairs = zip(match.groups(), (figure.value, figure.low, figure.high), strict=True)
            known = [(text, value) for text, value in pairs if text is not None]
            assert any(all(shows(text, value * scale) for text, value in known) for scale in (1, 100)), match.string


def test_the_figures_of_a_comparison_are_its_own(open_page: Any, page_file: Path, models: list[Model]) -> None:
    page = open_page(page_file)
    page.locator("details.every > summary").click()
    sentences = page.locator(".found > div", has=page.locator("h3 a[href='#comparison']")).locator("li")
    told = [text for text in sentences.all_inner_texts() if "differ from good" in text]
    for text, exam in zip(told, ("answers", "robustness"), strict=True):
        (made,) = compare_runs(["good", "bad"], [model.run for model in models if model.run.exam == exam])
        differ = [figure for figure in made.measures if figure.p_holm is not None and figure.p_holm <= ALPHA]
        assert f"{len(differ)} of {len(made.measures)} measures differ" in text
        (match,) = re.finditer(rf"; (\S+) by {NUMBER}(?: points)?{INTERVAL}", text)
        measure, *figures = match.groups()
        one = next(figure for figure in made.measures if figure.measure.name == measure)
        assert all(map(shows, figures, (one.difference, one.low, one.high)))


def test_nothing_bars_a_reader_of_any_section(open_page: Any, page_file: Path) -> None:
    page = open_page(page_file)
    for drill in page.locator("details.drill").all():
        drill.locator("summary").first.press("Enter")
        item = drill.locator("table.list > tbody > tr > th button").first
        name = item.inner_text()
        drill.get_by_role("searchbox").fill(name)
        drill.locator("[aria-live]", has_text=" of ").wait_for()
        item.press("Enter")
        drill.locator("tr.opened").wait_for()
    assert page.locator("details.drill").count() == len(EXAMS)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert barriers(page) == []
    page.emulate_media(color_scheme="dark")
    assert barriers(page, "color-contrast") == []
