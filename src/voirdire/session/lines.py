"""Which steps go side by side, and which wait for others.

A step waits for those that make what it reads. Steps of one model that hang together so are a line, done one after the
other; so are those that models share. A line is in the first wave if it needs nothing of other lines, else in the one
after the last that it needs.
"""

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from voirdire.session.steps import Step

__all__ = ["Line", "needs", "waves"]

HEAVY = ("robustness rank", "scorekeeping probe", "answers score", "scorekeeping propositions")
"""Kinds that take long, the longest first: they are begun first, so that no worker is left alone with one."""

Line = tuple[Step, ...]


def needs(step: Step, places: Collection[Path]) -> set[Path]:
    """Those of the places that the step reads: a file, or the folder that it is in."""
    read = [Path(spec) for specs in step.sources.values() for spec in specs]
    return {place for path in read for place in (path, path.parent) if place in places}


def waves(steps: Sequence[Step]) -> list[list[Line]]:
    """The lines of all steps, wave after wave; `steps` has each after those that it needs, and so have lines."""
    number_of = {step.place: number for number, step in enumerate(steps)}
    below = [[number_of[place] for place in needs(step, number_of)] for step in steps]
    # Each step is in a line of its own until it is found to hang together with another.
    line_of = list(range(len(steps)))
    for number, step in enumerate(steps):
        for other in below[number]:
            if steps[other].model == step.model:
                joined = line_of[number]
                line_of = [line_of[other] if line == joined else line for line in line_of]
    lines: dict[int, list[int]] = {}
    for number, line in enumerate(line_of):
        lines.setdefault(line, []).append(number)

    @cache
    def wave(line: int) -> int:
        outside = {line_of[other] for number in lines[line] for other in below[number]} - {line}
        return 1 + max(map(wave, outside), default=-1)

    found: list[list[Line]] = [[] for _ in range(1 + max(map(wave, lines), default=-1))]
    for line, numbers in lines.items():
        found[wave(line)].append(tuple(steps[number] for number in numbers))
    for some in found:
        some.sort(key=_weight)
    return found


def _weight(line: Line) -> int:
    return min((HEAVY.index(step.kind) for step in line if step.kind in HEAVY), default=len(HEAVY))
