"""Shifts, stable truth and opposites on boards made by hand."""

import numpy as np

from voirdire.metrics.scoreboard import opposites_agree, shifts, truth_stable


def signs(*rows: str) -> np.ndarray:
    """`.` for nothing said, 0 and 1."""
    return np.array([[-1 if sign == "." else int(sign) for sign in row] for row in rows], np.int8)


def test_shifts_at_the_right_turn() -> None:
    board = signs("00111", "00101", "01111", "00000", "10111", "11111", "11101", "01111", "0011.", "001..")
    answers = np.array([2, 2, 2, 2, 2, 0, 0, 0, 2, 2])
    right, only = shifts(board, answers)
    assert right.tolist() == [True, True, False, False, True, True, True, False, True, True]
    assert only.tolist() == [True, False, False, False, False, True, False, False, True, True]


def test_a_shift_at_the_first_and_at_the_last_round() -> None:
    right, only = shifts(signs("0111", "0001", "1111"), np.array([1, 3, 3]))
    assert right.tolist() == only.tolist() == [True, True, False]


def test_truth_is_stable_where_one_value_is_given() -> None:
    stable, rows = truth_stable(signs("1111", "0000", "1101", "..11", "..10", "...."))
    assert rows.tolist() == [True, True, True, True, True, False]
    assert stable[rows].tolist() == [True, True, False, True, False]


def test_opposites_agree_where_both_have_the_same_value() -> None:
    agree, both = opposites_agree(signs("110.1"), signs("1010."))
    assert both.tolist() == [[True, True, True, False, False]]
    assert agree.tolist() == [[True, False, False, False, False]]
