"""The path of solutions while the penalties go from p(0) to p(1): it is linear between events.

    a_j · r = p_j(t)·s_j   for active j,       |a_j · r| ≤ p_j(t)   for the others,       p(t) = p(0) + t·(p(1) − p(0))

so x moves at the rate u = −M (ṗ·s) and the residual at −A_S u. An event is a column that reaches its boundary (it
becomes active, or is exchanged where it depends on the active ones) or a coefficient that reaches 0 (it leaves).

Penalties of their own let the same path both lower λ and bring back columns that violate it: such a column starts at
p_j(0) = |a_j · r|, where it violates nothing.
"""

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.active import Active, join, leave, solve_active
from voirdire.robustness.lasso.fast import fast
from voirdire.robustness.lasso.pivot import exchange
from voirdire.robustness.lasso.products import Rows, correlate, times

__all__ = ["DONE", "STUCK", "UNDERWAY", "follow"]

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

DONE, STUCK, UNDERWAY = 0, 1, 2

# A rate of approach, as a share of the penalty, that is rounding.
RATE = 1e-12
# Steps after which rounding may have gathered.
FRESH = 50


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
    c        a_j · r, one a row; kept up for watched rows on the way, except those that are active
    penalty  p(0), one a row; p(t) afterwards
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
