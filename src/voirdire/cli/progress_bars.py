"""Progress on stderr: a bar on a terminal, elsewhere a line every so often and none in the first seconds.

rate      = shards finished since the first report / time since then   (what an earlier run left does not count)
remaining = shards to go / rate

Work that is done once, such as compiling, falls into the time of the first shards; when others have followed for a
while, the rate counts from there. At the end it is that of the whole time, which stands beside it. Work outside any
stage, or after the last one, is reported as "at work" when it takes long.
"""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from voirdire.cli.output import say
from voirdire.errors import OutOfMemory, is_out_of_memory
from voirdire.escaping import visible
from voirdire.progress import Progress, Stages, watch_compiling

QUIET, EVERY = 2.0, 60.0
"""Seconds before the first line and between two lines where there is no terminal."""
STEADY, STEADY_SHARE = 2.0, 0.02
"""Seconds, and share of the whole time, after which a rate may be read off what followed the first shards."""
UNREPORTED = 5.0
"""Seconds without a stage before an "at work" line."""
TICK = 0.5
"""Seconds between two looks at whether a line is due."""

Clock = Callable[[], float]
Note = Callable[[], str]
"""A remark on this moment, or an empty text."""


class Pace:
    """Rate and remaining time, from the reports so far."""

    def __init__(self, unit: str, clock: Clock) -> None:
        self._unit = unit
        self._clock = clock
        self._start: tuple[int, float] | None = None
        self._first: tuple[int, float] | None = None

    def describe(self, done: int, total: int) -> str:
        """The rate and what remains, in words: "3.2 shards/s, 1 h 04 min left"; empty until a shard was finished."""
        now = self._clock()
        if self._start is None:
            self._start = done, now
        if done <= self._start[0] or now <= self._start[1]:
            return ""
        if self._first is None:
            self._first = done, now
        elapsed = now - self._start[1]
        if done >= total:
            return f"{_rate((done - self._start[0]) / elapsed, self._unit)}, took {duration(elapsed)}"
        # Of the short time since the first shards were finished no rate can be read.
        steady = done > self._first[0] and now - self._first[1] >= max(STEADY, STEADY_SHARE * elapsed)
        since, start = self._first if steady else self._start
        rate = (done - since) / (now - start)
        return f"{_rate(rate, self._unit)}, {duration((total - done) / rate)} left"


def _rate(rate: float, unit: str) -> str:
    """In the shortest time in which one is finished."""
    factor, time_ = (1, "s") if rate >= 1 else (60, "min") if rate * 60 >= 1 else (3600, "h")
    return f"{rate * factor:,.1f} {unit}/{time_}"


def duration(seconds: float) -> str:
    """In words, to the second or to the minute: "7 s", "1 min 36 s", "1 h 04 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


@contextlib.contextmanager
def show_progress(
    label: str,
    unit: str = "shards",
    stream: TextIO | None = None,
    clock: Clock = time.monotonic,
    note: Note = str,
) -> Iterator[Progress]:
    """A function to call with (done, total), for the length of the block; `note` is called again and again."""
    out = stream or sys.stderr
    with (_bar if out.isatty() else _lines)(label, unit, out, clock, note) as report:
        yield report


class _ShownStages(Stages):
    """Stages one after the other: the bar of a stage appears with its first report, in the place of the one before.

    at  the stage of the last report
    """

    def __init__(self, shown: contextlib.ExitStack, clock: Clock = time.monotonic) -> None:
        self._shown, self._clock = shown, clock
        self._note = ""
        self._unreported_since: float | None = clock()
        self._next_line = UNREPORTED
        self._lock = threading.RLock()
        self.at = ""

    def __call__(self, name: str, unit: str) -> Progress:
        begun: list[Progress] = []

        def progress(done: int, total: int) -> None:
            with self._lock:
                if not begun:
                    self._shown.close()
                    self.at = name
                    begun.append(self._shown.enter_context(show_progress(name, unit, note=lambda: self._note)))
                self._unreported_since = self._clock() if done >= total else None
                self._next_line = UNREPORTED
            begun[0](done, total)

        return progress

    def look(self) -> None:
        """Report work outside any stage: a line now and then, on a terminal a bar."""
        with self._lock:
            if self._unreported_since is None:
                return
            gone = self._clock() - self._unreported_since
            if gone < self._next_line:
                return
            if sys.stderr.isatty():
                self._shown.close()
                self._shown.enter_context(show_progress("at work", "", note=lambda: self._note))
                self._unreported_since = None
                return
            self._next_line = gone + EVERY
            after = f", after {self.at}" if self.at else ""
            note = f", {self._note}" if self._note else ""
            say(f"at work{after} (for {duration(gone)}){note}", err=True)

    def note(self, text: str) -> None:
        self._note = text

    def say(self, text: str) -> None:
        say(text, err=True)


@contextlib.contextmanager
def shown_stages() -> Iterator[Stages]:
    """Stages that are shown on stderr, for the length of the block; an error of memory names the stage."""
    with contextlib.ExitStack() as shown:
        stages = _ShownStages(shown)
        try:
            with watched(stages.look), watch_compiling(stages.note):
                yield stages
        except Exception as error:
            if not stages.at or not is_out_of_memory(error):
                raise
            raise OutOfMemory.of(stages.at, error) from error


@contextlib.contextmanager
def _bar(label: str, unit: str, out: TextIO, clock: Clock, note: Note) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class NoteColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(visible(note()))

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
        NoteColumn(),
    )
    pace = Pace(unit, clock)
    with Progress(*columns, console=Console(file=out), refresh_per_second=4) as progress:
        bar = progress.add_task(label, total=None, pace="")

        def report(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total, pace=pace.describe(done, total))

        yield report


@contextlib.contextmanager
def _lines(label: str, unit: str, out: TextIO, clock: Clock, note: Note) -> Iterator[Progress]:
    lines = _Lines(label, unit, out, clock, note)
    with watched(lines.look):
        yield lines.report


@contextlib.contextmanager
def watched(look: Callable[[], None]) -> Iterator[None]:
    """Call `look` now and then, in a thread, for the length of the block."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(TICK):
            look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


class _Lines:
    """Prints a line when one is due: the first after a while, then now and then, when a note comes up, and the last."""

    def __init__(self, label: str, unit: str, out: TextIO, clock: Clock, note: Note) -> None:
        self._label, self._unit, self._out, self._clock, self._note = label, unit, out, clock, note
        self._pace = Pace(unit, clock)
        self._start, self._last = clock(), -float("inf")
        self._printed_note = self._words = ""
        self._at: tuple[int, int] | None = None
        self._lock = threading.Lock()

    def report(self, done: int, total: int) -> None:
        with self._lock:
            self._at, self._words = (done, total), self._pace.describe(done, total)
        self.look(done == total)

    def look(self, end: bool = False) -> None:
        with self._lock:
            if self._at is None or (self._at[0] == self._at[1] and not end):
                return  # Nothing is under way, and what is finished was printed when it was.
            now, note = self._clock(), self._note()
            due = end or now - self._last >= EVERY or (note and note != self._printed_note)
            if due and now - self._start >= QUIET:
                self._last, self._printed_note = now, note
                self._print(*self._at, note)

    def _print(self, done: int, total: int, note: str) -> None:
        share = f" ({100 * done // total} %)" if total else ""
        parts = [f"{self._label}: {done:,} of {total:,} {self._unit}{share}", self._words, note]
        print(visible(", ".join(filter(None, parts))), file=self._out, flush=True)
