"""Iterative refinement: the coefficients solve the active system to the last bits, whatever the inverse has lost.

    r = b − A_S x,    x ← x + M (A_Sᵀ r − p·s)

p  penalties of the active columns, s their signs. An inverse with which that gets no closer is made anew.

The residual that b − A_S x gives is as coarse as the digits of b and A_S x, which at small λ are far larger than it is.
The residual of the solution that x is rounded from is known better: r ← r − A_S M (A_Sᵀ r − p·s).
"""

import numpy as np

from voirdire.robustness.lasso.active import leave, solve_active
from voirdire.robustness.lasso.products import Float64
from voirdire.robustness.lasso.slots import Slots

# A violation of the active system, as a share of the penalty, after which the inverse is looked at, and what a
# refinement must leave of it, at most, where the inverse is good; and the violation, in units of rounding, ε‖a‖‖b‖,
# below which b − A_S x could not be closer.
SUSPECT, CLOSER, UNITS = 1e-9, 0.1, 64.0
# A coefficient, as a share of the largest, that may as well be 0.
ROUNDING = 1e-13
EPSILON = 2.0**-52


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
