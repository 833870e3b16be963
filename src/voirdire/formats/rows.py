"""A file that is a row of values, with the file's fingerprint and notes beside them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, overload

from voirdire.formats.record import Record

__all__ = ["Rows"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Rows(Record, Sequence[T], Generic[T]):
    """The values of a file in its order; it is used like a tuple of them."""

    rows: tuple[T, ...]
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

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
