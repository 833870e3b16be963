"""The items behind the figures, in a browser: found, filtered, sorted and opened, by keyboard; texts stay texts."""

from pathlib import Path
from typing import Any

import pytest
from made_up import ITEMS, LONG, NASTY, RIGHT_TO_LEFT, ROUNDS, SCORES, MadeItems

from voirdire.figures import show_figure

pytestmark = pytest.mark.slow


@pytest.fixture
def drill(open_page: Any, made_report: Path) -> Any:
    """The drill, opened by keyboard."""
    page = open_page(made_report)
    found = page.locator("details.drill")
    found.locator("summary").press("Enter")
    found.locator("table.list").wait_for()
    return found


def names(drill: Any) -> list[str]:
    return [each.strip() for each in drill.locator("table.list > tbody > tr > th").all_inner_texts()]


def status(drill: Any) -> str:
    said: str = drill.locator("[aria-live]").inner_text()
    return said


def settled(drill: Any, expected: str) -> None:
    """Wait until the count says so."""
    drill.locator("[aria-live]", has_text=expected).wait_for()


def test_search_filter_and_pages(drill: Any) -> None:
    assert status(drill) == f"{ITEMS} items"
    assert names(drill) == [f"image {number // ROUNDS}, round {number % ROUNDS + 1}" for number in range(50)]
    drill.get_by_role("button", name="Next").press("Enter")
    assert names(drill)[0] == "image 5, round 1"
    drill.get_by_role("searchbox").press_sequentially("NUMBER 12")
    settled(drill, f"13 of {ITEMS} items")
    assert len(names(drill)) == 13
    drill.get_by_role("combobox", name="round", exact=True).select_option("3")
    settled(drill, f"4 of {ITEMS} items")
    assert names(drill) == [f"image {image}, round 3" for image in (1, 11, 12, 21)]
    drill.get_by_role("searchbox").fill("nowhere to be found")
    settled(drill, f"0 of {ITEMS} items")
    assert names(drill) == []


def test_sort(drill: Any) -> None:
    button = drill.locator("table.list thead").get_by_role("button", name="plain", exact=True)
    scores = sorted(item.scores[0][0] for item in MadeItems())
    shown = drill.locator("table.list > tbody > tr > td.right:nth-last-child(3)")
    button.press("Enter")
    assert shown.all_inner_texts() == [show_figure(score) for score in scores[:50]]
    assert drill.locator("th[aria-sort=ascending]").inner_text().strip() == "plain"
    assert button.evaluate("one => one === document.activeElement")
    button.press("Enter")
    assert shown.all_inner_texts() == [show_figure(score) for score in scores[::-1][:50]]
    button.press("Enter")
    assert names(drill)[0] == "image 0, round 1"


def test_scores_are_the_items(drill: Any) -> None:
    shown = drill.locator("table.list > tbody > tr > td.right").all_inner_texts()
    items = list(MadeItems())[:50]
    assert shown == [
        text
        for item in items
        for first, second in [item.scores[0]]
        for text in (show_figure(first), show_figure(second), show_figure(second - first))
    ]
    assert {show_figure(score) for score in SCORES.values()} <= set(shown)


def test_items_open_by_keyboard(drill: Any) -> None:
    button = drill.get_by_role("button", name="image 1, round 1", exact=True)
    button.press("Enter")
    opened = drill.locator("tr.opened")
    opened.wait_for()
    assert button.get_attribute("aria-expanded") == "true"
    assert "a made-up question, number 10" in opened.inner_text()
    assert [each.strip() for each in opened.locator("caption").all_inner_texts()] == [
        *("turns", "scoreboard", "dialogue", "scores"),
    ]
    assert opened.locator("td.wrong").text_content() == "wrong: gold A, predicted B"
    assert opened.locator("tr.marked").all_text_contents() == ["marked: is it red?no", f"marked: {NASTY['script']}no"]
    button.press("ArrowDown")
    active = drill.page.evaluate("document.activeElement.textContent")
    assert active == "image 1, round 2"
    drill.page.keyboard.press("ArrowUp")
    drill.page.keyboard.press("Escape")
    opened.wait_for(state="detached")
    assert button.get_attribute("aria-expanded") == "false"


def test_a_link_opens_the_drill(open_page: Any, made_report: Path) -> None:
    page = open_page(made_report)
    page.get_by_role("link", name="Answers made up").first.click()
    page.locator("nav").get_by_role("link", name="Made-up items").click()
    page.locator("details.drill table.list").wait_for()


def test_texts_show_as_texts(drill: Any) -> None:
    for kind, said in NASTY.items():
        drill.get_by_role("combobox", name="kind", exact=True).select_option(kind)
        settled(drill, f"1 of {ITEMS} items")
        opened = open_only(drill)
        assert drill.locator("td.said").inner_text().startswith(said[:40].rstrip()), kind
        question = opened.locator("p[dir=auto]").first
        assert question.evaluate("one => one.textContent") == said
        # The question, the first reference, a cell of a turn and a proposition.
        alike = "(one, said) => [...one.querySelectorAll('*')].filter(each => each.textContent === said).length"
        assert opened.evaluate(alike, said) >= 4, kind
        way = question.evaluate("one => getComputedStyle(one).direction")
        assert way == ("rtl" if kind == "right to left" else "ltr")
        check_unspoilt(drill.page)


def open_only(drill: Any) -> Any:
    """Open the only item of the list, and show its long texts in full."""
    (name,) = names(drill)
    drill.get_by_role("button", name=name, exact=True).press("Enter")
    opened = drill.locator("tr.opened")
    opened.wait_for()
    more = opened.get_by_role("button", name="Show all 10,000 characters")
    while more.count():
        more.first.press("Enter")
        assert drill.page.evaluate("document.activeElement.textContent.length") == len(LONG)
    return opened


def check_unspoilt(page: Any) -> None:
    """No text became a script or an element, and none is wider than the page."""
    assert page.evaluate("window.spoilt") is None
    assert page.locator("main b, main img, main script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_the_long_text_is_long_and_the_other_is_right_to_left() -> None:
    assert len(LONG) == 10_000
    assert any("\u0590" <= letter <= "\u06ff" for letter in RIGHT_TO_LEFT)


def test_names_and_notes_show_as_text(open_page: Any, made_report: Path) -> None:
    page = open_page(made_report)
    assert '<b>"bold" & Co</b>' in page.locator("h1").inner_text()
    assert page.title().startswith('plain and <b>"bold" & Co</b>')
    assert NASTY["quotes"] in page.get_by_text("A note with").nth(1).inner_text()
    check_unspoilt(page)
