"""METEOR's index made ahead of its first use, for callers who want to show how far that is."""

from collections.abc import Callable

__all__ = ["prepare"]


def prepare(report: Callable[[int, int], None] | None = None) -> None:
    """Make and keep the index, telling (done, total) on the way; where it is kept already, nothing is told."""
    from voirdire.metrics.meteor.index import installed_index, silent

    installed_index(report or silent)
