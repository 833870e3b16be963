"""The steps of a session, executed several at a time, whatever becomes of some of them.

A step waits for those that make what it reads. Steps of one model that depend on each other are a line, run one after
the other; so are those that models share. A line can begin when those that it needs are done. A step that fails because
of a user's file is reported, steps that need its output are not tried, and all others go on.
"""

import contextlib
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voirdire.engine import Engine, Here, SharedEngine, WorkerLost
from voirdire.engine.threads import OneThread
from voirdire.errors import InputError, OutOfMemory, UsageError, VoirDireError, is_out_of_memory
from voirdire.formats.files import reading_once
from voirdire.options import OptionError
from voirdire.runs.store import read_covered
from voirdire.session.named_files import paths_of
from voirdire.session.steps import Step, do, is_made


@dataclass(frozen=True)
class Line:
    """Steps one after the other; `after` are the numbers of the lines that it needs."""

    steps: tuple[Step, ...]
    after: frozenset[int]


@dataclass(frozen=True)
class Started:
    """Steps that are under way, one after the other; the result of each is reported when all are over.

    of  how many steps there are in all
    """

    titles: tuple[str, ...]
    of: int = 0


@dataclass(frozen=True)
class Done:
    """A step that is done; `seconds` is None where its output existed before.

    covers  how much of what was asked its run is of, where that is not all
    """

    title: str
    seconds: float | None
    covers: str = ""


@dataclass(frozen=True)
class Fault:
    """Why a step could not be done; `file` is the one that is wrong, `option` the option, where it is either.

    early  whether that was known, and reported, before any work
    """

    step: Step
    message: str
    file: str = ""
    option: str = ""
    early: bool = False

    @property
    def title(self) -> str:
        """The step's title."""
        return self.step.title


@dataclass(frozen=True)
class BadFiles:
    """Faults of files that were found before any work."""

    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class NotAsked:
    """What live models will not be asked, and why: reported before the first request."""

    lines: tuple[str, ...]


Event = Started | Done | Fault | BadFiles | NotAsked
OnEvent = Callable[[Event], None]
"""Called with what cannot be done, when a line of steps begins, and with the result of each step when it is over."""

Failed = frozenset[Path]
"""Outputs that could not be made."""

_Given = tuple[Line, Failed]
_Outcomes = list[Done | Fault]


def no_events(what: Event) -> None:
    """Do nothing."""


def needs(step: Step, places: Collection[Path]) -> set[Path]:
    """Those of the places that the step reads: a file, or the folder that it is in."""
    read = [Path(text) for specs in step.sources.values() for spec in specs for text in (spec, *paths_of(spec))]
    return {place for path in read for place in (path, path.parent) if place in places}


def lines_of(steps: Sequence[Step]) -> dict[int, Line]:
    """The lines by number, those to be begun first before others; in `steps` each comes after those that it needs.

    What takes long, or what such work waits for, is begun first, so that no worker is left alone with it at the end.
    """
    number_of = {step.place: number for number, step in enumerate(steps)}
    below = [[number_of[place] for place in needs(step, number_of)] for step in steps]
    # Each step is in a line of its own until it is found to hang together with another.
    line_of = list(range(len(steps)))
    for number, step in enumerate(steps):
        for other in below[number]:
            if steps[other].model == step.model:
                joined = line_of[number]
                line_of = [line_of[other] if line == joined else line for line in line_of]
    members: dict[int, list[int]] = {}
    for number, line in enumerate(line_of):
        members.setdefault(line, []).append(number)
    lines = {
        line: Line(
            tuple(steps[number] for number in numbers),
            frozenset(line_of[other] for number in numbers for other in below[number]) - {line},
        )
        for line, numbers in members.items()
    }

    @cache
    def weight(line: int) -> int:
        own = max(step.weight for step in lines[line].steps)
        return max([own, *(weight(other) for other, needing in lines.items() if line in needing.after)])

    return {line: lines[line] for line in sorted(lines, key=lambda line: -weight(line))}


def execute(
    steps: Sequence[Step], engine: Engine | None = None, on_event: OnEvent = no_events, bad_files: Sequence[Fault] = ()
) -> list[Fault]:
    """Run all steps that are not done yet, and return the faults.

    engine     where lines are run side by side; the results do not depend on it
    bad_files  faults that are known already; their steps are not tried
    """
    known = _failed(bad_files)
    lines = lines_of([step for step in steps if step.place not in known])
    faults: list[Fault] = []

    def ended(outcomes: _Outcomes) -> None:
        for outcome in outcomes:
            on_event(outcome)
            if isinstance(outcome, Fault):
                faults.append(outcome)

    def failed() -> Failed:
        return known | _failed(faults)

    if engine is None or isinstance(engine, Here) or len(lines) < 2:
        _one_by_one(lines, failed, on_event, ended)
    else:
        _side_by_side(lines, _shared(engine), failed, on_event, ended)
    return faults


def _shared(engine: Engine) -> SharedEngine:
    if not isinstance(engine, SharedEngine):
        raise UsageError(f"the engine {type(engine).__name__} has no workers that take one step after the other")
    return engine


def _one_by_one(
    lines: dict[int, Line], failed: Callable[[], Failed], on_event: OnEvent, ended: Callable[[_Outcomes], None]
) -> None:
    done: set[int] = set()
    follow = OneThread(_prepare)
    with reading_once():
        while len(done) < len(lines):
            number = next(number for number, line in lines.items() if number not in done and line.after <= done)
            on_event(_begun(number, lines))
            ended(follow((lines[number], failed())))
            done.add(number)


def _side_by_side(
    lines: dict[int, Line],
    engine: SharedEngine,
    failed: Callable[[], Failed],
    on_event: OnEvent,
    ended: Callable[[_Outcomes], None],
) -> None:
    done: set[int] = set()
    busy: dict[int, int] = {}
    with engine.opened(_prepare_worker) as pool:
        while len(done) < len(lines):
            taken = done | set(busy.values())
            ready = [number for number, line in lines.items() if number not in taken and line.after <= done]
            # No more than there are workers, so that what comes first of all that is ready is begun next.
            for number in ready[: pool.workers - len(busy)]:
                on_event(_begun(number, lines))
                busy[pool.submit((lines[number], failed()))] = number
            given, outcome = pool.next()
            number = busy.pop(given)
            ended(_lost(lines[number], outcome.error) if isinstance(outcome.error, WorkerLost) else outcome.get())
            done.add(number)


def _lost(line: Line, error: WorkerLost) -> _Outcomes:
    """The results of a line whose worker was lost each time: the first step without an output is at fault."""
    outcomes: _Outcomes = []
    for step in line.steps:
        if outcomes and isinstance(outcomes[-1], Fault):
            outcomes.append(Fault(step, f"it needs {outcomes[-1].step.place}, which could not be made"))
        elif is_made(step):
            outcomes.append(Done(step.title, None, read_covered(step.place)))
        else:
            outcomes.append(Fault(step, str(error)))
    return outcomes


def _begun(number: int, lines: dict[int, Line]) -> Started:
    return Started(tuple(step.title for step in lines[number].steps), sum(len(line.steps) for line in lines.values()))


def _failed(faults: Sequence[Fault]) -> Failed:
    return frozenset(fault.step.place for fault in faults)


def _prepare() -> Callable[[_Given], _Outcomes]:
    return _follow


_FOR_GOOD = contextlib.ExitStack()


def _prepare_worker() -> Callable[[_Given], _Outcomes]:
    """In a worker: the lines that it is given share what it reads until it ends."""
    _FOR_GOOD.enter_context(reading_once())
    return _follow


def _follow(given: _Given) -> _Outcomes:
    """Run the steps of a line; those that need an output that could not be made are not tried."""
    line, failed = given
    outcomes: _Outcomes = []
    for step in line.steps:
        started = time.monotonic()
        try:
            if missing := needs(step, failed):
                raise UsageError(f"it needs {min(missing)}, which could not be made")
            present = is_made(step)
            if not present:
                do(step)
            seconds = None if present else time.monotonic() - started
            outcomes.append(Done(step.title, seconds, read_covered(step.place)))
        except Exception as raised:
            if not isinstance(raised, VoirDireError) and not is_out_of_memory(raised):
                raise
            error = raised if isinstance(raised, VoirDireError) else OutOfMemory.of("this step", raised)
            failed |= {step.place}
            file = error.source if isinstance(error, InputError) else ""
            option = error.field if isinstance(error, OptionError) else ""
            outcomes.append(Fault(step, str(error), file, option))
    return outcomes
