"""The active columns of one problem, with the inverse of their Gram matrix M = (A_Sᵀ A_S)⁻¹ kept as they come and go.

A column a joins with g = A_Sᵀ a, w = M g and δ = ‖a‖² − g·w, the squared distance of a from the span of the others:

    M ← [ M + w wᵀ/δ   −w/δ ]        the rate u of the coefficients follows at once, since u = M h for a given h
        [ −wᵀ/δ         1/δ ]

and leaves by the same step backward. Where δ is next to nothing the column depends on the others, and does not join.

A column that reaches the boundary but depends on the active ones takes the place of one of them. With a = A_S w the
residual stays as it is along  x_a = τ·s,  x_S = x_S − τ·s·w,  and so does the objective, as every column involved is at
the boundary. τ grows until the first coefficient is 0: that column leaves, and a joins.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.products import Float64, Int64, Rows, correlate, inner, times
from voirdire.stats.compiled import fast

__all__ = ["DEPENDENT", "Active", "empty", "exchange", "join", "leave", "rebuild", "solve_active"]

# The share of ‖a‖² below which δ, a difference, has lost too many digits and is taken from the distance itself.
CANCELLED = 1e-6
# The share below which a column depends on the others: it is nearer to their span than 1e-6 of its length.
DEPENDENT = 1e-12
# A share of w that is too small to tell a coefficient's direction from rounding.
STILL = 1e-9


class Active(NamedTuple):
    """Room for the active columns; the first `size[0]` entries are in use.

    size     int64[1], how many are active
    members  places of the active columns among the rows of the working set
    signs    of their coefficients, 1 or −1
    x        coefficients
    rate     of the coefficients along the path
    inverse  M; it is symmetric, and only its lower half is kept
    g, w     the last column that was tried: g = A_Sᵀ a and w = M g
    inside   bool, one entry per row of the working set: whether it is active
    """

    size: Int64
    members: Int64
    signs: Float64
    x: Float64
    rate: Float64
    inverse: Float64
    g: Float64
    w: Float64
    inside: npt.NDArray[np.bool_]


@fast
def empty(rows: int, room: int) -> Active:  # pragma: no cover - compiled
    """No active column among `rows`, with room for `room`."""
    return Active(
        np.zeros(1, np.int64),
        np.empty(room, np.int64),
        np.empty(room),
        np.empty(room),
        np.empty(room),
        np.empty((room, room)),
        np.empty(room),
        np.empty(room),
        np.zeros(rows, np.bool_),
    )


@fast
def solve_active(active: Active, right: Float64, out: Float64) -> None:  # pragma: no cover - compiled
    """out = M · right, each entry of the lower half read once."""
    for i in range(active.size[0]):
        row, factor, total = active.inverse[i], right[i], 0.0
        for j in range(i):
            total += row[j] * right[j]
            out[j] += row[j] * factor
        out[i] = total + row[i] * factor


@fast
def join(rows: Rows, active: Active, place: int, sign: float, right: float) -> bool:  # pragma: no cover - compiled
    """Make a column active, with coefficient 0; False, and nothing changed, where it depends on the active ones.

    right  its entry of h, from which its rate follows
    """
    size = active.size[0]
    g, w, inverse = active.g, active.w, active.inverse
    correlate(rows, active.members, size, rows[place].astype(np.float64), g)
    solve_active(active, g, w)
    square = inner(rows[place], rows[place])
    delta = square - inner(g[:size], w[:size])
    if delta < CANCELLED * square:
        delta = _distance(rows, active, place)
    if delta < DEPENDENT * square or size == len(active.members):
        return False
    scale = 1.0 / delta
    for i in range(size):
        f = w[i] * scale
        row = inverse[i]
        for j in range(i + 1):
            row[j] += f * w[j]
        inverse[size, i] = -f
    inverse[size, size] = scale
    beta = (right - inner(g[:size], active.rate[:size])) * scale
    for i in range(size):
        active.rate[i] -= beta * w[i]
    active.rate[size], active.x[size] = beta, 0.0
    active.members[size], active.signs[size] = place, sign
    active.inside[place] = True
    active.size[0] = size + 1
    return True


@fast
def _distance(rows: Rows, active: Active, place: int) -> float:  # pragma: no cover - compiled
    """δ as ‖a − A_S w‖², after a refinement of w."""
    size = active.size[0]
    off, step = np.empty(rows.shape[1]), np.empty(size)
    for turn in range(2):
        times(rows, active.members, size, active.w, off)
        for j in range(len(off)):
            off[j] = rows[place, j] - off[j]
        if turn == 0:
            correlate(rows, active.members, size, off, active.g)
            solve_active(active, active.g, step)
            for i in range(size):
                active.w[i] += step[i]
    correlate(rows, active.members, size, rows[place].astype(np.float64), active.g)
    delta: float = inner(off, off)
    return delta


@fast
def leave(active: Active, which: int) -> None:  # pragma: no cover - compiled
    """Take the active column at `which` out; the last one takes its place."""
    last = active.size[0] - 1
    inverse, rate, gone = active.inverse, active.rate, active.w
    active.inside[active.members[which]] = False
    pivot, speed = inverse[which, which], rate[which]
    for j in range(which):
        gone[j] = inverse[which, j]
        inverse[which, j] = inverse[last, j] if which != last else 0.0
    for i in range(which + 1, last):
        gone[i] = inverse[i, which]
        inverse[i, which] = inverse[last, i]
    if which != last:
        gone[which] = inverse[last, which]
        inverse[which, which] = inverse[last, last]
        rate[which], active.x[which] = rate[last], active.x[last]
        active.members[which], active.signs[which] = active.members[last], active.signs[last]
    for i in range(last):
        f = gone[i] / pivot
        row = inverse[i]
        for j in range(i + 1):
            row[j] -= f * gone[j]
        rate[i] -= f * speed
    active.size[0] = last


@fast
def rebuild(rows: Rows, active: Active) -> None:  # pragma: no cover - compiled
    """M anew from the columns themselves."""
    size = active.size[0]
    if size == 0:
        return
    taken = np.empty((size, rows.shape[1]))
    for i in range(size):
        taken[i] = rows[active.members[i]]
    made = np.linalg.inv(np.dot(taken, taken.T))
    for i in range(size):
        for j in range(i + 1):
            active.inverse[i, j] = 0.5 * (made[i, j] + made[j, i])


@fast
def exchange(rows: Rows, active: Active, place: int, sign: float, right: float) -> bool:  # pragma: no cover - compiled
    """Exchange after `join` has refused the column at `place`; False where no coefficient goes to 0.

    Usually one column leaves. Where the new one depends on those that are left as well, further ones do.
    """
    reached = 0.0
    while True:
        size = active.size[0]
        largest = 0.0
        for i in range(size):
            largest = max(largest, abs(active.w[i]))
        tau, out = np.inf, -1
        for i in range(size):
            toward_zero = sign * active.w[i] * active.signs[i]
            if toward_zero > STILL * largest:
                reach = max(0.0, active.x[i] * active.signs[i]) / toward_zero
                if reach < tau:
                    tau, out = reach, i
        if out < 0:
            return False
        for i in range(size):
            active.x[i] -= tau * sign * active.w[i]
        reached += tau
        leave(active, out)
        if join(rows, active, place, sign, right):
            active.x[active.size[0] - 1] = reached * sign
            return True
