"""How long work reports its progress, without knowing who listens.

A stage is one stretch of work with a name and a unit: ("encode", "texts"). Work that has several is given `Stages` and
asks for the progress of each when it comes to it; a stage that is never reached is never shown.
"""

import contextlib
from collections.abc import Callable, Iterator

__all__ = ["COMPILING", "UNSEEN", "Progress", "Stages", "report_compiling", "silent", "watch_compiling"]

COMPILING = "compiling (once)"
"""The note while code is compiled; the result is kept on disk, so a machine compiles once."""

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


def silent(done: int, total: int) -> None:
    """Do nothing."""


class Stages:
    """The stages of some work as they are reported; this one reports to nobody."""

    def __call__(self, name: str, unit: str) -> Progress:
        """The progress of a stage, by its name and its unit."""
        return silent

    def note(self, text: str) -> None:
        """Show a note beside the progress; an empty text ends it."""

    def say(self, text: str) -> None:
        """Print a line that stays."""


UNSEEN = Stages()

_LISTENERS: list[Callable[[str], None]] = []


@contextlib.contextmanager
def watch_compiling(note: Callable[[str], None]) -> Iterator[None]:
    """For the length of the block `note` gets a text when this process begins to compile, an empty one after it."""
    _LISTENERS.append(note)
    try:
        yield
    finally:
        _LISTENERS.remove(note)


def report_compiling(text: str) -> None:
    """Give a note on compiling to all listeners."""
    for note in _LISTENERS:
        note(text)
