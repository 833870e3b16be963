"""How far a long run is, on stderr: a bar on a terminal, elsewhere a line every so often.

rate      = shards finished since the first report / time since then   (what an earlier run left does not count)
remaining = shards to go / rate
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from voirdire.reports import Report

__all__ = ["Pace", "show_progress", "stage"]

EVERY = 60.0
"""Seconds between two lines where there is no terminal."""

Clock = Callable[[], float]


class Pace:
    """Rate and remaining time, from the reports so far."""

    def __init__(self, unit: str, clock: Clock) -> None:
        self._unit = unit
        self._clock = clock
        self._first: tuple[int, float] | None = None

    def describe(self, done: int, total: int) -> str:
        """The rate and what remains, in words: "3.2 shards/s, 1 h 04 min left"; empty until a shard was finished."""
        if self._first is None:
            self._first = done, self._clock()
        since, start = self._first
        elapsed = self._clock() - start
        if done <= since or elapsed <= 0:
            return ""
        rate = (done - since) / elapsed
        left = f", {_duration((total - done) / rate)} left" if done < total else f", took {_duration(elapsed)}"
        return _rate(rate, self._unit) + left


def _rate(rate: float, unit: str) -> str:
    """In the shortest time in which one is finished."""
    factor, time_ = (1, "s") if rate >= 1 else (60, "min") if rate * 60 >= 1 else (3600, "h")
    return f"{rate * factor:,.1f} {unit}/{time_}"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


@contextlib.contextmanager
def show_progress(
    label: str, unit: str = "shards", stream: TextIO | None = None, clock: Clock = time.monotonic
) -> Iterator[Report]:
    """A function to tell (done, total) to, for the length of the block."""
    out = stream or sys.stderr
    with _bar(label, unit, out, clock) if out.isatty() else _lines(label, unit, out, clock) as report:
        yield report


def stage(shown: contextlib.ExitStack, label: str, unit: str) -> Report:
    """A report for one of several stages: its bar appears when it is first told, in the place of the one before."""
    reports: list[Report] = []

    def report(done: int, total: int) -> None:
        if not reports:
            shown.close()
            reports.append(shown.enter_context(show_progress(label, unit)))
        reports[0](done, total)

    return report


@contextlib.contextmanager
def _bar(label: str, unit: str, out: TextIO, clock: Clock) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
    )
    pace = Pace(unit, clock)
    with Progress(*columns, console=Console(file=out), refresh_per_second=4) as progress:
        bar = progress.add_task(label, total=None, pace="")

        def report(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total, pace=pace.describe(done, total))

        yield report


@contextlib.contextmanager
def _lines(label: str, unit: str, out: TextIO, clock: Clock) -> Iterator[Report]:
    pace = Pace(unit, clock)
    last: float | None = None

    def report(done: int, total: int) -> None:
        nonlocal last
        words = pace.describe(done, total)
        now = clock()
        if last is None or done == total or now - last >= EVERY:
            last = now
            share = f" ({100 * done // total} %)" if total else ""
            print(f"{label}: {done:,} of {total:,} {unit}{share}{', ' + words if words else ''}", file=out, flush=True)

    yield report
