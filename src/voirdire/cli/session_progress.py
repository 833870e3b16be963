"""The steps of a session on stderr, each as it ends; when nothing ends for long, a line with what is under way.

A step may take minutes, in another process. So the line has how long it has been at work, not how far it is. On a
terminal there is a bar over all steps instead, with the models and parts that are under way and for how long.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import typer

from voirdire.cli.output import is_colourful, plain_console, say
from voirdire.cli.progress_bars import duration, watched
from voirdire.escaping import one_line
from voirdire.figures import counted
from voirdire.progress import Progress, Stages
from voirdire.session.execute import BadFiles, Done, Event, Fault, NotAsked, Started
from voirdire.session.session import Session

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

FIRST, EVERY = 10.0, 60.0
"""Seconds at work before a first line says so, and between two such lines."""


class AtWork:
    """What is under way, since when, and when that was last printed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[str, ...], float] = {}
        self._due: float | None = None
        self._lock = threading.Lock()
        self.interview = ""
        self.stages = _InterviewStages(self)

    def on_event(self, what: Event) -> None:
        """Print how a step ended, and what cannot be done; a step that begins is only noted."""
        with self._lock:
            if isinstance(what, BadFiles):
                for line in fault_lines(what.faults):
                    say(line, err=True)
                return
            if isinstance(what, NotAsked):
                for line in what.lines:
                    self.show_line(line)
                return
            if isinstance(what, Started):
                self._plan(what.of)
                self._since[what.titles] = now = self._clock()
                self._due = now + FIRST if self._due is None else self._due
                return
            self.stages.end()
            # The steps of a line are reported together, so with the first of them all are over.
            self._since = {titles: since for titles, since in self._since.items() if what.title not in titles}
            self._due = self._clock() + FIRST if self._since else None
            self._over(what)

    def _plan(self, steps: int) -> None:
        """Lines do not say how many steps there are."""

    def _over(self, what: Done | Fault) -> None:
        say(f"{what.title}: {_end(what)}", err=True)

    def _under_way(self, now: float) -> str:
        under_way = (f"{' … '.join(titles)} (for {duration(now - since)})" for titles, since in self._since.items())
        return "; ".join(filter(None, (*under_way, self.interview)))

    def show_interview(self, text: str) -> None:
        """The progress of a live model's interview; an empty text where there is none."""
        with self._lock:
            self.interview = text

    def show_line(self, text: str) -> None:
        """Print a line that stays."""
        say(text, err=True)

    def look(self) -> None:
        """Print what is under way, when it is time."""
        with self._lock:
            now = self._clock()
            if self._due is None or now < self._due:
                return
            self._due = now + EVERY
            say(f"at work: {self._under_way(now)}", err=True)


class LiveWork(AtWork):
    """The same on a terminal: a bar over the steps, and above it what is over, in colours."""

    def __init__(self, bar: "Bar", clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._bar, self._steps = bar, 0
        self._task = bar.add_task("exam", total=None, now="")

    def _plan(self, steps: int) -> None:
        # The report, which comes last, is carried out by itself.
        self._steps = self._steps or steps + 1
        self._bar.update(self._task, total=self._steps)

    def _over(self, what: Done | Fault) -> None:
        from rich.text import Text

        reused = isinstance(what, Done) and what.seconds is None
        style = "red" if isinstance(what, Fault) else "dim" if reused else "green"
        line = Text.assemble((f"{one_line(what.title)}: ", ""), (one_line(_end(what)), style))
        self._bar.console.print(line, soft_wrap=True)
        self._bar.advance(self._task)
        self._show()

    def show_line(self, text: str) -> None:
        """Print a line that stays, above the bar."""
        self._bar.console.print(one_line(text), soft_wrap=True, markup=False, highlight=False)

    def look(self) -> None:
        """Show what is under way."""
        with self._lock:
            self._show()

    def _show(self) -> None:
        self._bar.update(self._task, now=one_line(self._under_way(self._clock())))


class _InterviewStages(Stages):
    """The progress of an interview: how many of how many, the rate, the time that is left, and what goes wrong."""

    def __init__(self, work: AtWork) -> None:
        self._work, self._done, self._beside = work, "", ""

    def __call__(self, name: str, unit: str) -> Progress:
        """The progress of one interview."""
        begun: list[tuple[float, int]] = []

        def tell(done: int, total: int) -> None:
            now = time.monotonic()
            begun.append((now, done)) if not begun else None
            seconds, count = now - begun[0][0], done - begun[0][1]
            rate = count / seconds if seconds > 0 else 0.0
            left = f", {rate:,.1f}/s, about {duration((total - done) / rate)} left" if rate and done < total else ""
            self._done = "" if done >= total else f"{done:,} of {total:,} {unit}{left}"
            self._tell()

        return tell

    def end(self) -> None:
        """Nothing is left of an interview whose step is over, also where it failed half-way."""
        self._done = self._beside = self._work.interview = ""

    def _tell(self) -> None:
        self._work.show_interview(", ".join(filter(None, (self._done, self._beside))) if self._done else "")

    def note(self, text: str) -> None:
        """What stands beside it."""
        self._beside = text
        self._tell()

    def say(self, text: str) -> None:
        """A line that stays."""
        self._work.show_line(text)


@contextlib.contextmanager
def show_work() -> Iterator[AtWork]:
    """What takes the events of a session, for the length of the block."""
    if not is_colourful(err=True):
        work = AtWork()
        with watched(work.look):
            yield work
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}", markup=False),
    )
    with Bar(*columns, console=plain_console(err=True), refresh_per_second=4, transient=True) as bar:
        live = LiveWork(bar)
        with watched(live.look):
            yield live


def fault_lines(faults: Iterable[Fault]) -> list[str]:
    """The faults, those with the same message together."""
    titles: dict[str, list[str]] = {}
    for fault in faults:
        titles.setdefault(fault.message, []).append(fault.title)
    return [f"voirdire: {'; '.join(those)}: {message}" for message, those in titles.items()]


def show_end(session: Session, skipped: bool = True) -> None:
    """Print how a session ended; the exit code is 2 where something could not be done."""
    for line in session.skipped if skipped else ():
        say(f"skipped: {line}", err=True)
    early = {fault.message for fault in session.faults if fault.early}
    for line in fault_lines(fault for fault in session.faults if fault.message not in early):
        say(line, err=True)
    if early:
        say("voirdire: the steps that were named at the beginning, before the work, are not done", err=True)
    for line in session.warnings:
        say(line, err=True)
    if verdict := session.verdict:
        say(verdict)
    if session.runs:
        page = f"and the report: {session.report}" if session.report is not None else "and no report"
        say(f"{counted(len(session.runs), 'run')}, {page}")
    if session.faults:
        raise typer.Exit(2)


def _end(what: Done | Fault) -> str:
    if isinstance(what, Fault):
        return "not done, see below"
    end = "there already" if what.seconds is None else f"{what.seconds:.1f} s"
    return f"{end}; scored: {what.covers}" if what.covers else end
