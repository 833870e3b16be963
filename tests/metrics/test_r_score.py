"""R_score by hand, at its borders, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.metrics.r_score import r_score, r_score_measure
from voirdire.runs import estimate

PERCENT = st.floats(0, 100)


def test_by_hand():
    # √|30 − 25| = √5, so (√20 − √5) / √20 = 1/2 where t is 0.
    assert r_score(30, 25, t=0, m=20) == pytest.approx(0.5)
    assert r_score(60.48, 54.63) == pytest.approx((20**0.5 - 5.85**0.5) / (20**0.5 - 0.05**0.5))


@pytest.mark.parametrize(("drop", "score"), [(0, 1), (0.05, 1), (0.04, 1), (20, 0), (20.1, 0), (50, 0)])
def test_borders(drop, score):
    assert r_score(50, 50 - drop) == pytest.approx(score, abs=1e-12)
    assert r_score(50, 50 + drop) == pytest.approx(score, abs=1e-12)


@given(PERCENT, PERCENT, PERCENT)
def test_between_0_and_1_and_falling_in_the_distance(clean, first, second):
    one, two = r_score(clean, [first, second])
    assert 0 <= one <= 1
    if abs(clean - first) <= abs(clean - second):
        assert one >= two


@pytest.mark.parametrize(("t", "m"), [(20, 20), (21, 20), (-0.1, 20), (0.05, 101), (float("nan"), 20), (0.05, -1)])
def test_bounds_that_leave_nothing_are_refused(t, m):
    with pytest.raises(ValueError, match="0 ≤ t < m ≤ 100"):
        r_score(60, 50, t, m)
    with pytest.raises(ValueError, match="0 ≤ t < m ≤ 100"):
        r_score_measure("clean", "noisy", t, m)


@pytest.mark.parametrize(
    ("clean", "noisy", "named"), [(-1, 5, "clean"), (5, 100.1, "noisy"), (float("nan"), 5, "clean")]
)
def test_accuracies_outside_of_percent_are_refused(clean, noisy, named):
    with pytest.raises(ValueError, match=f"`{named}` must be in percent, from 0 to 100"):
        r_score(clean, noisy)


def test_the_measure_is_that_of_the_means_over_items_that_have_both():
    noisy = np.ma.masked_array([80.0, 30.0, 0.0], [False, False, True])
    items = {"clean": np.array([90.0, 30.0, 100.0]), "noisy": noisy}
    figure = estimate(items, [r_score_measure("clean", "noisy")], seed=0)["r_score"]
    assert figure.n == 2
    assert figure.value == pytest.approx(float(r_score(60, 55)))
