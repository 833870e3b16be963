"""The page of real runs of all four exams: every figure in it is a run's, and every section can be read by all."""

from pathlib import Path
from typing import Any

import pytest
from probe_dialogues import Table, material
from small_report import ranked
from test_questions_section import AGAIN, WELL
from test_report_robustness import below, robust, said
from watching import barriers, check_figures, figures

from voirdire.questions.scoring import score_questions
from voirdire.report.content import Model
from voirdire.report.context import Context
from voirdire.report.make import make_report, models_of, write_report
from voirdire.scorekeeping.probe.options import TrainingOptions
from voirdire.scorekeeping.probing import ProbeOptions, probe_states

EXAMS = ("answers", "robustness", "questions", "scorekeeping")


@pytest.fixture(scope="module")
def models() -> list[Model]:
    """Two models, each with a run of every exam; the second is the worse one."""
    training = TrainingOptions(epochs=2, batch=128, rate=3e-2, hidden=16)
    falling = [said(below(share)) for share in (0.7, 0.5, 0.3)]
    runs = {
        "good": (
            ranked(0),
            robust(said(below(0.9)), [said(below(0.9))] * 3, said(below(0.9))),
            score_questions(*WELL, oracle="table"),
            probe_states(material(40), Table(), ProbeOptions(training=training)),
        ),
        "bad": (
            ranked(3),
            robust(said(below(0.9)), falling, said(below(0.2))),
            score_questions(*AGAIN, oracle="table"),
        ),
    }
    return models_of((label, run) for label, given in runs.items() for run in given)


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
