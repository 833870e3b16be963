"""Which units two runs have in common, and the rows of each that belong to them.

Units are those of all items, whatever a view leaves out: a game that one model gave up and another finished is paired,
and is simply no case where only finished games count.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.runs.estimate import ItemColumns
from voirdire.runs.view import View

if TYPE_CHECKING:
    import polars as pl

PLACE = "place of the unit"

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PairedRows:
    """One run's rows of the shared units: their columns, and the number of each one's unit."""

    columns: ItemColumns
    units: Places


@dataclass(frozen=True, eq=False)
class Pairing:
    """The units that two runs share.

    labels     of the runs
    view       of the first run, which says what units are
    keys       one row per unit, sorted: its number and the columns that name it
    clusters   the number of each unit's cluster; count: how many clusters there are
    alone      how many units only the first has, and only the second
    """

    labels: tuple[str, str]
    view: View
    keys: "pl.DataFrame"
    clusters: Places
    count: int
    alone: tuple[int, int]

    def __len__(self) -> int:
        return self.keys.height

    def name(self, unit: int) -> str:
        """What a unit is called: `image 12, round 4`."""
        row = self.keys.row(unit, named=True)
        return ", ".join(f"{self.view.word(column)} {value}" for column, value in row.items() if column != PLACE)

    def sides(self, first: View, second: View) -> tuple[PairedRows, PairedRows]:
        """The rows of a view in both runs; a unit of which they hold different facts is refused."""
        tables = [self._rows(view) for view in (first, second)]
        self._check(first, tables)
        ours, theirs = (PairedRows(ItemColumns(table), table[PLACE].to_numpy().astype(np.intp)) for table in tables)
        return ours, theirs

    def _rows(self, view: View) -> "pl.DataFrame":
        return view.items.join(self.keys, on=list(view.unit), how="inner", maintain_order="left")

    def _check(self, view: View, tables: "list[pl.DataFrame]") -> None:
        if not view.given:
            return
        ours, theirs = (table.select(PLACE, *view.given).unique() for table in tables)
        both = ours.join(theirs, on=PLACE, suffix=" there").sort(PLACE)
        for column in view.given:
            other = both[f"{column} there"]
            if (apart := both.filter(both[column].ne_missing(other))).height:
                place, here, there = apart.select(PLACE, column, f"{column} there").row(0)
                raise UsageError(
                    f"{self.name(place)}: {view.word(column)} {here} in {self.labels[0]}, {there} in {self.labels[1]}, "
                    f"and so in {apart.height:,} of {len(self):,}; it is not the same {view.noun} that both were asked"
                )


def pair(labels: tuple[str, str], first: "pl.DataFrame", second: "pl.DataFrame", view: View) -> Pairing:
    """Pair the units of two runs' items; `view` says what a unit and a cluster are."""
    unit, clusters, word = view.unit, view.clusters, view.word
    columns = list(unit)
    wanted = list(dict.fromkeys([*unit, clusters]))
    ours, theirs = (items.select(wanted).unique(columns) for items in (first, second))
    shared = ours.join(theirs, on=columns, suffix=" there").sort(columns).with_row_index(PLACE)
    if clusters not in unit:
        apart = shared.filter(shared[clusters].ne_missing(shared[f"{clusters} there"]))
        if apart.height:
            what = ", ".join(f"{word(column)} {apart[column][0]}" for column in columns)
            raise UsageError(
                f"{what}: {word(clusters)} {apart[clusters][0]} in {labels[0]}, "
                f"{apart[f'{clusters} there'][0]} in {labels[1]}; the runs are not of the same data"
            )
    names, numbers = np.unique(shared[clusters].to_numpy(), return_inverse=True)
    alone = (ours.height - shared.height, theirs.height - shared.height)
    return Pairing(labels, view, shared.select(PLACE, *columns), numbers.reshape(-1), len(names), alone)
