"""What all records share: equality by content, and notes on oddities of a file that do not stop its reading."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from voirdire.errors import EXAMPLES, SHOWN, masked, shorten
from voirdire.figures import counted

__all__ = ["Columns", "Notes", "Record", "Rows", "entries"]

T = TypeVar("T")

FEW = 3
"""The longest list that a `repr` shows."""


@dataclasses.dataclass(frozen=True, eq=False)
class Record:
    """Base of the dataclasses with a file's content as arrays and lists.

    Two records are equal where all their fields are, arrays by type, shape and value; fields declared with
    `compare=False` (the fingerprint of the bytes, the notes) do not count. Its `repr` is a summary on one line: the
    content of a file may have millions of characters.

    fingerprint  of the file's bytes; empty where it was read from none
    notes        oddities of the file
    per_row      the fields that have an entry per row, for `only`
    """

    fingerprint: str = dataclasses.field(default="", compare=False, kw_only=True)
    notes: tuple[str, ...] = dataclasses.field(default=(), compare=False, kw_only=True)
    per_row: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # A dataclass makes a `repr` of its own, of all content, unless the class has one already.
        cls.__repr__ = Record.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        parts = [
            f"{field.name}={_short(value)}"
            for field in dataclasses.fields(self)
            if field.compare and (value := getattr(self, field.name)) is not None
        ]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in dataclasses.fields(self) if field.compare]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def only(self, rows: npt.NDArray[np.intp]) -> Self:
        """The record with these rows alone, in this order; the fingerprint stays that of the file."""
        taken = {name: entries(getattr(self, name), rows) for name in self.per_row}
        return dataclasses.replace(self, **taken)


def entries(values: Any, rows: npt.NDArray[np.intp]) -> Any:
    """The entries of an array, a list or a tuple at these places."""
    if isinstance(values, np.ndarray):
        return values[rows]
    return type(values)(values[row] for row in rows.tolist())


def _short(value: Any) -> str:
    """`int64[2064]`, `<45,237 texts>`, or a value that is short in itself."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes) and len(value) > FEW:
        first = next(iter(value))
        return f"<{counted(len(value), 'text' if isinstance(first, str) else type(first).__name__)}>"
    return shorten(value)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


@dataclasses.dataclass(frozen=True, eq=False)
class Rows(Record, Sequence[T], Generic[T]):
    """The values of a file in its order; it is used like a tuple of them."""

    rows: tuple[T, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[T]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self.rows[index]


@dataclasses.dataclass(frozen=True, eq=False)
class Columns(Record):
    """The content of a file by name, for formats without a record of their own: `record.image_ids`.

    Its length is that of the first.
    """

    values: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name == "values" or name not in self.values:
            raise AttributeError(name)
        return self.values[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns) or self.values.keys() != other.values.keys():
            return False
        return all(_same(value, other.values[name]) for name, value in self.values.items())

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))


class Notes:
    """Collects notes; of more than three of one kind, their number and three examples.

    kinds  the notes of a kind (one text, whatever the numbers in it): the first three, and how many there are
    """

    def __init__(self) -> None:
        self.kinds: dict[str, tuple[list[tuple[str, str]], int]] = {}

    def add(self, text: str, place: str = "") -> None:
        """Add one note, on the whole file or on a place in it."""
        kind = masked(text)
        kept, count = self.kinds.get(kind, ([], 0))
        self.kinds[kind] = ([*kept, (text, place)] if len(kept) < EXAMPLES else kept, count + 1)

    def collect(self) -> tuple[str, ...]:
        """The notes for a reader, the first twenty kinds of them, and a last one that counts those not shown."""
        notes: list[str] = []
        left = sum(count for _, count in self.kinds.values())
        for kept, count in list(self.kinds.values())[:SHOWN]:
            lines = [f"{place}: {text}" if place else text for text, place in kept]
            if count > EXAMPLES:
                lines = [f"{lines[0]}; {count - 1:,} more of this kind: {'; '.join(place for _, place in kept[1:])}; …"]
            notes += lines
            left -= count
        return (*notes, f"… and {counted(left, 'more note')}") if left else tuple(notes)
