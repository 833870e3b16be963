"""The columns of a working set that the path looks at, the active ones and those near the boundary, and their products.

Each has a slot. With G = A_Hᵀ A_H of the slots H, all that a step of the path needs is there: g of a column that joins
is a row of G, and the rate of a correlation is one product of a row of G with the rates of the coefficients. So a step
costs no product of the length of a column; the products of columns that get a slot are made for all of them at once.
"""

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.active import ACTIVE, MOST, USED, WAIT, WAITING, Active, write_down
from voirdire.robustness.lasso.columns import Float64, Int64, WorkingSet
from voirdire.stats.compiled import fast

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
        made, failed = dpotri(factor, lower=1) if not failed else (products, failed)
        if failed:
            made = np.linalg.pinv(products, hermitian=True)
        self.active.inverse[members[:, None], members] = made


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
    made = Active(counts, rows, gram, signs, x, rate, inverse, np.zeros((WAITING, room)), np.zeros(WAITING), g, w)
    for old, new in zip(active[1:] if active else (), made[1:], strict=bool(active)):
        new[tuple(slice(0, size) for size in old.shape)] = old
    return made


def values_of(slots: Slots, per_row: Float64) -> npt.NDArray[np.float64]:
    """What belongs to the row in each slot; 1 where a slot is free."""
    return np.where(slots.place >= 0, per_row[slots.place], 1.0)
