"""What the tests of rankers share: calls of compiled functions that only compiled functions can call, and n-grams."""

from collections import Counter

from numba import njit


def from_python(function):
    """The same function, for Python."""
    return njit(lambda *given: function(*given))


def ngrams(tokens, order):
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))
