"""What becomes of the steps of a session, on stderr; while nothing ends for long, a line that says what is under way.

A step may take minutes, in another process. So the line has how long it has been at work, not how far it is.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator

from voirdire.cli.output import say
from voirdire.cli.progress import duration, watched
from voirdire.session.carrying import Begun, Done, Fault, Tell, Unfit

__all__ = ["AtWork", "show_work", "told_once"]

FIRST, EVERY = 10.0, 60.0
"""Seconds at work before a first line says so, and between two such lines."""


class AtWork:
    """What is under way, since when, and when that was last said."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[str, ...], float] = {}
        self._due: float | None = None
        self._lock = threading.Lock()

    def tell(self, what: Begun | Done | Fault | Unfit) -> None:
        """Say what became of a step, and what cannot be done; what is begun is only noted."""
        with self._lock:
            if isinstance(what, Unfit):
                for line in told_once(what.faults):
                    say(line, err=True)
                return
            if isinstance(what, Begun):
                self._since[what.titles] = now = self._clock()
                self._due = now + FIRST if self._due is None else self._due
                return
            # The steps of a line are told of together, so that with the first of them all are over.
            self._since = {titles: since for titles, since in self._since.items() if what.title not in titles}
            self._due = self._clock() + FIRST if self._since else None
            say(f"{what.title}: {_end(what)}", err=True)

    def look(self) -> None:
        """Say what is under way, where that is due."""
        with self._lock:
            now = self._clock()
            if self._due is None or now < self._due:
                return
            self._due = now + EVERY
            under_way = (f"{' … '.join(titles)} (for {duration(now - since)})" for titles, since in self._since.items())
            say(f"at work: {'; '.join(under_way)}", err=True)


@contextlib.contextmanager
def show_work() -> Iterator[Tell]:
    """A function to tell what is begun and what became of it, for the length of the block."""
    work = AtWork()
    with watched(work.look):
        yield work.tell


def told_once(faults: Iterable[Fault]) -> list[str]:
    """The faults, those that say the same together."""
    titles: dict[str, list[str]] = {}
    for fault in faults:
        titles.setdefault(fault.message, []).append(fault.title)
    return [f"voirdire: {'; '.join(those)}: {message}" for message, those in titles.items()]


def _end(what: Done | Fault) -> str:
    if isinstance(what, Fault):
        return "not done, see below"
    end = "there already" if what.seconds is None else f"{what.seconds:.1f} s"
    return f"{end}; scored: {what.covers}" if what.covers else end
