"""Items of several models side by side: each model's rows, found by what all of them were asked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from voirdire.section.content import Drill, Item, Model
from voirdire.section.phrases import of_all

LIMIT = 25_000
"""The most items in a drill, so that a browser can open the page."""

Unit = tuple[Any, ...]
T = TypeVar("T")


class Side:
    """One model's items, each found by its unit: the values of the columns that name it."""

    def __init__(self, model: Model, unit: Sequence[str]) -> None:
        self.model = model
        self._items = model.run.items
        self._places: dict[Unit, int] = {key: place for place, key in enumerate(self._items.select(unit).iter_rows())}
        self._columns: dict[str, list[Any]] = {}

    @property
    def units(self) -> Iterable[Unit]:
        """The items' units, in their order."""
        return self._places

    def has(self, column: str) -> bool:
        """Whether the items have this column: not every run has texts."""
        return column in self._items.columns

    def value(self, column: str, unit: Unit) -> Any:
        """An item's value in a column; None where there is no such item or column."""
        place = self._places.get(unit)
        if place is None or not self.has(column):
            return None
        if column not in self._columns:
            self._columns[column] = self._items[column].to_list()
        return self._columns[column][place]


def units_of(sides: Iterable[Side]) -> list[Unit]:
    """All units that any side has, each once, in order."""
    return list(dict.fromkeys(unit for side in sides for unit in side.units))


def first_value(sides: Iterable[Side], column: str, unit: Unit) -> Any:
    """The value in a column of the first side that has one: the question, which is the same for all."""
    return next((value for side in sides if (value := side.value(column, unit)) is not None), None)


def by_whom(labels: Sequence[str], done: Sequence[bool]) -> str:
    """Which models did something: `every model`, `no model`, or their labels; for a single model `yes` or `no`."""
    if len(labels) == 1:
        return "yes" if done[0] else "no"
    if all(done) or not any(done):
        return "every model" if all(done) else "no model"
    return ", ".join(label for label, did in zip(labels, done, strict=True) if did)


def evenly(given: Sequence[T], most: int = LIMIT) -> list[T]:
    """At most this many, evenly spaced."""
    if len(given) <= most:
        return list(given)
    return [given[number * len(given) // most] for number in range(most)]


@dataclass(frozen=True, eq=False)
class MadeItems(Generic[T]):
    """The items of a drill, made one by one as they are asked for: all at once would take many times the memory."""

    keys: Sequence[T]
    make: Callable[[T], Item]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Item]:
        return map(self.make, self.keys)


def drill(
    name: str,
    title: str,
    models: Sequence[Model],
    keys: Sequence[T],
    make: Callable[[T], Item],
    *,
    facets: tuple[str, ...],
    scores: tuple[str, ...],
    noun: str,
    note: str = ".",
) -> Drill:
    """A drill of the items that `make` makes of some of the keys; its note says of how many, and then `note`."""
    kept, labels = evenly(keys), tuple(model.label for model in models)
    return Drill(
        name, title, labels, facets, scores, MadeItems(kept, make), note=of_all(len(kept), len(keys), noun) + note
    )
