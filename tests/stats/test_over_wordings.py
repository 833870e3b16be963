"""The interval over wordings: by hand, at both ends, and as often right as it says."""

import numpy as np
import pytest
from scipy import stats
from wordings_coverage import CASES, coverage

from voirdire.stats.over_wordings import over_wordings, shared_variance

ALIKE = np.random.default_rng(1).normal(0, 1, (500, 1))
"""Draws of items that move all wordings together."""


def test_by_hand():
    drawn = np.column_stack([ALIKE, ALIKE, ALIKE]) * 2
    shared, between = float(np.var(drawn[:, 0], ddof=1)), 4.0
    variance = between / 3 + shared
    half = stats.t.ppf(0.975, 2 * variance / (between / 3)) * np.sqrt(variance)
    interval = over_wordings([1, 3, 5], drawn)
    assert (interval.low, interval.high) == pytest.approx((3 - half, 3 + half), rel=1e-9)


def test_where_items_make_no_difference_it_has_wordings_less_one_degrees_of_freedom():
    interval = over_wordings([1, 3, 5], np.tile([1.0, 3.0, 5.0], (100, 1)))
    assert interval.high - 3 == pytest.approx(4.302653 * 2 / np.sqrt(3), rel=1e-6)


def test_where_wordings_make_no_difference_it_is_that_of_the_items():
    interval = over_wordings([3, 3, 3], np.column_stack([ALIKE] * 3))
    assert interval.high - 3 == pytest.approx(1.959964 * ALIKE.std(ddof=1), rel=1e-6)


def test_chance_in_one_wording_alone_is_no_shared_variance():
    drawn = np.random.default_rng(2).normal(0, 1, (20_000, 3))
    assert shared_variance(drawn) < 0.02
    assert shared_variance(drawn + np.resize(ALIKE, (20_000, 1))) == pytest.approx(ALIKE.var(), abs=0.1)
    # Two that go against each other share nothing.
    assert shared_variance(np.column_stack([ALIKE, -ALIKE, np.zeros_like(ALIKE)])) == 0


def test_figures_that_happen_to_be_alike_have_no_interval_without_width():
    drawn = np.random.default_rng(3).normal(0, 1, (20_000, 3))
    interval = over_wordings([3, 3, 3], drawn)
    assert interval.high - 3 == pytest.approx(1.959964 / np.sqrt(3), rel=0.05)


@pytest.mark.parametrize(
    ("figures", "drawn"),
    [
        ([1, 2], np.ones((100, 2))),
        ([1, 2, np.nan], np.ones((100, 3))),
        ([1, 2, 3], np.full((100, 3), np.nan)),
        ([1, 2, 3], np.where(np.arange(100)[:, None] < 6, np.nan, np.ones((100, 3)))),
    ],
)
def test_there_is_none_where_nothing_says_how_wide_it_is(figures, drawn):
    assert over_wordings(figures, drawn) is None


@pytest.mark.parametrize("case", CASES[::3], ids=str)
def test_it_covers_the_truth_as_often_as_it_says(case):
    # 1,000 trials of 95 % have a standard error of 0.7 points; the bounds are those of the docs and twice that.
    assert 0.93 - 0.014 <= coverage(case, 1_000) <= 0.97 + 0.014
