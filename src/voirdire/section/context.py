"""What surrounds the items of runs, from files beside them: dialogues, questions, games.

A run holds what was scored and not what it was scored on. These files fill that in, where they are given: each is
recognised by its content. A file that no exam declares a use for is refused. What a file means for the items is the
business of the exam's section.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from voirdire.errors import InputError
from voirdire.exam import exams
from voirdire.formats.catalogue import detect
from voirdire.formats.dialogues import Dialogue, Dialogues, from_text, from_visdial
from voirdire.formats.files import open_source
from voirdire.formats.visdial import VisDial
from voirdire.formats.visdial_text import VisDialText

__all__ = ["Beside", "Context", "is_context", "read_context"]

HINT = "A report takes from other files only what its runs do not hold themselves."


@dataclass(frozen=True, eq=False)
class Beside:
    """A file beside the runs: what it is called, the name of its format, and what it holds."""

    name: str
    format: str
    record: Any


@dataclass(frozen=True, eq=False)
class Context:
    """What is known of the items of runs, in the order in which the files were given; there may be none."""

    files: tuple[Beside, ...] = ()

    def of(self, *formats: str) -> Iterator[Beside]:
        """The files of these formats."""
        return (one for one in self.files if one.format in formats)

    @cached_property
    def dialogues(self) -> tuple[Dialogues, ...]:
        """All files of dialogues."""
        return tuple(_dialogues(one.record) for one in self.of("visdial", "visdial_text"))

    @cached_property
    def _by_image(self) -> dict[int, list[Dialogue]]:
        found: dict[int, list[Dialogue]] = {}
        for file in self.dialogues:
            for one in file:
                found.setdefault(one.image_id, []).append(one)
        return found

    def dialogue(self, image_id: int, asks: tuple[int, str] | None = None) -> Dialogue | None:
        """The first dialogue about an image; with `asks`, the first that has this question in this round, from 0."""
        for one in self._by_image.get(image_id, ()):
            asked = (*(question for question, _ in one.rounds), one.pending)
            if asks is None or (asks[0] < len(asked) and asked[asks[0]] == asks[1]):
                return one
        return None


def _dialogues(record: VisDial | VisDialText) -> Dialogues:
    return from_visdial(record) if isinstance(record, VisDial) else from_text(record)


def read_context(paths: Iterable[str | Path]) -> Context:
    """Read files that an exam declares to surround its items; any other is an error that says what it is."""
    known = _known()
    files = []
    for path in paths:
        source = open_source(path)
        format_ = detect(source)
        if format_.name not in known:
            raise source.fail("", "", f"{format_.title} ({format_.name})", f"one of {', '.join(sorted(known))}", HINT)
        files.append(Beside(source.name, format_.name, format_.read(path)))
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
