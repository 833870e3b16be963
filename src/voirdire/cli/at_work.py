"""What becomes of the steps of a session, on stderr; while nothing ends for long, a line that says what is under way.

A step may take minutes, in another process. So the line has how long it has been at work, not how far it is. On a
terminal there is a bar over all steps instead, with the models and parts that are under way and for how long.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from voirdire.cli.output import plain_console, say
from voirdire.cli.progress import duration, watched
from voirdire.cli.styled import is_colourful
from voirdire.escaping import one_line
from voirdire.session.carrying import Begun, Done, Fault, Tell, Told, Unfit

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["AtWork", "LiveWork", "show_work", "told_once"]

FIRST, EVERY = 10.0, 60.0
"""Seconds at work before a first line says so, and between two such lines."""


class AtWork:
    """What is under way, since when, and when that was last said."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[str, ...], float] = {}
        self._due: float | None = None
        self._lock = threading.Lock()

    def tell(self, what: Told) -> None:
        """Say what became of a step, and what cannot be done; what is begun is only noted."""
        with self._lock:
            if isinstance(what, Unfit):
                for line in told_once(what.faults):
                    say(line, err=True)
                return
            if isinstance(what, Begun):
                self._plan(what.of)
                self._since[what.titles] = now = self._clock()
                self._due = now + FIRST if self._due is None else self._due
                return
            # The steps of a line are told of together, so that with the first of them all are over.
            self._since = {titles: since for titles, since in self._since.items() if what.title not in titles}
            self._due = self._clock() + FIRST if self._since else None
            self._over(what)

    def _plan(self, steps: int) -> None:
        """Lines do not say how many steps there are."""

    def _over(self, what: Done | Fault) -> None:
        say(f"{what.title}: {_end(what)}", err=True)

    def _under_way(self, now: float) -> str:
        under_way = (f"{' … '.join(titles)} (for {duration(now - since)})" for titles, since in self._since.items())
        return "; ".join(under_way)

    def look(self) -> None:
        """Say what is under way, where that is due."""
        with self._lock:
            now = self._clock()
            if self._due is None or now < self._due:
                return
            self._due = now + EVERY
            say(f"at work: {self._under_way(now)}", err=True)


class LiveWork(AtWork):
    """The same on a terminal: a bar over the steps, and above it what is over, in colours."""

    def __init__(self, bar: "Progress", clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._bar, self._steps = bar, 0
        self._task = bar.add_task("exam", total=None, now="")

    def _plan(self, steps: int) -> None:
        # The report, which comes last, is carried out by itself.
        self._steps = self._steps or steps + 1
        self._bar.update(self._task, total=self._steps)

    def _over(self, what: Done | Fault) -> None:
        from rich.text import Text

        there = isinstance(what, Done) and what.seconds is None
        style = "red" if isinstance(what, Fault) else "dim" if there else "green"
        line = Text.assemble((f"{one_line(what.title)}: ", ""), (one_line(_end(what)), style))
        self._bar.console.print(line, soft_wrap=True)
        self._bar.advance(self._task)
        self._show()

    def look(self) -> None:
        """Show what is under way."""
        with self._lock:
            self._show()

    def _show(self) -> None:
        self._bar.update(self._task, now=one_line(self._under_way(self._clock())))


@contextlib.contextmanager
def show_work() -> Iterator[Tell]:
    """A function to tell what is begun and what became of it, for the length of the block."""
    if not is_colourful(err=True):
        work = AtWork()
        with watched(work.look):
            yield work.tell
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}", markup=False),
    )
    with Progress(*columns, console=plain_console(err=True), refresh_per_second=4, transient=True) as bar:
        live = LiveWork(bar)
        with watched(live.look):
            yield live.tell


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
