"""Pages and SVGs of texts that would like to be code, in a browser: nothing runs, nothing is asked for, all is shown.

That a page stays free of errors, of breaches of its policy among them, and asks for nothing, the fixture looks after.
"""

from pathlib import Path
from typing import Any

import pytest
from hostile_pages import DRAWN, PAGES, TEXTS, cases, held
from watching import barriers

pytestmark = pytest.mark.slow

LIVELY = ("script", "attribute", "apostrophe", "foreign", "comment", "style", "separators", "template", "half")
"""Texts that a browser might make something of; the others are read by parsers alone."""


@pytest.mark.parametrize("kind", PAGES)
def test_texts_are_shown_and_do_not_run(open_page: Any, kind: str, tmp_path: Path) -> None:
    for _, name in cases([kind], LIVELY):
        path = tmp_path / f"{name}.html"
        PAGES[kind](TEXTS[name], path)
        page = open_page(path)
        assert page.evaluate("window.hit") is None, name
        assert page.evaluate("(text) => document.body.textContent.includes(text)", held(TEXTS[name])), name
        assert page.locator("body").is_visible(), name


@pytest.mark.parametrize("kind", DRAWN)
def test_a_drawing_that_is_opened_by_itself_runs_nothing(open_page: Any, kind: str, tmp_path: Path) -> None:
    for name in ("script", "attribute", "foreign", "section"):
        path = tmp_path / f"{name}.svg"
        DRAWN[kind](TEXTS[name], path)
        page = open_page(path)
        assert page.evaluate("window.hit") is None, name
        assert page.evaluate("document.documentElement.tagName") == "svg"


@pytest.mark.parametrize("kind", sorted(set(PAGES) - {"report"}))
def test_nothing_bars_a_reader(open_page: Any, kind: str, tmp_path: Path) -> None:
    PAGES[kind]("a plain text", tmp_path / "a.html")
    assert barriers(open_page(tmp_path / "a.html")) == []
