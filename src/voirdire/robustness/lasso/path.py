"""The path of solutions while the penalties go from p(0) to p(1): it is linear between events.

    a_j · r = p_j(t)·s_j   for active j,       |a_j · r| ≤ p_j(t)   for the others,       p(t) = p(0) + t·(p(1) − p(0))

so x moves at the rate u = −M (ṗ·s) and the residual at −A_S u. An event is a column that reaches its boundary (it
becomes active, or is exchanged where it depends on the active ones) or a coefficient that reaches 0 (it leaves).

Penalties of their own let the same path both lower λ and bring back columns that violate it: such a column starts at
p_j(0) = |a_j · r|, where it violates nothing.

One problem goes on its working set from one λ down to another in stages. A stage lowers λ by a factor, and watches only
the columns whose correlation is large already; at its end all columns of the working set are looked at in double
precision. Those that were missed are brought back first.

Columns that reach the boundary at the same time could come and go without end. So each column has a penalty of its own,
larger than λ by up to one part in a million, which sets such events apart; in the last stage it is one in a thousand
million, and the coefficients are polished at λ itself.
"""

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.active import Active, exchange, join, leave, solve_active
from voirdire.robustness.lasso.polish import settle, sharpen
from voirdire.robustness.lasso.products import Float64, Rows, correlate, times
from voirdire.stats.compiled import fast

__all__ = ["DONE", "STUCK", "UNDERWAY", "descend", "follow"]

DONE, STUCK, UNDERWAY = 0, 1, 2

# A rate of approach, as a share of the penalty, that is rounding.
RATE = 1e-12
# Steps after which rounding may have gathered.
FRESH = 50

# The share of λ that a stage goes down to, and the share of λ from which a column is watched on the way. With many
# active columns many are near λ, and watching costs more than looking at all columns after each stage.
FEW = 20
STAGE_OF_FEW, STAGE = 0.7, 0.97
WATCHED_OF_FEW, WATCHED = 0.65, 0.975
# Events of a stage below which the next is longer, down to LONGEST, and above which it is shorter, up to STAGE.
QUIET, BUSY, LONGEST = 8, 24, 0.7
# The largest share of λ by which penalties differ, on the way and at the end.
APART, APART_AT_LAST = 1e-6, 1e-9
# How far beyond λ, as a share of it, a correlation counts as a violation; how often the last stage may be repeated.
BEYOND = 2.0
REPEATS = 20


@fast
def follow(
    rows: Rows,
    active: Active,
    watched: npt.NDArray[np.bool_],
    c: Float64,
    penalty: Float64,
    stop: Float64,
    steps: int,
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Follow the path: (DONE at its end, UNDERWAY or STUCK before it; steps that were taken).

    After an exchange and after `FRESH` steps the path is left UNDERWAY, with all penalties at p(t): polish, take c
    anew, and follow it further.

    watched  the rows of the working set that may become active; must hold all active ones
    c        a_j · r, one per row; kept up for watched rows on the way, except those that are active
    penalty  p(0), one per row; p(t) afterwards
    stop     p(1)
    steps    the most that may be taken
    """
    change = stop - penalty
    candidates = np.empty(len(rows), np.int64)
    count = 0
    for j in range(len(rows)):
        if watched[j] and not active.inside[j]:
            candidates[count] = j
            count += 1
    right = np.empty(len(active.members))
    for i in range(active.size[0]):
        right[i] = -change[active.members[i]] * active.signs[i]
    solve_active(active, right, active.rate)
    speed = np.empty(len(rows))
    direction = np.empty(rows.shape[1])
    t, just_left = 0.0, -1
    for step in range(min(steps, FRESH)):
        size = active.size[0]
        times(rows, active.members, size, active.rate, direction)
        for i in range(len(direction)):
            direction[i] = -direction[i]
        correlate(rows, candidates, count, direction, speed)
        length, entering, sign, leaving = 1.0 - t, -1, 0.0, -1
        for i in range(count):
            j = candidates[i]
            if j == just_left:
                continue
            up, down = speed[i] - change[j], -speed[i] - change[j]
            if up > RATE * stop[j] and penalty[j] - c[j] < length * up:
                length, entering, sign = max(0.0, (penalty[j] - c[j]) / up), i, 1.0
            if down > RATE * stop[j] and penalty[j] + c[j] < length * down:
                length, entering, sign = max(0.0, (penalty[j] + c[j]) / down), i, -1.0
        for i in range(size):
            if active.rate[i] * active.signs[i] < 0.0 and -active.x[i] / active.rate[i] < length:
                length, entering, leaving = max(0.0, -active.x[i] / active.rate[i]), -1, i
        t += length
        for i in range(size):
            active.x[i] += length * active.rate[i]
            j = active.members[i]
            penalty[j] += length * change[j]
        for i in range(count):
            j = candidates[i]
            c[j] += length * speed[i]
            penalty[j] += length * change[j]
        just_left = -1
        if leaving >= 0:
            just_left = active.members[leaving]
            c[just_left] = penalty[just_left] * active.signs[leaving]
            leave(active, leaving)
            candidates[count] = just_left
            count += 1
        elif entering >= 0:
            j = candidates[entering]
            count -= 1
            candidates[entering] = candidates[count]
            if not join(rows, active, j, sign, -change[j] * sign):
                # What leaves here comes back, if at all, after all numbers were taken anew.
                if not exchange(rows, active, j, sign, -change[j] * sign):
                    return STUCK, step + 1
                _catch_up(penalty, watched, change, t)
                return UNDERWAY, step + 1
        else:
            penalty[:] = stop
            return DONE, step + 1
    _catch_up(penalty, watched, change, t)
    return UNDERWAY, min(steps, FRESH)


@fast
def _catch_up(penalty: Float64, watched: npt.NDArray[np.bool_], change: Float64, t: float) -> None:  # pragma: no cover
    """Bring the penalties of rows that were not watched to p(t), where the others are."""
    for j in range(len(penalty)):
        if not watched[j]:
            penalty[j] += t * change[j]


@fast
def descend(
    rows: Rows,
    b: Float64,
    active: Active,
    c: Float64,
    spread: Float64,
    level: float,
    goal: float,
    last: bool,
    steps: int,
) -> tuple[int, int, Float64]:  # pragma: no cover - compiled
    """Solve at λ = `goal`, from a solution at `level` ≥ goal on the active columns: (status, steps, residual).

    c       a_j · r, one per row of the working set; rows that are not active may lie beyond `level`
    spread  a number from 0 to 1, one per row, which sets penalties apart
    last    whether `goal` is the λ that was asked for
    """
    everything = np.arange(len(rows))
    watched = np.empty(len(rows), np.bool_)
    penalty, stop = np.empty(len(rows)), np.empty(len(rows))
    taken, repeats, events, stage = 0, 0, 0, STAGE
    apart = APART_AT_LAST if last and level <= goal else APART
    while True:
        violated = False
        for j in range(len(rows)):
            own = 1.0 + apart * spread[j]
            penalty[j] = level * own if active.inside[j] else max(level, abs(c[j])) * own
            violated |= not active.inside[j] and abs(c[j]) > level * (1.0 + BEYOND * apart)
        if level <= goal:
            if not violated or repeats > REPEATS:
                break
            repeats += 1
        few = active.size[0] < FEW
        edge = level * (WATCHED_OF_FEW if few else min(WATCHED, stage))
        if not violated:
            if events < QUIET:
                stage = max(LONGEST, stage * stage)
            elif events > BUSY:
                stage = min(STAGE, np.sqrt(stage))
            events = 0
            level = max(goal, level * (STAGE_OF_FEW if few else stage))
            if last and level <= goal:
                apart = APART_AT_LAST
        for j in range(len(rows)):
            stop[j] = level * (1.0 + apart * spread[j])
        status = UNDERWAY
        while status == UNDERWAY:
            for j in range(len(rows)):
                watched[j] = active.inside[j] or abs(c[j]) > edge
            status, used = follow(rows, active, watched, c, penalty, stop, steps - taken)
            taken += used
            events += used
            left = settle(rows, active, b, penalty, 1)
            if status == STUCK or taken >= steps:
                return status, taken, left
            correlate(rows, everything, len(rows), left, c)
            for j in range(len(rows)):
                if not active.inside[j]:
                    penalty[j] = max(penalty[j], abs(c[j]) * (1.0 + apart * spread[j]))
    penalty[:] = goal
    left = settle(rows, active, b, penalty, 3)
    sharpen(rows, active, left, penalty)
    return DONE, taken, left
