"""Voir Dire puts a visual question answering or visual dialogue model on the stand."""

from voirdire._version import __version__

__all__ = ["__version__"]
