"""From one λ down to another on a working set: the path, its refinement, and the stages in which it is followed.

The path of solutions while the penalties go from p(0) to p(1) is linear between events:

    a_j · r = p_j(t)·s_j   for active j,       |a_j · r| ≤ p_j(t)   for the others,       p(t) = p(0) + t·(p(1) − p(0))

so x moves at the rate u = −M (ṗ·s) and the residual at −A_S u. An event is a column that reaches its boundary (it
becomes active, or is exchanged where it depends on the active ones) or a coefficient that reaches 0 (it leaves).
Penalties of their own let the same path both lower λ and bring back columns that violate it: such a column starts at
p_j(0) = |a_j · r|, where it violates nothing.

Iterative refinement makes the coefficients solve the active system to the last bits, whatever the inverse has lost:

    r = b − A_S x,    x ← x + M (A_Sᵀ r − p·s)

p  penalties of the active columns, s their signs. An inverse with which that gets no closer is made anew. The residual
that b − A_S x gives is as coarse as the digits of b and A_S x, which at small λ are far larger than it is. The residual
of the solution that x is rounded from is known better: r ← r − A_S M (A_Sᵀ r − p·s).

A stage watches the columns nearest to the boundary, and lowers λ the further, the further from it the nearest of the
others is; at its end all columns of the working set are looked at in double precision. Those that were missed are
brought back first. Columns that reach the boundary at the same time could come and go without end. So each column has a
penalty of its own, larger than λ by up to one part in a million, which sets such events apart; in the last stage it is
one in a thousand million, and the coefficients are polished at λ itself.
"""

import numpy as np

from voirdire.robustness.lasso.active import ACTIVE, USED, Active, Slots, exchange, join, leave, solve_active, values_of
from voirdire.robustness.lasso.columns import Float64, Int64, WorkingSet, correlate
from voirdire.stats.compiled import fast

DONE, STUCK, UNDERWAY = 0, 1, 2

# A rate of approach, as a share of the penalty, that is rounding.
RATE = 1e-12
# Steps after which rounding may have gathered.
FRESH = 50
# A violation of the active system, as a share of the penalty, after which the inverse is looked at, and what a
# refinement must leave of it, at most, where the inverse is good; and the violation, in units of rounding, ε‖a‖‖b‖,
# below which b − A_S x could not be closer.
SUSPECT, CLOSER, UNITS = 1e-9, 0.1, 64.0
# A coefficient, as a share of the largest, that may as well be 0.
ROUNDING = 1e-13
EPSILON = 2.0**-52
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
    for i in range(count):
        near[i] = candidates[i]
    right = np.empty(used)
    for i in range(used):
        right[i] = -change[i] * signs[i]
    solve_active(active, right, rate)
    speed = np.empty(used)
    t, just_left = 0.0, -1
    for step in range(min(steps, FRESH)):
        length, entering, sign, leaving = 1.0 - t, -1, 0.0, -1
        correlate(active.gram, near, count, rate[:used], speed)
        for i in range(count):
            j = near[i]
            if j == just_left:
                continue
            # The residual moves by −A_S u, and so do the correlations.
            up, down = -speed[i] - change[j], speed[i] - change[j]
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
            c[near[i]] -= length * speed[i]
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


def residual(slots: Slots, b: Float64) -> Float64:
    """b − A_S x."""
    left: Float64 = b - slots.active.x[: slots.used] @ slots.active.rows[: slots.used]
    return left


def violation(slots: Slots, left: Float64, penalty: Float64) -> Float64:
    """A_Sᵀ r − p·s, one per slot.

    penalty  one per slot
    """
    used, signs = slots.used, slots.active.signs[: slots.used]
    off: Float64 = (slots.active.rows[:used] @ left - penalty[:used] * signs) * (signs != 0)
    return off


def _solved(slots: Slots, right: Float64) -> Float64:
    out = np.empty_like(right)
    solve_active(slots.active, right, out)
    return out


def refine(slots: Slots, b: Float64, penalty: Float64, rounds: int) -> Float64:
    """Refine `rounds` times; the residual that is left."""
    left = residual(slots, b)
    active, used = slots.active, slots.used
    if not active.counts[1]:
        return left
    longest = np.diagonal(active.gram)[slots.members].max()
    least = max(UNITS * EPSILON * float(np.sqrt(longest * (b @ b))), SUSPECT * float(penalty[slots.members].min()))
    before, inverted, done = float("inf"), False, 0
    start, last = active.x[:used].copy(), np.zeros(used)
    while done < rounds or before > least:
        off = violation(slots, left, penalty)
        worst = float(np.abs(off).max())
        if done and not inverted and not worst <= max(CLOSER * before, least):
            # The last step led away, or not far enough: it is taken back.
            slots.invert()
            active.x[:used], off, inverted = start, last, True
        elif done >= rounds:
            break
        else:
            start, last, before, done = active.x[:used].copy(), off, worst, done + 1
        active.x[:used] += _solved(slots, off)
        left = residual(slots, b)
    return left


def settle(slots: Slots, b: Float64, penalty: Float64, rounds: int = 1) -> Float64:
    """Refine, and let columns leave whose coefficients then have the wrong sign, until none has; the residual."""
    active = slots.active
    while True:
        left = refine(slots, b, penalty, rounds)
        x, signs = active.x[: slots.used], active.signs[: slots.used]
        wrong = np.flatnonzero(x * signs < -ROUNDING * np.abs(x).max(initial=0.0))
        if not len(wrong):
            return left
        for slot in wrong:
            leave(active, slot)


def sharpen(slots: Slots, left: Float64, penalty: Float64) -> Float64:
    """Refine the residual itself until the active columns are at their penalties."""
    for _ in range(2):
        left = left - _solved(slots, violation(slots, left, penalty)) @ slots.active.rows[: slots.used]
    return left


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
            slots.assign(np.concatenate([slots.place[slots.members], near]))
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
