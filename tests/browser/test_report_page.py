"""The report in a browser: every figure is the run's, nothing bars a reader, and it prints."""

import base64
from pathlib import Path
from typing import Any

import pytest
from made_up import ITEMS, MEASURES, TURNS, models
from watching import barriers, check_figures, figures

pytestmark = pytest.mark.slow


def test_every_figure_is_the_runs(open_page: Any, made_report: Path) -> None:
    found = figures(open_page(made_report))
    shown = check_figures(found, models())
    accuracies, others = (
        ("60.10 … 64.90", "57.10 … 61.90"),
        ("1,200.00 … 1,300.25", "0.0000 … 0.0000", "-0.5000 … 0.1250"),
    )
    assert [each["interval"] for each in found if each["interval"]] == [
        *accuracies,
        *(one for accuracy in accuracies for one in (accuracy, *others)),
    ]
    wanted = {*MEASURES, *(f"accuracy@{turn}" for turn in range(1, TURNS + 1))} - {"none"}
    assert shown == {(model.key, name) for model in models() for name in wanted}


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_nothing_bars_a_reader(open_page: Any, made_report: Path, narrow: bool) -> None:
    page = open_page(made_report, narrow=narrow)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true })")
    # Few items are enough: all rows are made by the same lines.
    page.get_by_role("searchbox").fill("number 23")
    page.locator("[aria-live]", has_text=f"of {ITEMS} items").wait_for()
    page.get_by_role("button", name="image 2, round 4", exact=True).click()
    page.locator("tr.opened").wait_for()
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(20, 23, 28)"
    assert barriers(page) == []


def test_the_theme_can_be_chosen(open_page: Any, made_report: Path) -> None:
    page = open_page(made_report)
    ground = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('.drawing text')).fill"
    light = page.evaluate(ground), page.evaluate(ink)
    page.get_by_role("button", name="Dark theme").press("Enter")
    dark = page.evaluate(ground), page.evaluate(ink)
    assert all(before != after for before, after in zip(light, dark, strict=True))
    page.reload()
    assert (page.evaluate(ground), page.evaluate(ink)) == dark
    page.get_by_role("button", name="Light theme").press("Enter")
    assert (page.evaluate(ground), page.evaluate(ink)) == light


def test_a_figure_says_its_signature_by_keyboard_and_when_it_is_tapped(open_page: Any, made_report: Path) -> None:
    page = open_page(made_report)
    first = page.locator("table.headlines .figure").first
    for _ in range(40):
        page.keyboard.press("Tab")
        if first.evaluate("one => one === document.activeElement"):
            break
    tip = page.locator("#tip")
    assert "accuracy = 62.4816" in tip.inner_text()
    assert "data.dialogues:555555555555" in tip.inner_text()
    page.keyboard.press("ArrowRight")
    assert "r_score = 0.3597" in tip.inner_text()
    page.keyboard.press("ArrowDown")
    assert "r_score = 0.4597" in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    page.locator("table.headlines .figure").nth(1).click()
    assert "r_score = 0.3597" in tip.inner_text()
    assert page.locator("table.headlines .figure[tabindex='0']").count() == 1


def test_a_charts_data_is_behind_it(open_page: Any, made_report: Path) -> None:
    page = open_page(made_report)
    chart = page.locator("figure", has=page.get_by_text("By turn", exact=True))
    chart.locator("summary").press("Enter")
    rows = chart.locator("tbody tr")
    assert rows.count() == 2 * TURNS
    with page.expect_download() as waiting:
        chart.get_by_role("link", name="CSV").click()
    lines = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    assert waiting.value.suggested_filename == "made-turns.csv"
    assert len(lines) == 1 + 2 * TURNS


def test_it_can_be_read_without_scripts(browser: Any, made_report: Path) -> None:
    page = browser.new_context(offline=True, java_script_enabled=False).new_page()
    page.goto(made_report.as_uri())
    assert page.locator("h1").is_visible()
    assert page.get_by_role("button").count() == 0
    assert "let this page run its scripts" in page.locator("details.drill").inner_html()


def test_it_prints(open_page: Any, made_report: Path) -> None:
    page = open_page(made_report, dark=True)
    page.emulate_media(media="print")
    assert page.locator("h1").is_visible()
    assert page.get_by_role("navigation").count() == 0
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 38)"
    printed = page.context.new_cdp_session(page).send("Page.printToPDF", {"preferCSSPageSize": True})
    paper = base64.b64decode(printed["data"])
    assert paper.startswith(b"%PDF-")
    assert 2 <= paper.count(b"/Type /Page\n") <= 8
