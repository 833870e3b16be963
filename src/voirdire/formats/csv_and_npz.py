"""Strict reading of tables of comma- or tab-separated values, and of npz arrays.

Columns of tables are typed, and errors name line and column. Of an .npz file only numbers and text are read: nothing is
unpickled, and no memory is taken for more than its bytes can hold.
"""

import csv
import io
import math
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, shorten, shorten_text
from voirdire.figures import counted
from voirdire.formats.catalogue import ZIP_MAGIC, describe_sample, look
from voirdire.formats.files import Source, most_unpacked, write_bytes
from voirdire.formats.strict import Problems, refuse_other_encodings


@dataclass(frozen=True)
class Column:
    """A column's name, how one of its cells is read (ValueError where it cannot be), and what is expected there."""

    name: str
    read: Callable[[str], Any]
    expected: str


@dataclass(frozen=True)
class ReadTable:
    """A table's columns by name, the line on which each row starts, and the names of all other columns."""

    columns: dict[str, list[Any]]
    lines: list[int]
    unread: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lines)


def text(name: str) -> Column:
    """A column of text, unchanged."""
    return Column(name, str, "text")


def whole(name: str, low: int = 0, high: int = 2**63 - 1) -> Column:
    """A column of whole numbers from `low` to `high`."""

    def read(cell: str) -> int:
        digits = cell.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and low <= (value := int(cell)) <= high):
            raise ValueError(cell)
        return value

    return Column(name, read, f"a whole number from {low} to {high}" if high < 2**63 - 1 else "a whole number")


def choice(name: str, values: Mapping[str, Any]) -> Column:
    """A column that holds one of a few words, each read as its value."""

    def read(cell: str) -> Any:
        if cell not in values:
            raise ValueError(cell)
        return values[cell]

    return Column(name, read, " or ".join(values))


def read_lines(source: Source) -> list[str]:
    """The file's lines as text, without their ends; a byte order mark is passed over."""
    return [line.rstrip("\r") for line in _text(source).split("\n")]


def _text(source: Source) -> str:
    refuse_other_encodings(source)
    return source.data.decode("utf-8-sig")


def read_table(source: Source, columns: Sequence[Column], problems: Problems, delimiter: str = ",") -> ReadTable:
    """A table whose first line names its columns; `columns` must be among them, in any order.

    Rows that cannot be read are noted in `problems` and left out, so that the others can be looked at further.
    """
    rows = _rows(source, delimiter)
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    if rows and rows[0][0] > 1:
        problems.add("line 1", "", "an empty line", "the names of the columns")
    if not header:
        problems.add(
            "", "", "an empty file", "a table with the columns " + ", ".join(column.name for column in columns)
        )
    for name in sorted({name for name in header if header.count(name) > 1}):
        problems.add("line 1", name, "this column twice", "each column once")
    for column in columns if header else ():
        if column.name not in header:
            problems.add("line 1", column.name, "no such column", f"a column of {column.expected}")
    problems.stop()
    places = [(column, header.index(column.name)) for column in columns]
    good: list[tuple[Any, ...]] = []
    lines: list[int] = []
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            problems.add(f"line {line}", "", counted(len(cells), "cell"), f"{len(header)}, as in the first line")
            continue
        row = []
        for column, place in places:
            try:
                row.append(column.read(cells[place]))
            except ValueError:
                problems.add(f"line {line}", column.name, shorten(cells[place]), column.expected)
        if len(row) == len(places):
            good.append(tuple(row))
            lines.append(line)
    read = {column.name: [row[i] for row in good] for i, column in enumerate(columns)}
    return ReadTable(read, lines, tuple(name for name in header if name not in read))


def read_header(source: Source, delimiter: str = ",") -> list[str]:
    """The names in the first line of a table; none where it is empty."""
    first = next((line for line in read_lines(source) if line), "")
    rows = _rows(Source(source.name, first.encode()), delimiter)
    return [cell.strip() for cell in rows[0][1]] if rows else []


def write_table(columns: Mapping[str, Iterable[Any]], path: str | Path) -> None:
    """Write columns of equal length as comma-separated values under their names."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)  # Its line ends are CR LF, so that it quotes cells that hold either.
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    write_bytes(file.getvalue().encode(), path)


def note_unread(table: ReadTable) -> tuple[str, ...]:
    """One note per column that is not known and so not read."""
    return tuple(f"column {shorten(name)} is not known and was not read" for name in table.unread)


def _rows(source: Source, delimiter: str) -> list[tuple[int, list[str]]]:
    """The rows with the line on which each starts; blank lines are passed over."""
    reader = csv.reader(io.StringIO(_text(source), newline=""), delimiter=delimiter, strict=True)
    rows = []
    line = 1
    try:
        for cells in reader:
            if cells:
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise source.fail(f"line {line}", "", f"a broken row ({error})", "a row of cells") from None
    return rows


def load_npz(
    source: Source, expected: str, hint: str = "", wanted: Collection[str] | None = None
) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file by their names, or only those `wanted`; the error for any other file says what it is."""
    if not source.data.startswith(ZIP_MAGIC):
        found = describe_sample(look(source)) if source.data.strip() else "an empty file"
        raise source.fail("", "", found, expected, hint)
    try:
        check_npz(source)
        with np.load(io.BytesIO(source.data), allow_pickle=False) as file:
            # Members that are no arrays come as bytes.
            return {
                name: array
                for name in file.files
                if (wanted is None or name in wanted) and isinstance(array := file[name], np.ndarray)
            }
    except InputError:
        raise
    except Exception as error:  # The decoders raise almost anything on damaged bytes.
        raise source.fail("", "", f"a file that cannot be read ({shorten_text(str(error))})", expected, hint) from None


def check_npz(source: Source) -> None:
    """Refuse what numpy would trust: the size of the whole and of each array, and names that occur twice."""
    problems = Problems(source.name)
    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        members = archive.infolist()
        total, most = sum(member.file_size for member in members), most_unpacked(len(source.data))
        if total > most:
            problems.add("", "", f"an archive that unpacks to {total:,} bytes", f"at most {most:,} for its size")
        problems.check()
        names = set[str]()
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name in names:
                problems.add("", name, "this array twice", "each array once")
            names.add(name)
            with archive.open(member) as file:
                _check_header(name, file, member.file_size, problems)
    problems.check()


def _check_header(name: str, file: IO[bytes], size: int, problems: Problems) -> None:
    """Refuse an array of objects or one that claims more bytes than there are; other members are not checked."""
    if file.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
        return
    first = file.read(1) == b"\x01"
    file.read(1)
    # From its second version on a header has a longer field for its length.
    read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    if dtype.hasobject:
        problems.add("", name, "Python objects, which are not read", "numbers or text")
    elif math.prod(shape) * dtype.itemsize > size - file.tell():
        problems.add("", name, f"{dtype} of shape {shape}", f"no more than its {size - file.tell():,} bytes hold")
