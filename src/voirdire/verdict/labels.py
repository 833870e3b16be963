"""A user's own slices: a table with ids of items and columns of labels.

    image_id,round,difficulty      ids as in the run's items, and one or more columns of labels
    185565,7,hard

Ids are the columns by which an exam names its units or their clusters (`image_id`, `round`, `question_id`, `game_id`,
`dialogue`, …); all other columns of the table are labels. Items that are not in the table are in none of its slices.
"""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.errors import shorten
from voirdire.formats.csv_and_npz import read_header, read_table, text, whole
from voirdire.formats.files import open_source
from voirdire.formats.strict import Problems
from voirdire.lazy import pl

MOST = 100
"""The most different labels in a column: more are values, not slices."""


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
        """Whether the table has any of the items."""
        return self.fits(items) and bool(items.join(self.table, on=list(self.ids), how="semi").height)

    def of_items(self) -> dict[tuple[int | None, ...], tuple[str | None, ...]]:
        """The labels of each item by its ids, in the order of `columns`."""
        ids, columns = (self.table.select(names).rows() for names in (self.ids, self.columns))
        return dict(zip(ids, columns, strict=True))

    def joined(self, items: "pl.DataFrame") -> "pl.DataFrame":
        """The items with their labels; null where an item has none."""
        return items.join(self.table, on=list(self.ids), how="left", maintain_order="left")


def check_labels(path: str | Path) -> None:
    """Refuse a file that is no table, before there are runs to check it against."""
    source = open_source(path)
    if not read_header(source, _delimiter(path)):
        raise source.fail("line 1", "", "an empty file", "a header with columns of ids and of labels")


def _delimiter(path: str | Path) -> str:
    return "\t" if str(path).lower().endswith(".tsv") else ","


def read_labels(path: str | Path, known: Collection[str]) -> Labels:
    """Read a table; `known` are the columns that may be ids."""
    source = open_source(path)
    delimiter = _delimiter(path)
    header = read_header(source, delimiter)
    ids = tuple(name for name in header if name in known)
    columns = tuple(name for name in dict.fromkeys(header) if name not in known)
    problems = Problems(source.name)
    hint = "Give the ids the names of the runs' columns, and each column of labels a name of its own."
    if not ids:
        columns_found = f"the columns {', '.join(map(shorten, header))}" if header else "an empty file"
        problems.add("line 1", "", columns_found, f"a column of ids among {', '.join(sorted(known))}", hint)
    elif not columns:
        problems.add("line 1", "", f"only ids ({', '.join(ids)})", "a column of labels beside them", hint)
    problems.stop()
    read = read_table(source, [*map(whole, ids), *map(text, columns)], problems, delimiter)
    problems.stop()
    cells: dict[str, Any] = {name: read.columns[name] for name in ids}
    first: dict[tuple[int, ...], int] = {}
    for line, *item in zip(read.lines, *cells.values(), strict=True):
        if (before := first.setdefault(tuple(item), line)) != line:
            name = ", ".join(f"{column} {value}" for column, value in zip(ids, item, strict=True))
            problems.add(f"line {line}", "", f"{name} again, as in line {before}", "each item once")
    for column in columns:
        cells[column] = [cell.strip() or None for cell in read.columns[column]]
        if (count := len(set(cells[column]))) > MOST:
            hint = "Put values into a few classes, such as `short`, `long`."
            problems.add("", column, f"{count:,} different labels", f"at most {MOST}", hint)
    problems.stop()
    schema: dict[str, Any] = {column: pl.Int64 if column in ids else pl.String for column in cells}
    return Labels(source.name, ids, columns, pl.DataFrame(cells, schema=schema))
