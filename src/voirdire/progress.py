"""How long work says how far it is, without knowing who listens.

A stage is one stretch of work with a name and a unit: ("encode", "texts"). Work that has several is given `Stages` and
asks for the progress of each when it comes to it; a stage that is never reached is never shown.
"""

from collections.abc import Callable

__all__ = ["UNSEEN", "Progress", "Stages", "silent"]

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
