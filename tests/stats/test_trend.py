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


def test_the_tail_keeps_its_precision():
    # 60 rows of 7 in perfect order: z = √(60 · 6) and p near the asymptotic tail φ(z)/z · (1 − 1/z²).
    found = page_trend(np.tile(np.arange(7), (60, 1)))
    z = math.sqrt(360)
    assert found.z == pytest.approx(z)
    tail = math.exp(-(z**2) / 2) / (z * math.sqrt(2 * math.pi))
    assert found.p == pytest.approx(tail * (1 - z**-2 + 3 * z**-4), rel=1e-4)
    assert 0 < found.p < 1e-78


def test_ties_share_ranks_and_keep_the_level():
    # Coarse scores without a trend: with the variance of the ranks that are there, one test in twenty finds one.
    rng = np.random.default_rng(3)
    found = [page_trend(rng.integers(0, 2, (30, 5))).p <= 0.05 for _ in range(2000)]
    assert 0.035 < np.mean(found) < 0.065


def test_ties_by_hand():
    # One row 0 0 1: ranks 1.5 1.5 3, L = 13.5, E = 12, V = (3·4/12) · 1.5.
    found = page_trend([[0, 0, 1]])
    assert found.statistic == 13.5
    assert found.z == pytest.approx(1.5 / math.sqrt(1.5))
    assert not found.exact


@pytest.mark.parametrize("scores", [np.empty((0, 4)), np.ones((5, 4))])
def test_nothing_to_test(scores):
    found = page_trend(scores)
    assert (found.z, found.p) == (None, None)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="row 1, condition 0"):
        page_trend([[1.0, 2.0], [np.nan, 2.0]])
    with pytest.raises(ValueError, match=r"shape \(2, 1\)"):
        page_trend([[1.0], [2.0]])
    with pytest.raises(ValueError, match="direction: 'down'"):
        page_trend([[1.0, 2.0]], "down")
