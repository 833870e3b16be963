"""Claims that a table decides: the difference, its interval and p, beside figures done by hand and scipy's test."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import permutation_test

from voirdire.section.printed import halves


def two_classes(shift, seed=0, count=120):
    rng = np.random.default_rng(seed)
    first = rng.random(count) < 0.4
    return rng.normal(size=count) + shift * first, first


@pytest.mark.parametrize("shift", [0.0, 0.3, 1.0])
def test_p_is_that_of_scipy(shift):
    values, first = two_classes(shift)
    claim = halves("a claim", values, first, np.arange(len(values)), seed=0)
    peer = permutation_test(
        (values[first], values[~first]), lambda a, b: a.mean() - b.mean(), n_resamples=20_000, rng=1, vectorized=False
    )
    assert claim.difference == pytest.approx(values[first].mean() - values[~first].mean())
    assert claim.p == pytest.approx(peer.pvalue, abs=0.02)
    assert claim.low < claim.difference < claim.high
    assert (claim.low > 0) == (claim.p < 0.05)


def test_few_items_are_those_of_all_ways():
    values, first = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False])
    ways = [np.mean(values[list(c)]) - np.mean(np.delete(values, list(c))) for c in combinations(range(4), 2)]
    exact = np.mean(np.abs(ways) >= 2.0)
    assert halves("", values, first, np.arange(4), seed=0).p == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("first", [[True] * 3, [False] * 3])
def test_one_class_alone_is_not_tested(first):
    claim = halves("", [1.0, 0.0, 1.0], first, [1, 2, 3], seed=0)
    assert (claim.difference, claim.low, claim.p) == (None, None, None)


def test_clusters_widen_the_interval():
    values, first = two_classes(0.5)
    rows = np.repeat(np.arange(len(values)), 5)
    alone = halves("", values[rows], first[rows], np.arange(len(rows)), seed=0)
    together = halves("", values[rows], first[rows], rows, seed=0)
    assert together.high - together.low > 1.8 * (alone.high - alone.low)
    assert together.difference == pytest.approx(alone.difference)


def test_the_seed_decides():
    values, first = two_classes(0.3)
    ids = np.arange(len(values))
    assert halves("", values, first, ids, seed=3) == halves("", values, first, ids, seed=3)
    assert halves("", values, first, ids, seed=3).p != halves("", values, first, ids, seed=4).p
