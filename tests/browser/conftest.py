"""A browser for the tests of this folder: Chromium as the system has it, driven by Playwright, with no network.

The tests skip, saying so, where Chromium or Playwright is missing. Every page that a test opens must stay free of
errors and ask for nothing but itself; that is checked when the test ends, whatever else the test looks at.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.extend(
    str(Path(__file__).parents[1] / one)
    for one in (
        *("browser", "report", "questions", "robustness"),
        *("scorekeeping", "hostile", "study"),
    )
)

from judging import catch
from made_up import report
from opening import NARROW, TIMEOUT, WIDE, chromium, executable
from watching import watch

from voirdire.report.page import render


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser a module: while Playwright is at work the thread has an event loop, which other tests may not want."""
    if executable() is None:
        pytest.skip("needs a browser: install chromium (`apt-get install chromium`)")
    pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install -e '.[dev]'")
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def made_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of what `made_up` makes up."""
    path = tmp_path_factory.mktemp("report") / "made up.html"
    path.write_text(render(report()), encoding="utf-8")
    return path


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file of a report, `open_page(path, dark=True, narrow=True)`, its sections unfolded but if `folded`."""
    contexts, watched = [], []

    def open_file(path: Path, *, dark: bool = False, narrow: bool = False, folded: bool = False) -> Any:
        context = browser.new_context(
            viewport=NARROW if narrow else WIDE,
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            offline=True,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        watched.append(watch(page, path))
        page.goto(path.as_uri())
        if not folded:
            page.evaluate("document.querySelectorAll('details.body').forEach(body => { body.open = true })")
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert [fault for faults in watched for fault in faults] == []


@pytest.fixture
def come(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a study's link: `come(served, token, narrow=True)`. It asks its own server alone, and has no error."""
    contexts, faults = [], []

    def open_link(served: Any, token: str = "", *, dark: bool = False, narrow: bool = False) -> Any:
        context = browser.new_context(
            viewport=NARROW if narrow else WIDE,
            color_scheme="dark" if dark else "light",
            has_touch=narrow,
            is_mobile=narrow,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        own = (served.url, f"blob:{served.url}", "data:")
        page.on("request", lambda one: None if one.url.startswith(own) else faults.append(f"asked for {one.url}"))
        page.on("pageerror", lambda error: faults.append(f"uncaught: {error}"))
        catch(page)
        page.goto(f"{served.url}#{token}")
        return page

    yield open_link
    for context in contexts:
        context.close()
    assert faults == []
