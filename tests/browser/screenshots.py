"""Pictures of a report as readers see it: `python tests/browser/screenshots.py report.html FOLDER`.

The first screen, the contents of each section, and of each drill its top with the second item opened; in light and
dark, wide and narrow. They are there to be looked at: no test can say that a page is beautiful.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from opening import NARROW, TIMEOUT, WIDE, chromium

WINDOWS = {"wide": WIDE, "narrow": NARROW}


def main(report: Path, folder: Path) -> None:
    """Take all pictures of a report."""
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for theme in ("light", "dark"):
            for name, window in WINDOWS.items():
                page = browser.new_context(viewport=window, color_scheme=theme, offline=True).new_page()
                page.set_default_timeout(TIMEOUT)
                page.goto(report.resolve().as_uri())
                take(page, folder / f"{theme}-{name}")
                page.context.close()


def take(page: Any, start: Path) -> None:
    """The pictures of an open page; their names start as `start` does."""
    page.screenshot(path=f"{start}-first.png")
    page.evaluate("document.querySelectorAll('details.body').forEach(body => { body.open = true })")
    for section in page.locator("main > section").all():
        section.screenshot(path=f"{start}-{section.get_attribute('id')}.png")
    for drill in page.locator("details.drill").all():
        drill.locator("summary").first.click()
        buttons = drill.locator("table.list > tbody > tr > th button")
        buttons.first.wait_for()
        buttons.nth(min(1, buttons.count() - 1)).click()
        drill.locator("tr.opened").wait_for()
        drill.evaluate("one => one.scrollIntoView()")
        page.screenshot(path=f"{start}-{drill.get_attribute('id')}.png")
        drill.locator("summary").first.click()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
