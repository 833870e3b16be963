"""Which steps go side by side, and which wait for others.

A step waits for those that make what it reads. Steps of one model that hang together so are a line, done one after the
other; so are those that models share. A line can be begun when those that it needs are done.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voirdire.session.steps import Step

__all__ = ["Line", "lines_of", "needs"]

HEAVY = ("robustness rank", "scorekeeping probe", "answers bounds", "answers score")
"""Kinds that take long, the longest first."""


@dataclass(frozen=True)
class Line:
    """Steps one after the other; `after` are the numbers of the lines that it needs."""

    steps: tuple[Step, ...]
    after: frozenset[int]


def needs(step: Step, places: Collection[Path]) -> set[Path]:
    """Those of the places that the step reads: a file, or the folder that it is in."""
    read = [Path(spec) for specs in step.sources.values() for spec in specs]
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
        own = min((HEAVY.index(step.kind) for step in lines[line].steps if step.kind in HEAVY), default=len(HEAVY))
        return min([own, *(weight(other) for other, one in lines.items() if line in one.after)])

    return {line: lines[line] for line in sorted(lines, key=weight)}
