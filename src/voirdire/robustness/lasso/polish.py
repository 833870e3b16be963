"""Iterative refinement: the coefficients solve the active system to the last bits, whatever the inverse has lost.

    r = b − A_S x,    x ← x + M (A_Sᵀ r − p·s)

p  penalties of the active columns, s their signs. An inverse that has lost too much for that is made anew first.

The residual that b − A_S x gives is as coarse as the digits of b and A_S x, which at small λ are far larger than it is.
The residual of the solution that x is rounded from is known better: r ← r − A_S M (A_Sᵀ r − p·s).
"""

import numpy as np

from voirdire.robustness.lasso.active import Active, leave, rebuild, solve_active
from voirdire.robustness.lasso.products import Float64, Rows, correlate, inner, times
from voirdire.stats.compiled import fast

__all__ = ["polish", "residual", "settle", "sharpen"]

# A violation of the active system, as a share of the penalty, that the inverse must have caused; and in units of
# rounding, ε‖a‖‖b‖, below which b − A_S x could not be closer: at small λ that is more than the share above.
LOST, UNITS = 1e-9, 64.0
# A coefficient, as a share of the largest, that may as well be 0.
ROUNDING = 1e-13
EPSILON = 2.0**-52


@fast
def residual(rows: Rows, active: Active, b: Float64) -> Float64:  # pragma: no cover - compiled
    """b − A_S x."""
    out = np.empty(len(b))
    times(rows, active.members, active.size[0], active.x, out)
    for j in range(len(b)):
        out[j] = b[j] - out[j]
    return out


@fast
def polish(rows: Rows, active: Active, b: Float64, penalty: Float64, rounds: int) -> Float64:  # pragma: no cover
    """Refine `rounds` times; the residual that is left.

    penalty  one per row of the working set
    """
    size = active.size[0]
    wanted, step = np.empty(size), np.empty(size)
    left: Float64 = residual(rows, active, b)
    for turn in range(rounds):
        correlate(rows, active.members, size, left, wanted)
        off, worst = 0.0, 0.0
        for i in range(size):
            bound = penalty[active.members[i]]
            wanted[i] -= bound * active.signs[i]
            off, worst = max(off, abs(wanted[i]) / bound), max(worst, abs(wanted[i]))
        if turn == 0 and off > LOST and worst > UNITS * _rounding(rows, active, b):
            rebuild(rows, active)
        solve_active(active, wanted, step)
        for i in range(size):
            active.x[i] += step[i]
        left = residual(rows, active, b)
    return left


@fast
def _rounding(rows: Rows, active: Active, b: Float64) -> float:  # pragma: no cover - compiled
    """ε‖a‖‖b‖ with the longest of the active columns."""
    longest = 0.0
    for i in range(active.size[0]):
        row = rows[active.members[i]]
        longest = max(longest, inner(row, row))
    unit: float = EPSILON * np.sqrt(longest * inner(b, b))
    return unit


@fast
def settle(rows: Rows, active: Active, b: Float64, penalty: Float64, rounds: int) -> Float64:  # pragma: no cover
    """Polish, and let columns leave whose coefficients then have the wrong sign, until none has; the residual."""
    while True:
        left: Float64 = polish(rows, active, b, penalty, rounds)
        wrong, largest = False, 0.0
        for i in range(active.size[0]):
            largest = max(largest, abs(active.x[i]))
        for i in range(active.size[0] - 1, -1, -1):
            if active.x[i] * active.signs[i] < -ROUNDING * largest:
                leave(active, i)
                wrong = True
        if not wrong:
            return left


@fast
def sharpen(rows: Rows, active: Active, left: Float64, penalty: Float64) -> None:  # pragma: no cover - compiled
    """Refine the residual itself, in place, until the active columns are at their penalties."""
    size = active.size[0]
    off, step, change = np.empty(size), np.empty(size), np.empty(len(left))
    for _ in range(2):
        correlate(rows, active.members, size, left, off)
        for i in range(size):
            off[i] -= penalty[active.members[i]] * active.signs[i]
        solve_active(active, off, step)
        times(rows, active.members, size, step, change)
        for j in range(len(left)):
            left[j] -= change[j]
