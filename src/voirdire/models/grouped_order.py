"""An order of examples in which those of a group stand together, and the groups in any order."""

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


class GroupedOrder:
    """Examples by their groups, each a number."""

    def __init__(self, group: npt.NDArray[np.integer]) -> None:
        self._rows: Rows = np.argsort(group, kind="stable")
        sorted_ = group[self._rows]
        starts = np.flatnonzero(np.append(True, sorted_[1:] != sorted_[:-1])) if len(group) else np.empty(0, np.int64)
        self._first = np.append(starts, len(group))

    def draw(self, rng: np.random.Generator) -> Rows:
        """All examples, group by group; inside of a group they are in their own order."""
        groups = rng.permutation(len(self._first) - 1)
        counts = np.diff(self._first)[groups]
        # Where each group begins in the rows, less where it begins in the new order.
        ahead = np.repeat(self._first[groups] - (np.cumsum(counts) - counts), counts)
        drawn: Rows = self._rows[ahead + np.arange(len(self._rows))]
        return drawn
