"""How long work tells how far it is, without knowing who listens."""

from collections.abc import Callable

__all__ = ["Report", "silent"]

Report = Callable[[int, int], None]
"""Told (done, total)."""


def silent(done: int, total: int) -> None:
    """Nobody listens."""
