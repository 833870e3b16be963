"""Compact letters: two systems share a letter where they do not differ, and no letter is there for nothing."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from voirdire.stats.letters import compact_letters


def groups(letters: list[str]) -> list[set[str]]:
    """The letters of each system, `a2` as one."""
    found: list[set[str]] = []
    for text in letters:
        own: list[str] = []
        for sign in text:
            if sign.isdigit():
                own[-1] += sign
            else:
                own.append(sign)
        found.append(set(own))
    return found


def check(differ: np.ndarray) -> None:
    found = groups(compact_letters(differ))
    for first, second in combinations(range(len(differ)), 2):
        assert bool(found[first] & found[second]) != bool(differ[first, second])
    assert all(found)
    every = set().union(*found)
    for letter in every:
        # Without it two that do not differ would share none, or a system would have none.
        left = [own - {letter} for own in found]
        pairs = [(a, b) for a, b in product(range(len(differ)), repeat=2) if not differ[a, b]]
        assert any(not left[a] & left[b] for a, b in pairs)


@given(some.integers(1, 9), some.floats(0, 1), some.integers(0, 10_000))
def test_two_systems_share_a_letter_where_they_do_not_differ(count: int, share: float, seed: int) -> None:
    drawn = np.triu(np.random.default_rng(seed).random((count, count)) < share, 1)
    check(drawn | drawn.T)


def test_forty_systems_along_a_line() -> None:
    places = np.arange(40.0)
    check(np.abs(places[:, None] - places) > 5)


def test_letters_begin_with_the_best() -> None:
    differ = np.zeros((4, 4), dtype=bool)
    for first, second in ((0, 2), (0, 3), (1, 3)):
        differ[first, second] = differ[second, first] = True
    assert compact_letters(differ) == ["a", "ab", "bc", "c"]


def test_after_z_letters_have_numbers() -> None:
    letters = compact_letters(~np.eye(28, dtype=bool))
    assert letters[:2] == ["a", "b"]
    assert letters[26:] == ["a2", "b2"]


def test_one_system_and_none() -> None:
    assert compact_letters(np.zeros((1, 1), dtype=bool)) == ["a"]
    assert compact_letters(np.zeros((0, 0), dtype=bool)) == []


def test_a_table_that_is_not_symmetric_is_refused() -> None:
    with pytest.raises(ValueError, match="`differ` must be square, symmetric"):
        compact_letters([[False, True], [False, False]])
