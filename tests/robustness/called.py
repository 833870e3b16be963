"""Calls of compiled functions that only compiled functions can call."""

from numba import njit


def from_python(function):
    """The same function, for Python."""
    return njit(lambda *given: function(*given))
