"""The path of solutions while the penalties go from p(0) to p(1): it is linear between events.

    a_j · r = p_j(t)·s_j   for active j,       |a_j · r| ≤ p_j(t)   for the others,       p(t) = p(0) + t·(p(1) − p(0))

so x moves at the rate u = −M (ṗ·s) and the residual at −A_S u. An event is a column that reaches its boundary (it
becomes active, or is exchanged where it depends on the active ones) or a coefficient that reaches 0 (it leaves).

Penalties of their own let the same path both lower λ and bring back columns that violate it: such a column starts at
p_j(0) = |a_j · r|, where it violates nothing.
"""

import numpy as np

from voirdire.robustness.lasso.active import USED, Active, exchange, join, leave, solve_active
from voirdire.robustness.lasso.products import Float64, Int64, correlate
from voirdire.stats.compiled import fast

DONE, STUCK, UNDERWAY = 0, 1, 2

# A rate of approach, as a share of the penalty, that is rounding.
RATE = 1e-12
# Steps after which rounding may have gathered.
FRESH = 50


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
