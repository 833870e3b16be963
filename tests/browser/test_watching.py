"""The watch over a page, and axe, see what is planted, so that their silence means something."""

from pathlib import Path
from typing import Any

import pytest
from watching import barriers, watch

pytestmark = pytest.mark.slow

GOOD = '<!doctype html><html lang="en"><title>t</title><main><h1>fine</h1><p>words</p></main>'


def opened(browser: Any, path: Path, html: str) -> tuple[Any, list[str]]:
    path.write_text(html, encoding="utf-8")
    page = browser.new_context(offline=True).new_page()
    faults = watch(page, path)
    page.goto(path.as_uri())
    return page, faults


def test_a_good_page_has_no_fault(browser: Any, tmp_path: Path) -> None:
    page, faults = opened(browser, tmp_path / "good.html", GOOD)
    page.evaluate("fetch('data:text/plain,x').then(() => { location.hash = 'h' })")
    assert faults == []
    assert barriers(page) == []


def test_errors_and_requests_are_seen(browser: Any, tmp_path: Path) -> None:
    bad = GOOD + (
        "<script>console.error('said'); console.warn('warned')</script><script>thrown()</script>"
        "<link rel=stylesheet href='beside.css'><img alt='' src='http://example.invalid/x.png'>"
    )
    _, faults = opened(browser, tmp_path / "bad.html", bad)
    for part in (
        "error: said",
        "warning: warned",
        "uncaught: thrown",
        "beside.css",
        "asked for http://example.invalid",
    ):
        assert any(part in fault for fault in faults), part


def test_barriers_are_seen(browser: Any, tmp_path: Path) -> None:
    bad = GOOD.replace("<p>", "<p style='color: #bbb; background: white'>") + "<img src='data:,'><input>"
    page, _ = opened(browser, tmp_path / "barred.html", bad)
    found = " ".join(barriers(page))
    for part in ("serious: color-contrast", "critical: image-alt", "critical: label"):
        assert part in found
    assert all("color-contrast" in each for each in barriers(page, "color-contrast"))
    assert barriers(page, "document-title") == []
