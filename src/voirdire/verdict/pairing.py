"""Whether two runs can be compared, which units they share, and the rows of each run that belong to these.

Only figures that were made in the same way from the same data say something about the models, so everything in a
signature must agree, with these exceptions, which become notes: the seed (resamples move p and intervals a little, and
a test compares the trainings that were made, not their luck), a limit (the units that both runs have are compared), the
wording in which live models were asked, and what the part of the exam declares. The version of Voir Dire must agree:
two versions may count differently, and scoring again takes little time. A model's own outputs are in no signature.

Units are those of all items, whatever a view leaves out: a game that one model gave up and another finished is paired,
and is simply no case where only finished games count.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.exam import part_of
from voirdire.runs import Difference, Run, differences
from voirdire.runs.estimate import ItemColumns
from voirdire.runs.view import View

if TYPE_CHECKING:
    import polars as pl

UNIT = "place of the unit"
"""The column with the number of a row's unit."""

Numbers = npt.NDArray[np.intp]


def check_comparable(labels: tuple[str, str], first: Run, second: Run) -> list[str]:
    """Refuse two runs that differ in what matters, naming each difference; return a note on every other difference."""
    if first.title != second.title:
        raise UsageError(
            f"{labels[0]} is a run of `{first.title}` and {labels[1]} one of `{second.title}`; only runs of the same "
            "part can be compared"
        )
    rules = part_of(first).differ
    signatures = first.signature, second.signature
    parts = [signature.flat() for signature in signatures]
    unknown = [
        name for name, rule in rules.items() if rule.unknown and rule.unknown in (flat.get(name) for flat in parts)
    ]
    found = [
        difference for difference in differences(*signatures) if not any(_is_in(difference, name) for name in unknown)
    ]

    def allowed(difference: Difference) -> bool:
        if any(_is_in(difference, name) for name in ("seed", "options.limit", "options.asked")):
            return True
        rule = rules.get(difference.part)
        values = str(difference.first), str(difference.second)
        return rule is not None and not rule.unknown and all(value.startswith(rule.kind) for value in values)

    if wrong := [difference for difference in found if not allowed(difference)]:
        named = "; ".join(map(str, wrong))
        raise UsageError(f"{labels[0]} and {labels[1]} cannot be compared, since their signatures differ in {named}")
    notes = [rules[name].note.format(*labels) for name in unknown]
    if any(_is_in(difference, "options.limit") for difference in found):
        limits = [
            f"{label} is {f'limited to {run.limit}' if run.limit else 'not limited'}"
            for label, run in zip(labels, (first, second), strict=True)
        ]
        notes.append(f"{'; '.join(limits)}: only what both have is compared.")
    for difference in found:
        # A model that brought files does not say how it was asked.
        from_files = _is_in(difference, "options.asked") and None in (difference.first, difference.second)
        if from_files or _is_in(difference, "options.limit"):
            continue
        rule = rules.get(difference.part)
        known = rule is not None and rule.note
        notes.append(known.format(*labels) if known else f"{labels[0]} and {labels[1]} differ in {difference}.")
    return notes


def _is_in(difference: Difference, part: str) -> bool:
    """Whether it is a difference in this part of the signatures, or in a part of this part."""
    return difference.part == part or difference.part.startswith(f"{part}.")


@dataclass(frozen=True, eq=False)
class PairedRows:
    """One run's rows of the shared units: their columns, and the number of each one's unit."""

    columns: ItemColumns
    units: Numbers


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
    clusters: Numbers
    count: int
    alone: tuple[int, int]

    def __len__(self) -> int:
        return self.keys.height

    def name(self, unit: int) -> str:
        """What a unit is called: `image 12, round 4`."""
        row = self.keys.row(unit, named=True)
        return ", ".join(f"{self.view.word(column)} {value}" for column, value in row.items() if column != UNIT)

    def sides(self, first: View, second: View) -> tuple[PairedRows, PairedRows]:
        """The rows of a view in both runs; a unit of which they hold different facts is refused."""
        tables = [
            view.items.join(self.keys, on=list(view.unit), how="inner", maintain_order="left")
            for view in (first, second)
        ]
        if first.given:
            self._check_given(first, *(table.select(UNIT, *first.given).unique() for table in tables))
        ours, theirs = (PairedRows(ItemColumns(table), table[UNIT].to_numpy().astype(np.intp)) for table in tables)
        return ours, theirs

    def _check_given(self, view: View, ours: "pl.DataFrame", theirs: "pl.DataFrame") -> None:
        both = ours.join(theirs, on=UNIT, suffix=" there").sort(UNIT)
        for column in view.given:
            other = both[f"{column} there"]
            if (apart := both.filter(both[column].ne_missing(other))).height:
                unit, here, there = apart.select(UNIT, column, f"{column} there").row(0)
                raise UsageError(
                    f"{self.name(unit)}: {view.word(column)} {here} in {self.labels[0]}, {there} in {self.labels[1]}, "
                    f"and so in {apart.height:,} of {len(self):,}; it is not the same {view.noun} that both were asked"
                )


def pair_units(labels: tuple[str, str], first: "pl.DataFrame", second: "pl.DataFrame", view: View) -> Pairing:
    """Pair the units of two runs' items; `view` says what a unit and a cluster are."""
    unit, clusters, word = view.unit, view.clusters, view.word
    columns = list(unit)
    wanted = list(dict.fromkeys([*unit, clusters]))
    ours, theirs = (items.select(wanted).unique(columns) for items in (first, second))
    shared = ours.join(theirs, on=columns, suffix=" there").sort(columns).with_row_index(UNIT)
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
    return Pairing(labels, view, shared.select(UNIT, *columns), numbers.reshape(-1), len(names), alone)
