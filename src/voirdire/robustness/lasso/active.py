"""The active columns of one problem, with the inverse of their Gram matrix M = (A_Sᵀ A_S)⁻¹ kept as they come and go.

A column a joins with g = A_Sᵀ a, w = M g and δ = ‖a‖² − g·w, the squared distance of a from the span of the others:

    M ← M + v vᵀ/δ,  v = w, and −1 at a       the rate u of the coefficients follows at once, since u = M h for given h

and leaves by M ← M − m mᵀ/m_p, where m is its column of M and p its place. Where δ is next to nothing the column
depends on the others, and does not join. A few such changes wait beside M, so that it is written once for `WAITING`.

A column that reaches the boundary but depends on the active ones takes the place of one of them. With a = A_S w the
residual stays as it is along  x_a = τ·s,  x_S = x_S − τ·s·w,  and so does the objective, as every column involved is at
the boundary. τ grows until the first coefficient is 0: that column leaves, and a joins.

Each column has a slot. Slots that are not active have a row and a column of zeros in M, as far as anybody looks.

`Slots` are the columns that the path looks at, the active ones and those near the boundary. With G = A_Hᵀ A_H of the
slots H, all that a step of the path needs is there: g of a column that joins is a row of G, and the rate of a
correlation is one product of a row of G with the rates of the coefficients. So a step costs no product of the length of
a column; the products of columns that get a slot are made for all of them at once.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.columns import Float64, Int64, WorkingSet, inner
from voirdire.stats.compiled import fast

# The share of ‖a‖² below which δ, a difference, has lost too many digits and is taken from the distance itself.
CANCELLED = 1e-6
# The share below which a column depends on the others: it is nearer to their span than 1e-6 of its length.
DEPENDENT = 1e-12
# A share of w that is too small to tell a coefficient's direction from rounding.
STILL = 1e-9
# Changes that wait to be written into M. `write_down` names each.
WAITING = 8
# What the entries of `counts` count.
USED, ACTIVE, WAIT, MOST = 0, 1, 2, 3
# A plain number has a type of its own in compiled code: what it is given to would be compiled once more.
NOWHERE: Any = np.int64(-1)


class Active(NamedTuple):
    """Slots for columns, of which some are active.

    counts   int64[4]: slots in use, active columns, changes that wait, the most that can be active
    rows     float64[slots, d], the columns
    gram     float64[slots, slots], their products
    signs    of the coefficients, 1 or −1; 0 where a slot is not active
    x        coefficients
    rate     of the coefficients along the path
    inverse  M without the changes that wait; it is symmetric, and only its lower half is kept
    changes  float64[WAITING, slots], the v of each change that waits
    weights  float64[WAITING], what each v vᵀ is multiplied by
    g, w     the last column that was tried: g = A_Sᵀ a and w = M g
    """

    counts: Int64
    rows: Float64
    gram: Float64
    signs: Float64
    x: Float64
    rate: Float64
    inverse: Float64
    changes: Float64
    weights: Float64
    g: Float64
    w: Float64


@fast
def solve_active(active: Active, right: Float64, out: Float64) -> None:  # pragma: no cover - compiled
    """out = M · right, each entry of the lower half read once. `right` must be 0 where a slot is not active."""
    used, signs = active.counts[USED], active.signs
    out[:used] = 0.0
    for i in range(used):
        if signs[i] != 0.0:
            row, factor, total = active.inverse[i], right[i], 0.0
            for j in range(i):
                total += row[j] * right[j]
                out[j] += row[j] * factor
            out[i] += total + row[i] * factor
    for k in range(active.counts[WAIT]):
        change = active.changes[k]
        factor = active.weights[k] * inner(change[:used], right[:used])
        for i in range(used):
            out[i] += factor * change[i]
    for i in range(used):
        if signs[i] == 0.0:
            out[i] = 0.0


@fast
def write_down(active: Active) -> None:  # pragma: no cover - compiled
    """Write the changes that wait into M, all at once."""
    used, weights, changes = active.counts[USED], active.weights, active.changes
    for k in range(active.counts[WAIT], WAITING):
        weights[k] = 0.0
        changes[k, :used] = 0.0
    a, b, c, d = changes[0], changes[1], changes[2], changes[3]
    e, f, g, h = changes[4], changes[5], changes[6], changes[7]
    for i in range(used):
        if active.signs[i] != 0.0:
            row = active.inverse[i]
            p, q, r, s = weights[0] * a[i], weights[1] * b[i], weights[2] * c[i], weights[3] * d[i]
            t, u, v, w = weights[4] * e[i], weights[5] * f[i], weights[6] * g[i], weights[7] * h[i]
            for j in range(i + 1):
                row[j] += p * a[j] + q * b[j] + r * c[j] + s * d[j] + t * e[j] + u * f[j] + v * g[j] + w * h[j]
    active.counts[WAIT] = 0


@fast
def _wait(active: Active, change: Float64, weight: float) -> None:  # pragma: no cover - compiled
    k = active.counts[WAIT]
    # One by one: to give a slice of one array to another takes seconds to compile.
    for i in range(active.counts[USED]):
        active.changes[k, i] = change[i]
    active.weights[k] = weight
    active.counts[WAIT] = k + 1
    if k + 1 == WAITING:
        write_down(active)


@fast
def join(active: Active, slot: int, sign: float, right: float) -> bool:  # pragma: no cover - compiled
    """Make a column active, with coefficient 0; False, and nothing changed, where it depends on the active ones.

    right  its entry of h, from which its rate follows
    """
    used, g, w = active.counts[USED], active.g, active.w
    for i in range(used):
        g[i] = active.gram[slot, i] if active.signs[i] != 0.0 else 0.0
    solve_active(active, g, w)
    square = active.gram[slot, slot]
    delta = square - inner(g[:used], w[:used])
    if delta < CANCELLED * square:
        delta = _distance(active, slot)
    if delta < DEPENDENT * square or active.counts[ACTIVE] == active.counts[MOST]:
        return False
    beta = (right - inner(g[:used], active.rate[:used])) / delta
    for i in range(used):
        active.rate[i] -= beta * w[i]
    active.rate[slot], active.x[slot], active.signs[slot] = beta, 0.0, sign
    active.counts[ACTIVE] += 1
    # What is left of an earlier time in this slot.
    active.inverse[slot, : slot + 1] = 0.0
    for i in range(slot + 1, used):
        active.inverse[i, slot] = 0.0
    for k in range(active.counts[WAIT]):
        active.changes[k, slot] = 0.0
    w[slot] = -1.0
    _wait(active, w, 1.0 / delta)
    return True


@fast
def _distance(active: Active, slot: int) -> float:  # pragma: no cover - compiled
    """δ as ‖a − A_S w‖², after a refinement of w."""
    used, rows, w = active.counts[USED], active.rows, active.w
    off, wanted, step = rows[slot].copy(), np.zeros(used), np.empty(used)
    for turn in range(2):
        for j in range(len(off)):
            off[j] = rows[slot, j]
        for i in range(used):
            if active.signs[i] != 0.0:
                row, factor = rows[i], w[i]
                for j in range(len(off)):
                    off[j] -= factor * row[j]
        if turn == 0:
            for i in range(used):
                if active.signs[i] != 0.0:
                    wanted[i] = inner(rows[i], off)
            solve_active(active, wanted, step)
            for i in range(used):
                w[i] += step[i]
    delta: float = inner(off, off)
    return delta


@fast
def leave(active: Active, slot: int) -> None:  # pragma: no cover - compiled
    """Take an active column out."""
    used, column, rate = active.counts[USED], active.w, active.rate
    for i in range(used):
        if active.signs[i] == 0.0:
            column[i] = 0.0
        else:
            column[i] = active.inverse[slot, i] if i <= slot else active.inverse[i, slot]
    for k in range(active.counts[WAIT]):
        change = active.changes[k]
        factor = active.weights[k] * change[slot]
        for i in range(used):
            column[i] += factor * change[i]
    for i in range(used):
        if active.signs[i] == 0.0:
            column[i] = 0.0
    pivot = column[slot]
    speed = rate[slot] / pivot
    for i in range(used):
        rate[i] -= speed * column[i]
    active.signs[slot] = active.x[slot] = rate[slot] = 0.0
    active.counts[ACTIVE] -= 1
    _wait(active, column, -1.0 / pivot)


@fast
def exchange(active: Active, slot: int, sign: float, right: float) -> bool:  # pragma: no cover - compiled
    """Exchange after `join` has refused the column in `slot`; False where no coefficient goes to 0.

    Usually one column leaves. Where the new one depends on those that are left as well, further ones do.
    """
    used, reached = active.counts[USED], 0.0
    while True:
        largest = 0.0
        for i in range(used):
            largest = max(largest, abs(active.w[i]))
        tau, out = np.inf, NOWHERE
        for i in range(used):
            toward_zero = sign * active.w[i] * active.signs[i]
            if toward_zero > STILL * largest:
                reach = max(0.0, active.x[i] * active.signs[i]) / toward_zero
                if reach < tau:
                    tau, out = reach, i
        if out < 0:
            return False
        for i in range(used):
            active.x[i] -= tau * sign * active.w[i]
        reached += tau
        leave(active, out)
        if join(active, slot, sign, right):
            active.x[slot] = reached * sign
            return True


Kept = tuple[Float64, Float64]


class Slots:
    """Slots for columns of one working set.

    active  what the path works on
    place   int64[slots], the row of the working set in each slot; −1 where it is free
    slot    int64[rows of the working set], the slot of each row; −1 where it has none
    """

    def __init__(
        self, working: WorkingSet, most: int, members: Int64, signs: Float64, x: Float64, kept: Kept | None = None
    ) -> None:
        """Slots for the active columns.

        most     how many columns can be active at once
        members  the active ones among the rows of the working set
        kept     their G and M, where they are known; both are made here otherwise
        """
        self._working = working
        self.place, self.slot = np.empty(0, np.int64), np.full(len(working.places), -1, np.int64)
        counts = np.zeros(4, np.int64)
        counts[MOST] = most
        self.active = _larger(None, counts, working.rows.shape[1], 0)
        size = len(members)
        self._put(members, np.arange(size), kept[0] if kept else None)
        counts[ACTIVE] = size
        self.active.signs[:size], self.active.x[:size] = signs, x
        if kept:
            self.active.inverse[:size, :size] = kept[1]
        else:
            self.invert()

    @property
    def used(self) -> int:
        """Slots in use, free ones among them."""
        return int(self.active.counts[USED])

    @property
    def members(self) -> Int64:
        """The slots that are active."""
        return np.flatnonzero(self.active.signs[: self.used])

    def assign(self, wanted: Int64) -> None:
        """Give slots to these rows of the working set, the active ones among them, and take those of all others."""
        kept = np.zeros(len(self.slot), np.bool_)
        kept[wanted] = True
        rows = self.place[: self.used]
        gone = np.flatnonzero((rows >= 0) & ~kept[rows])
        self.slot[rows[gone]] = -1
        rows[gone] = -1
        new = wanted[self.slot[wanted] < 0]
        free = np.flatnonzero(rows < 0)[: len(new)]
        self._put(new, np.concatenate([free, np.arange(self.used, self.used + len(new) - len(free))]))

    def _put(self, new: Int64, slots: Int64, products: Float64 | None = None) -> None:
        """Put rows of the working set into slots, with their products with all slots.

        products  where the rows are the first, theirs, if they are known
        """
        if not len(new):
            return
        used = max(self.used, int(slots[-1]) + 1)
        if used > len(self.place):
            room = min(len(self.slot), 2 * used)
            self.active = _larger(self.active, self.active.counts, self._working.rows.shape[1], room)
            self.place = np.concatenate([self.place, np.full(room - len(self.place), -1, np.int64)])
        active = self.active
        active.counts[USED] = used
        self.place[slots], self.slot[new] = new, slots
        taken = self._working.rows[self._working.places[new]].astype(np.float64)
        active.rows[slots] = taken
        active.changes[:, slots] = active.x[slots] = active.rate[slots] = active.signs[slots] = 0.0
        if products is None:
            _write(active.gram, slots, taken @ active.rows[:used].T)
        else:
            active.gram[:used, :used] = products

    def keep(self) -> Kept:
        """G and M of the active columns in the order of their slots; of M the lower half counts."""
        write_down(self.active)
        members = self.members
        return _among(self.active.gram, members), _among(self.active.inverse, members)

    def invert(self) -> None:
        """M anew from the products of the columns."""
        from scipy.linalg.lapack import dpotrf, dpotri

        members = self.members
        self.active.counts[WAIT] = 0
        if not len(members):
            return
        products = _among(self.active.gram, members)
        factor, failed = dpotrf(products, lower=1)
        inverse, failed = dpotri(factor, lower=1) if not failed else (products, failed)
        if failed:
            inverse = np.linalg.pinv(products, hermitian=True)
        self.active.inverse[members[:, None], members] = inverse


@fast
def _among(matrix: Float64, members: Int64) -> Float64:  # pragma: no cover - compiled
    """The rows and columns of the members."""
    out = np.empty((len(members), len(members)))
    for i in range(len(members)):
        for j in range(len(members)):
            out[i, j] = matrix[members[i], members[j]]
    return out


@fast
def _write(gram: Float64, slots: Int64, products: Float64) -> None:  # pragma: no cover - compiled
    """Write products of these slots with all into their rows and columns."""
    for j in range(products.shape[1]):
        for i in range(len(slots)):
            gram[j, slots[i]] = products[i, j]
    # Number by number: a slice that is given to an array costs two seconds more to compile.
    for i in range(len(slots)):
        for j in range(products.shape[1]):
            gram[slots[i], j] = products[i, j]


def _larger(active: Active | None, counts: Int64, length: int, room: int) -> Active:
    """Room for so many slots, with what is there."""
    # Rows and products of a slot are written before they are read; zeros would cost a pass over them.
    rows, gram, inverse = np.empty((room, length)), np.empty((room, room)), np.zeros((room, room))
    signs, x, rate, g, w = np.zeros((5, room))
    larger = Active(counts, rows, gram, signs, x, rate, inverse, np.zeros((WAITING, room)), np.zeros(WAITING), g, w)
    for old, new in zip(active[1:] if active else (), larger[1:], strict=bool(active)):
        new[tuple(slice(0, size) for size in old.shape)] = old
    return larger


def values_of(slots: Slots, per_row: Float64) -> npt.NDArray[np.float64]:
    """What belongs to the row in each slot; 1 where a slot is free."""
    return np.where(slots.place >= 0, per_row[slots.place], 1.0)
