"""The steps of a session carried out, several at a time, whatever becomes of some of them.

A step that fails because of somebody's file is reported, those that need what it was to make are not tried, and all
others go on.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path

from voirdire.engine import Processes
from voirdire.engine.threads import OneThread
from voirdire.errors import InputError, UsageError, VoirDireError
from voirdire.session.lines import Line, lines_of, needs
from voirdire.session.steps import Step, do, is_made

__all__ = ["Begun", "Done", "Fault", "Told", "carry_out", "unheard"]


@dataclass(frozen=True)
class Begun:
    """Steps that are under way, one after the other; what became of each is told when all are over."""

    titles: tuple[str, ...]


@dataclass(frozen=True)
class Done:
    """A step that is there now; `seconds` is None where it was there before."""

    title: str
    seconds: float | None


@dataclass(frozen=True)
class Fault:
    """Why a step could not be done; `file` is the one that is wrong, or what it is called, where it is a file."""

    step: Step
    message: str
    file: str = ""

    @property
    def title(self) -> str:
        """What the step is called."""
        return self.step.title


Told = Callable[[Begun | Done | Fault], None]
"""Told when a line of steps is begun, and what became of each of them when it is done."""

Failed = frozenset[Path]
"""What could not be made."""

_Given = tuple[Line, Failed]
_Outcomes = list[Done | Fault]


def unheard(what: Begun | Done | Fault) -> None:
    """Nobody listens."""


def carry_out(steps: Sequence[Step], workers: int = 1, told: Told = unheard) -> list[Fault]:
    """Do all that is not done yet; the faults that were met.

    workers  processes that work side by side; what is made does not depend on their number
    """
    lines = lines_of(steps)
    faults: list[Fault] = []

    def ended(outcomes: _Outcomes) -> None:
        for one in outcomes:
            told(one)
            if isinstance(one, Fault):
                faults.append(one)

    if workers == 1 or len(lines) == 1:
        _one_by_one(lines, faults, told, ended)
    else:
        _side_by_side(lines, min(workers, len(lines)), faults, told, ended)
    return faults


def _one_by_one(lines: dict[int, Line], faults: list[Fault], told: Told, ended: Callable[[_Outcomes], None]) -> None:
    done: set[int] = set()
    follow = OneThread(_prepare)
    while len(done) < len(lines):
        number = next(number for number, line in lines.items() if number not in done and line.after <= done)
        told(_begun(lines[number]))
        ended(follow((lines[number], _failed(faults))))
        done.add(number)


def _side_by_side(
    lines: dict[int, Line], workers: int, faults: list[Fault], told: Told, ended: Callable[[_Outcomes], None]
) -> None:
    done: set[int] = set()
    busy: dict[Future[_Outcomes], int] = {}
    with Processes(workers).opened(_prepare) as submit:
        while len(done) < len(lines):
            taken = done | set(busy.values())
            ready = [number for number, line in lines.items() if number not in taken and line.after <= done]
            # No more than there are workers, so that what comes first of all that is ready is begun next.
            for number in ready[: workers - len(busy)]:
                told(_begun(lines[number]))
                busy[submit((lines[number], _failed(faults)))] = number
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                ended(future.result())
                done.add(busy.pop(future))


def _begun(line: Line) -> Begun:
    return Begun(tuple(step.title for step in line.steps))


def _failed(faults: Sequence[Fault]) -> Failed:
    return frozenset(fault.step.place for fault in faults)


def _prepare() -> Callable[[_Given], _Outcomes]:
    return _follow


def _follow(given: _Given) -> _Outcomes:
    """Do the steps of a line; those that need what could not be made are not tried."""
    from voirdire.session.work import MAKERS

    line, failed = given
    outcomes: _Outcomes = []
    for step in line.steps:
        started = time.monotonic()
        try:
            if missing := needs(step, failed):
                raise UsageError(f"it needs {min(missing)}, which could not be made")
            there = is_made(step)
            if not there:
                do(step, MAKERS)
            outcomes.append(Done(step.title, None if there else time.monotonic() - started))
        except VoirDireError as error:
            failed |= {step.place}
            outcomes.append(Fault(step, str(error), error.source if isinstance(error, InputError) else ""))
    return outcomes
