"""The steps of a session carried out, several at a time, whatever becomes of some of them.

A step that fails because of somebody's file is reported, those that need what it was to make are not tried, and all
others go on.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from voirdire.engine import Here, Processes
from voirdire.errors import UsageError, VoirDireError
from voirdire.session.lines import Line, needs, waves
from voirdire.session.steps import Step, do, is_made

__all__ = ["Done", "Fault", "Told", "carry_out"]


@dataclass(frozen=True)
class Done:
    """A step that is there now; `seconds` is None where it was there before."""

    title: str
    seconds: float | None


@dataclass(frozen=True)
class Fault:
    """Why a step could not be done, and what it was to make."""

    title: str
    message: str
    place: Path


Told = Callable[[Done | Fault, int, int], None]
"""Told what became of a step, how many are done, and of how many."""

Failed = frozenset[Path]
"""What could not be made."""


def carry_out(steps: Sequence[Step], workers: int = 1, told: Told = lambda what, done, total: None) -> list[Fault]:
    """Do all that is not done yet; the faults that were met.

    workers  processes that work side by side; what is made does not depend on their number
    """
    failed: Failed = frozenset()
    done, faults = 0, list[Fault]()
    for wave in waves(steps):
        engine = Here() if workers == 1 or len(wave) == 1 else Processes(min(workers, len(wave)))
        with engine.map(_prepare, [(line, failed) for line in wave]) as results:
            for outcomes, gone in results:
                failed |= gone
                for one in outcomes:
                    done += 1
                    told(one, done, len(steps))
                    if isinstance(one, Fault):
                        faults.append(one)
    return faults


def _prepare() -> "Callable[[tuple[Line, Failed]], tuple[list[Done | Fault], Failed]]":
    return _follow


def _follow(given: tuple[Line, Failed]) -> tuple[list[Done | Fault], Failed]:
    """Do the steps of a line; those that need what could not be made are not tried."""
    from voirdire.session.work import MAKERS

    line, failed = given
    outcomes: list[Done | Fault] = []
    for step in line:
        started = time.monotonic()
        try:
            if missing := needs(step, failed):
                raise UsageError(f"it needs {min(missing)}, which could not be made")
            there = is_made(step)
            if not there:
                do(step, MAKERS)
        except VoirDireError as error:
            failed |= {step.place}
            outcomes.append(Fault(step.title, str(error), step.place))
            continue
        outcomes.append(Done(step.title, None if there else time.monotonic() - started))
    return outcomes, failed
