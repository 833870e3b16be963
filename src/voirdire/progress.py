"""How long work says how far it is, without knowing who listens.

A stage is one stretch of work with a name and a unit: ("encode", "texts"). Work that has several is given `Stages` and
asks for the progress of each when it comes to it; a stage that is never reached is never shown.
"""

import contextlib
from collections.abc import Callable, Iterator

__all__ = ["COMPILING", "UNSEEN", "Progress", "Stages", "silent", "tell_of_compiling", "watch_compiling"]

COMPILING = "compiling (once)"
"""What is at work while code is compiled, which is kept on disk: a machine compiles once."""

Progress = Callable[[int, int], None]
"""Told (done, total)."""


def silent(done: int, total: int) -> None:
    """Do nothing."""


class Stages:
    """The stages of some work as they are told of; this one tells nobody."""

    def __call__(self, name: str, unit: str) -> Progress:
        """The progress of a stage, by its name and its unit."""
        return silent

    def note(self, text: str) -> None:
        """Say what is at work at this moment, beside how far it is; an empty text ends that."""

    def say(self, text: str) -> None:
        """Say something that stays."""


UNSEEN = Stages()

_HEARS_OF_COMPILING: list[Callable[[str], None]] = []


@contextlib.contextmanager
def watch_compiling(note: Callable[[str], None]) -> Iterator[None]:
    """For the length of the block `note` is told when this process begins to compile, and an empty text at the end."""
    _HEARS_OF_COMPILING.append(note)
    try:
        yield
    finally:
        _HEARS_OF_COMPILING.remove(note)


def tell_of_compiling(text: str) -> None:
    """Say it to whoever listens."""
    for note in _HEARS_OF_COMPILING:
        note(text)
