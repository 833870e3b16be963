"""The context of runs' items: data files given beside them, and the same items of other models.

A run has what was scored and not what it was scored on. Files (dialogues, questions, games) add that, where they are
given; each is recognised by its content, and a file that no exam declares a use for is refused. How a file belongs to
the items is up to the exam's section. Items of several models are found by what all of them were asked.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from voirdire.errors import InputError
from voirdire.exam import exams
from voirdire.formats.catalogue import detect
from voirdire.formats.dialogues import Dialogue, Dialogues, from_text, from_visdial
from voirdire.formats.files import open_source
from voirdire.formats.visdial import VisDial
from voirdire.section.content import Drill, Item, Model
from voirdire.section.phrases import of_all

__all__ = ["Context", "ContextFile", "is_context", "read_context"]

HINT = "A report takes from other files only what its runs do not contain."


@dataclass(frozen=True, eq=False)
class ContextFile:
    """A file given beside the runs: its name, the name of its format, and its record."""

    name: str
    format: str
    record: Any


@dataclass(frozen=True, eq=False)
class Context:
    """The files given beside the runs, in their order; there may be none."""

    files: tuple[ContextFile, ...] = ()

    def of(self, *formats: str) -> Iterator[ContextFile]:
        """The files of these formats."""
        return (file for file in self.files if file.format in formats)

    @cached_property
    def dialogues(self) -> tuple[Dialogues, ...]:
        """All files of dialogues."""
        return tuple(
            from_visdial(file.record) if isinstance(file.record, VisDial) else from_text(file.record)
            for file in self.of("visdial", "visdial_text")
        )

    @cached_property
    def _by_image(self) -> dict[int, list[Dialogue]]:
        by_image: dict[int, list[Dialogue]] = {}
        for file in self.dialogues:
            for dialogue in file:
                by_image.setdefault(dialogue.image_id, []).append(dialogue)
        return by_image

    def dialogue(self, image_id: int, asks: tuple[int, str] | None = None) -> Dialogue | None:
        """The first dialogue about an image; with `asks`, the first that has this question in this round, from 0."""
        for dialogue in self._by_image.get(image_id, ()):
            questions = (*(question for question, _ in dialogue.rounds), dialogue.pending)
            if asks is None or (asks[0] < len(questions) and questions[asks[0]] == asks[1]):
                return dialogue
        return None


def read_context(paths: Iterable[str | Path]) -> Context:
    """Read files that an exam declares as context of its items; any other is an error that says what it is."""
    known = _known()
    files = []
    for path in paths:
        source = open_source(path)
        format_ = detect(source)
        if format_.name not in known:
            raise source.fail("", "", f"{format_.title} ({format_.name})", f"one of {', '.join(sorted(known))}", HINT)
        files.append(ContextFile(source.name, format_.name, format_.read(path)))
    return Context(tuple(files))


def is_context(path: str | Path) -> bool:
    """Whether a file is of one of the kinds that `read_context` takes."""
    try:
        return detect(open_source(path)).name in _known()
    except InputError:
        return False


def _known() -> set[str]:
    """The formats that any exam declares to surround its items."""
    return {name for exam in exams() for name in exam.context}


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
