"""The context of runs' items, from files given beside them: dialogues, questions, games.

A run has what was scored and not what it was scored on. These files add that, where they are given; each is recognised
by its content, and a file that no exam declares a use for is refused. How a file belongs to the items is up to the
exam's section.
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
        return tuple(_dialogues(file.record) for file in self.of("visdial", "visdial_text"))

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


def _dialogues(record: VisDial | VisDialText) -> Dialogues:
    return from_visdial(record) if isinstance(record, VisDial) else from_text(record)


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
