"""The path of solutions while the penalties go from p(0) to p(1): it is linear between events.

    a_j · r = p_j(t)·s_j   for active j,       |a_j · r| ≤ p_j(t)   for the others,       p(t) = p(0) + t·(p(1) − p(0))

so x moves at the rate u = −M (ṗ·s) and the residual at −A_S u. An event is a column that reaches its boundary (it
becomes active, or is exchanged where it depends on the active ones) or a coefficient that reaches 0 (it leaves).

Penalties of their own let the same path both lower λ and bring back columns that violate it: such a column starts at
p_j(0) = |a_j · r|, where it violates nothing.

One problem goes on its working set from one λ down to another in stages. A stage watches the columns nearest to the
boundary and lowers λ about as far as they reach; at its end all columns of the working set are looked at in double
precision. Those that were missed are brought back first.

Columns that reach the boundary at the same time could come and go without end. So each column has a penalty of its own,
larger than λ by up to one part in a million, which sets such events apart; in the last stage it is one in a thousand
million, and the coefficients are polished at λ itself.
"""

import numpy as np

from voirdire.robustness.lasso.active import ACTIVE, USED, Active, exchange, join, leave, solve_active
from voirdire.robustness.lasso.polish import settle, sharpen
from voirdire.robustness.lasso.products import Float64, Int64, Rows, correlate, inner
from voirdire.robustness.lasso.slots import Slots, values_of
from voirdire.stats.compiled import fast

__all__ = ["DONE", "STUCK", "UNDERWAY", "descend", "follow"]

DONE, STUCK, UNDERWAY = 0, 1, 2

# A rate of approach, as a share of the penalty, that is rounding.
RATE = 1e-12
# Steps after which rounding may have gathered.
FRESH = 50

# Columns that a stage watches besides the active ones: so many, and one more for so many active ones.
WATCHED, PER_WATCHED = 32, 4
# The share of λ that a stage goes down to, at most and at least.
SHORTEST, FARTHEST = 0.97, 0.5
# The largest share of λ by which penalties differ, on the way and at the end.
APART, APART_AT_LAST = 1e-6, 1e-9
# How far beyond λ, in units of that share, a correlation counts as a violation; how often the last stage may be
# repeated.
VIOLATED = 2.0
REPEATS = 20


@fast
def follow(
    active: Active, candidates: Int64, c: Float64, penalty: Float64, change: Float64, steps: int
) -> tuple[int, int, float]:  # pragma: no cover - compiled
    """Follow the path: (DONE at its end, UNDERWAY or STUCK before it; steps that were taken; t).

    After an exchange and after `FRESH` steps the path is left UNDERWAY at t: polish, take c anew, follow it further.

    candidates  slots that are not active and may become so
    c           a_j · r, one per slot; kept up for candidates on the way
    penalty     p(0), one per slot; p(t) for candidates and active slots afterwards
    change      p(1) − p(0), one per slot
    steps       the most that may be taken
    """
    used, signs, x, rate = active.counts[USED], active.signs, active.x, active.rate
    near = np.empty(used, np.int64)
    count = len(candidates)
    near[:count] = candidates
    right = np.empty(used)
    for i in range(used):
        right[i] = -change[i] * signs[i]
    solve_active(active, right, rate)
    speed = np.empty(used)
    t, just_left = 0.0, -1
    for step in range(min(steps, FRESH)):
        length, entering, sign, leaving = 1.0 - t, -1, 0.0, -1
        for i in range(count):
            j = near[i]
            speed[i] = -inner(active.gram[j, :used], rate[:used])
            if j == just_left:
                continue
            up, down = speed[i] - change[j], -speed[i] - change[j]
            if up > RATE * penalty[j] and penalty[j] - c[j] < length * up:
                length, entering, sign = max(0.0, (penalty[j] - c[j]) / up), i, 1.0
            if down > RATE * penalty[j] and penalty[j] + c[j] < length * down:
                length, entering, sign = max(0.0, (penalty[j] + c[j]) / down), i, -1.0
        for i in range(used):
            if rate[i] * signs[i] < 0.0 and -x[i] / rate[i] < length:
                length, entering, leaving = max(0.0, -x[i] / rate[i]), -1, i
        t += length
        for i in range(used):
            x[i] += length * rate[i]
            penalty[i] += length * change[i]
        for i in range(count):
            c[near[i]] += length * speed[i]
        just_left = -1
        if leaving >= 0:
            c[leaving] = penalty[leaving] * signs[leaving]
            leave(active, leaving)
            just_left = near[count] = leaving
            count += 1
        elif entering >= 0:
            j = near[entering]
            count -= 1
            near[entering] = near[count]
            if not join(active, j, sign, -change[j] * sign):
                # What leaves here comes back, if at all, after all numbers were taken anew.
                return UNDERWAY if exchange(active, j, sign, -change[j] * sign) else STUCK, step + 1, t
        else:
            return DONE, step + 1, 1.0
    return UNDERWAY, min(steps, FRESH), t


def descend(
    rows: Rows,
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
    everything = np.arange(len(rows))
    level, goal = levels
    taken, repeats = 0, 0
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
        count = WATCHED + int(slots.active.counts[ACTIVE]) // PER_WATCHED
        nearest = float(np.partition(far, -count)[-count]) if count < len(far) else 0.0
        share = min(SHORTEST, max(FARTHEST, nearest / level))
        edge = level * share
        if not violated:
            level = max(goal, edge)
            if last and level <= goal:
                apart = APART_AT_LAST
        stop = level * (1.0 + apart * spread)
        status = UNDERWAY
        while status == UNDERWAY:
            near = np.flatnonzero(far > edge)
            if len(near) > 4 * count:
                near = near[np.argpartition(-far[near], 4 * count)[: 4 * count]]
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
            correlate(rows, everything, len(rows), left, c)
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
