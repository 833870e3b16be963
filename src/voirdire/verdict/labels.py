"""A user's own slices: a table with ids of items and columns of labels.

    image_id,round,difficulty      each id as the run's items have it; beside the ids one column of labels or several
    185565,7,hard

Ids are the columns by which an exam names its units or their clusters (`image_id`, `round`, `question_id`, `game_id`,
`dialogue`, …); all of the table's other columns are labels. Items that it does not name are in none of its slices.
"""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire.errors import shorten
from voirdire.formats.csv_and_npz import read_header, read_table, text, whole
from voirdire.formats.files import open_source
from voirdire.formats.strict import Problems

if TYPE_CHECKING:
    import polars as pl

MOST = 100
"""Different labels of a column at most: more are no slices but values."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels by ids; `file` is the table's name."""

    file: str
    ids: tuple[str, ...]
    columns: tuple[str, ...]
    table: "pl.DataFrame"

    def fits(self, items: "pl.DataFrame") -> bool:
        """Whether items have all of the ids."""
        return set(self.ids) <= set(items.columns)

    def names(self, items: "pl.DataFrame") -> bool:
        """Whether it names any of the items."""
        return self.fits(items) and bool(items.join(self.table, on=list(self.ids), how="semi").height)

    def of_items(self) -> dict[tuple[int | None, ...], tuple[str | None, ...]]:
        """The labels of an item by its ids, in their order."""
        ids, columns = (self.table.select(names).rows() for names in (self.ids, self.columns))
        return dict(zip(ids, columns, strict=True))

    def joined(self, items: "pl.DataFrame") -> "pl.DataFrame":
        """The items with their labels; null where an item has none."""
        return items.join(self.table, on=list(self.ids), how="left", maintain_order="left")


def check_labels(path: str | Path) -> None:
    """Refuse a file that is no table, before there are runs whose items it names."""
    source = open_source(path)
    if not read_header(source, _delimiter(path)):
        raise source.fail("line 1", "", "an empty file", "a head with columns of ids and of labels")


def _delimiter(path: str | Path) -> str:
    return "\t" if str(path).lower().endswith(".tsv") else ","


def read_labels(path: str | Path, known: Collection[str]) -> Labels:
    """Read a table; `known` are the columns that may be ids."""
    import polars as pl

    source = open_source(path)
    delimiter = _delimiter(path)
    header = read_header(source, delimiter)
    ids = tuple(name for name in header if name in known)
    columns = tuple(name for name in dict.fromkeys(header) if name not in known)
    problems = Problems(source.name)
    hint = "Name the items by the columns that the runs have, and each label's column by what it says."
    if not ids:
        shown = f"the columns {', '.join(map(shorten, header))}" if header else "an empty file"
        problems.add("line 1", "", shown, f"a column of ids among {', '.join(sorted(known))}", hint)
    elif not columns:
        problems.add("line 1", "", f"only ids ({', '.join(ids)})", "a column of labels beside them", hint)
    problems.stop()
    read = read_table(source, [*map(whole, ids), *map(text, columns)], problems, delimiter)
    problems.stop()
    made: dict[str, Any] = {name: read.columns[name] for name in ids}
    first: dict[tuple[int, ...], int] = {}
    for line, *named in zip(read.lines, *made.values(), strict=True):
        if (before := first.setdefault(tuple(named), line)) != line:
            what = ", ".join(f"{name} {value}" for name, value in zip(ids, named, strict=True))
            problems.add(f"line {line}", "", f"{what} again, as in line {before}", "each item once")
    for name in columns:
        made[name] = [cell.strip() or None for cell in read.columns[name]]
        if (count := len(set(made[name]))) > MOST:
            hint = "Put values into a few classes, as `short`, `long`."
            problems.add("", name, f"{count:,} different labels", f"at most {MOST}", hint)
    problems.stop()
    schema: dict[str, Any] = {name: pl.Int64 if name in ids else pl.String for name in made}
    return Labels(source.name, ids, columns, pl.DataFrame(made, schema=schema))
