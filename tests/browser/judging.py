"""What tests of the judges' page share: links, what is kept, and steps on the page."""

import time
from collections.abc import Callable
from typing import Any

import opening

from voirdire.study.database import JudgedStore
from voirdire.study.folder import OpenedStudy
from voirdire.study.stored_judgements import Kept

__all__ = ["Held", "agree", "catch", "kept", "links", "shown", "until"]


def kept(study: OpenedStudy) -> list[Kept]:
    """The judgements that are done."""
    store = JudgedStore(study)
    found = store.read().kept
    store.close()
    return found


def links(study: OpenedStudy, count: int) -> list[str]:
    """The tokens of so many new people."""
    store = JudgedStore(study)
    made = [judge.token for judge in store.invite(count)]
    store.close()
    return made


def shown(page: Any, number: int) -> None:
    """Wait for a person's task of that number."""
    page.wait_for_selector(f"#task[data-number='{number}']")


def agree(page: Any) -> None:
    """From the first screen to the first task."""
    page.click("#agree")
    page.click("#begin")
    shown(page, 1)


def until(page: Any, true: Callable[[], object]) -> None:
    """Wait for what the test itself hears from the page."""
    end = time.monotonic() + opening.TIMEOUT / 1000
    while not true():
        assert time.monotonic() < end, "it never came"
        page.wait_for_timeout(10)


def catch(page: Any) -> None:
    """Make the page's requests go by the test from the first on: begun later, some can slip through."""
    page.route("**/nowhere", lambda route: route.continue_())


class Held:
    """Requests of a page that was prepared by `catch`; they do not get through until they are let."""

    def __init__(self, page: Any, path: str = "**/api/message") -> None:
        self.page, self.open, self.routes = page, False, list[Any]()
        page.route(path, lambda route: route.continue_() if self.open else self.routes.append(route))

    def wait(self, count: int = 1) -> list[Any]:
        """The requests, when there are so many of them."""
        until(self.page, lambda: len(self.routes) >= count)
        return self.routes

    def let(self) -> None:
        """Let them through, and all that come later."""
        self.open = True
        while self.routes:
            self.routes.pop(0).continue_()
