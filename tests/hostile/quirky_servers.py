"""Servers as they are: how those that people use refuse, complain, and answer in ways of their own."""

from behaviours import Behaviour

__all__ = ["QUIRKY"]

QUIRKY: tuple[Behaviour, ...] = ()
