"""Chromium as the system has it, driven by Playwright, which brings no browser of its own here."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["ARGUMENTS", "NARROW", "TIMEOUT", "WIDE", "chromium", "executable"]

NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 360, "height": 740}
"""A desktop's window and a small phone's."""
# Chromium refuses its sandbox to root, which is who runs in a container; the pages here are our own.
ARGUMENTS = ["--no-sandbox"] if os.geteuid() == 0 else []
TIMEOUT = 120_000
"""How long the browser may take to start, and a page for one step, in milliseconds; only what hangs needs it."""


def executable() -> str | None:
    """The path of the browser, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable(), args=ARGUMENTS, timeout=TIMEOUT)
        yield browser
        browser.close()
