import itertools
import math

import numpy as np
import pytest

from voirdire.stats import page_trend


def test_exact_for_few_rows():
    # Two rows in the predicted order: one of (3!)² equally likely outcomes has L = 28.
    found = page_trend([[1, 2, 3], [4, 5, 6]])
    assert (found.statistic, found.exact) == (28.0, True)
    assert found.p == pytest.approx(1 / 36)


def test_exact_by_counting_all_orders():
    scores = np.array([[1, 3, 2], [2, 1, 3], [1, 2, 3]])
    orders = list(itertools.permutations([1, 2, 3]))
    l_of = lambda rows: sum(np.dot(row, [1, 2, 3]) for row in rows)  # noqa: E731
    at_least = sum(l_of(rows) >= l_of(scores) for rows in itertools.product(orders, repeat=3))
    assert page_trend(scores).p == pytest.approx(at_least / 6**3)


def test_falling_is_rising_read_backwards():
    scores = np.random.default_rng(0).random((20, 7)) - 0.05 * np.arange(7)
    assert page_trend(scores, "falling") == page_trend(scores[:, ::-1], "rising")
    assert page_trend(scores, "falling").p < 0.01 < page_trend(scores, "rising").p


def test_exact_with_ties_by_counting_all_orders():
    scores = np.array([[0, 0, 1], [2, 1, 1], [1, 2, 3]])
    ranks = [[1.5, 1.5, 3], [3, 1.5, 1.5], [1, 2, 3]]
    l_of = lambda rows: sum(np.dot(row, [1, 2, 3]) for row in rows)  # noqa: E731
    outcomes = [l_of(rows) for rows in itertools.product(*(itertools.permutations(row) for row in ranks))]
    found = page_trend(scores)
    assert found.statistic == l_of(ranks)
    assert found.p == pytest.approx(np.mean(np.array(outcomes) >= l_of(ranks)))


def test_small_p_keep_their_precision():
    # m rows of 7 in perfect order are one outcome of 5040^m.
    for rows in (1, 5, 60):
        assert page_trend(np.tile(np.arange(7), (rows, 1))).p == pytest.approx(5040.0**-rows, rel=1e-9)
    assert page_trend(np.tile(np.arange(7), (150, 1))).p == 5e-324
    # One row one swap away from it: that order and the six like it (one swap of neighbours), and the perfect one.
    scores = np.tile(np.arange(7), (5, 1))
    scores[0, :2] = 1, 0
    assert page_trend(scores).p == pytest.approx((1 + 5 * 6) / 5040**5)


def test_many_rows_use_the_tail_of_the_normal_with_its_precision():
    # 300 rows, 240 in order and 60 against it: z = 180 · √(6 / 300), and p near φ(z)/z · (1 − 1/z² + 3/z⁴ − 15/z⁶).
    scores = np.tile(np.arange(7), (300, 1))
    scores[:60] *= -1
    found = page_trend(scores)
    z = 180 * math.sqrt(6 / 300)
    assert (found.z, found.exact) == (pytest.approx(z), False)
    tail = math.exp(-(z**2) / 2) / (z * math.sqrt(2 * math.pi))
    assert found.p == pytest.approx(tail * (1 - z**-2 + 3 * z**-4 - 15 * z**-6), rel=1e-6)
    assert 0 < found.p < 1e-140
    assert page_trend(np.tile(np.arange(9), (500, 1))).p == 5e-324


def test_exact_and_normal_agree_in_the_middle():
    rng = np.random.default_rng(8)
    for _ in range(20):
        found = page_trend(rng.integers(0, 4, (150, 5)))
        assert found.exact
        assert found.p == pytest.approx(0.5 * math.erfc(found.z / math.sqrt(2)), abs=0.01)


@pytest.mark.slow
def test_ties_keep_the_level():
    # Coarse scores without a trend: one test in twenty finds one.
    rng = np.random.default_rng(3)
    for rows in (30, 250):
        found = [page_trend(rng.integers(0, 2, (rows, 5))).p <= 0.05 for _ in range(1500)]
        assert 0.033 < np.mean(found) < 0.067


def test_ties_by_hand():
    # One row 0 0 1: ranks 1.5 1.5 3, L = 13.5, E = 12, V = (3·4/12) · 1.5; the 3 is last in a third of orders.
    found = page_trend([[0, 0, 1]])
    assert found.statistic == 13.5
    assert found.z == pytest.approx(1.5 / math.sqrt(1.5))
    assert found.p == pytest.approx(1 / 3)
    assert page_trend([[1, 0, 0]] * 40).p == pytest.approx(1.0)
    assert page_trend([[1, 0, 0]] * 40).p <= 1.0


@pytest.mark.parametrize("scores", [np.empty((0, 4)), np.ones((5, 4))])
def test_nothing_to_test(scores):
    found = page_trend(scores)
    assert (found.z, found.p) == (None, None)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="got nan in row 1, condition 0"):
        page_trend([[1.0, 2.0], [np.nan, 2.0]])
    with pytest.raises(ValueError, match=r"shape \(2, 1\)"):
        page_trend([[1.0], [2.0]])
    with pytest.raises(ValueError, match="`direction` must be one of rising, falling, got 'down'"):
        page_trend([[1.0, 2.0]], "down")
