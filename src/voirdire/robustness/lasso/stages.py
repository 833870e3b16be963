"""From one λ down to another on a working set, in stages.

A stage watches the columns nearest to the boundary, and lowers λ the further, the further from it the nearest of the
others is; at its end all columns of the working set are looked at in double precision. Those that were missed are
brought back first.

Columns that reach the boundary at the same time could come and go without end. So each column has a penalty of its own,
larger than λ by up to one part in a million, which sets such events apart; in the last stage it is one in a thousand
million, and the coefficients are polished at λ itself.
"""

import numpy as np

from voirdire.robustness.lasso.active import ACTIVE
from voirdire.robustness.lasso.path import DONE, STUCK, UNDERWAY, follow
from voirdire.robustness.lasso.polish import settle, sharpen
from voirdire.robustness.lasso.products import Float64, Int64, WorkingSet
from voirdire.robustness.lasso.slots import Slots, values_of

# Columns that a stage watches besides the active ones: so many, and one more for so many active ones.
WATCHED, PER_WATCHED = 32, 4
# A stage goes down to this power of the largest share of λ at which a column is that is not watched, of NEAREST where
# that is closer; to twice the power of the stage before where that brought few events.
STRIDE, NEAREST = 8, 0.99
# The largest share of λ by which penalties differ, on the way and at the end.
APART, APART_AT_LAST = 1e-6, 1e-9
# How far beyond λ, in units of that share, a correlation counts as a violation; how often the last stage may be
# repeated.
VIOLATED = 2.0
REPEATS = 20


def descend(
    working: WorkingSet,
    b: Float64,
    slots: Slots,
    c: Float64,
    spread: Float64,
    levels: tuple[float, float],
    last: bool,
    steps: int,
) -> tuple[int, int, Float64]:
    """Solve at the second of two λ from a solution at the first, which is no smaller: (status, steps, residual).

    c       a_j · r, one per row of the working set; rows that are not active may lie beyond the first λ
    spread  a number from 0 to 1, one per row, which sets penalties apart
    last    whether the second λ is the one that was asked for
    """
    level, goal = levels
    taken, before, repeats, stride = 0, -steps, 0, STRIDE
    apart = APART_AT_LAST if last and level <= goal else APART
    while True:
        own = 1.0 + apart * spread
        far = _idle(slots, c)
        violated = bool((far > level * (1.0 + VIOLATED * apart)).any())
        penalty = np.maximum(level, far) * own
        if level <= goal:
            if not violated or repeats > REPEATS:
                break
            repeats += 1
        if not violated:
            watched = _watched(slots)
            stride = 2 * stride if 2 * (taken - before) < watched else STRIDE
            level = max(goal, level * min(NEAREST, _next(far, watched) / level) ** stride)
            before = taken
            if last and level <= goal:
                apart = APART_AT_LAST
        stop = level * (1.0 + apart * spread)
        status = UNDERWAY
        while status == UNDERWAY:
            near = _nearest(far, _watched(slots))
            slots.hold(np.concatenate([slots.place[slots.members], near]))
            change = stop - penalty
            own_c, own_penalty = values_of(slots, c), values_of(slots, penalty)
            status, used, t = follow(
                slots.active, slots.slot[near], own_c, own_penalty, values_of(slots, change), steps - taken
            )
            taken += used
            penalty += t * change
            left = settle(slots, b, values_of(slots, penalty))
            if status == STUCK or taken >= steps:
                return status, taken, left
            c = working.products(left)
            far = _idle(slots, c)
            penalty = np.maximum(penalty, far * own)
    penalty[:] = goal
    left = settle(slots, b, values_of(slots, penalty), 3)
    return DONE, taken, sharpen(slots, left, values_of(slots, penalty))


def _idle(slots: Slots, c: Float64) -> Float64:
    """|c| of the rows that are not active, 0 for the others."""
    far: Float64 = np.abs(c)
    far[slots.place[slots.members]] = 0.0
    return far


def _watched(slots: Slots) -> int:
    """How many columns a stage watches besides the active ones."""
    return WATCHED + int(slots.active.counts[ACTIVE]) // PER_WATCHED


def _next(far: Float64, count: int) -> float:
    """The largest |c| after the `count` largest; 0 where there are no more."""
    place = len(far) - count - 1
    return float(np.partition(far, place)[place]) if place >= 0 else 0.0


def _nearest(far: Float64, count: int) -> Int64:
    """The rows of the largest |c|, as many as may be watched, those that are active aside."""
    near: Int64 = np.argpartition(-far, count)[:count] if count < len(far) else np.arange(len(far))
    return near[far[near] > 0.0]
