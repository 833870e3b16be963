import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.stats import holm, mean, of_means, paired_bootstrap, paired_permutation, ratio, std
from voirdire.stats.bootstrap import swapped_sums

TESTS = (paired_permutation, paired_bootstrap)
SHARES = st.lists(st.floats(0, 1), max_size=12)


def exact_p(first: np.ndarray, second: np.ndarray, figure) -> float:
    """The share of all ways to swap whose difference is at least as large."""
    observed = abs(figure(first) - figure(second))
    extreme = 0
    for swaps in itertools.product([False, True], repeat=len(first)):
        swap = np.array(swaps)
        a, b = np.where(swap, second, first), np.where(swap, first, second)
        extreme += abs(figure(a) - figure(b)) >= observed - 1e-12
    return extreme / 2 ** len(first)


@pytest.mark.parametrize(
    ("aggregate", "figure"), [(mean, np.mean), (std(), np.std), (of_means(lambda a: a**2, 1), lambda x: x.mean() ** 2)]
)
@pytest.mark.parametrize(("resamples", "near"), [(1022, 0.04), (1023, 1e-12), (40_000, 1e-12)])
def test_permutation_is_the_count_of_all_swaps_or_comes_near_it(aggregate, figure, resamples, near):
    rng = np.random.default_rng(5)
    first, second = rng.random(10), 0.7 * rng.random(10)
    found = paired_permutation(first, second, aggregate, seed=1, resamples=resamples)
    assert found.difference == pytest.approx(figure(first) - figure(second))
    assert found.p == pytest.approx(exact_p(first, second, figure), abs=near)
    assert found.interval is None
    assert found.n == 10


def test_whole_clusters_are_swapped():
    # Three clusters allow eight swaps; only two of them are as extreme as all three differences on one side.
    clusters = np.repeat(["a", "b", "c"], 50)
    found = paired_permutation(np.ones(150), np.zeros(150), clusters=clusters, seed=1, resamples=20_000)
    assert found.p == 0.25
    assert paired_permutation(np.ones(150), np.zeros(150), seed=1, resamples=999).p == 1 / 1000


def test_a_swapped_cluster_is_the_other_systems_and_coins_are_fair():
    first, second = np.zeros((2, 130)), np.stack([np.ones(130), 2.0 ** np.arange(130)])
    swapped = swapped_sums(first, second, 7, 4000)
    assert abs(swapped[:, 0].mean() - 65) < 5 * np.sqrt(130 / 4 / 4000)
    assert abs(swapped[:, 0].var() - 130 / 4) < 3
    top = swapped[:, 1] >= 2.0**129
    assert abs(top.mean() - 0.5) < 0.04


@pytest.mark.parametrize("test", TESTS)
def test_a_system_against_itself_has_no_difference_and_p_is_one(test):
    scores = np.random.default_rng(0).random(40)
    found = test(scores, scores, seed=0, resamples=100)
    assert (found.difference, found.p) == (0.0, 1.0)


@pytest.mark.parametrize("test", TESTS)
def test_no_item(test):
    found = test([], [], seed=0)
    assert (found.difference, found.interval, found.p, found.n) == (None, None, None, 0)


def test_one_cluster():
    one = {"clusters": [4, 4], "seed": 0, "resamples": 100}
    assert paired_permutation([1.0, 0.5], [0.0, 0.5], **one).p == 1.0
    found = paired_bootstrap([1.0, 0.5], [0.0, 0.5], **one)
    assert (found.difference, found.interval, found.p) == (0.5, None, None)


@pytest.mark.parametrize("test", TESTS)
def test_bad_pairs_are_named(test):
    with pytest.raises(ValueError, match=r"`second` must be of the shape of `first`, \(3,\), got \(2,\)"):
        test([1.0, 2.0, 3.0], [1.0, 2.0], seed=0)
    with pytest.raises(ValueError, match="not finite"):
        test([1.0, np.nan], [1.0, 2.0], seed=0)


@pytest.mark.parametrize("test", TESTS)
def test_resamples_without_a_case_count_against_a_finding(test):
    # Each system has one case, and most resamples leave one of them without any.
    first, second = np.zeros((30, 2)), np.zeros((30, 2))
    first[0], second[1] = (1, 1), (0, 1)
    assert test(first, second, ratio, seed=0, resamples=500).p > 0.4


def test_bootstrap_gives_the_interval_of_the_difference():
    rng = np.random.default_rng(8)
    level = rng.normal(size=500)
    first, second = level + 0.1 * rng.normal(size=500), level + 0.1 * rng.normal(size=500) - 0.05
    found = paired_bootstrap(first, second, seed=3)
    # Paired, the common level drops out: the standard error is that of the differences.
    error = (first - second).std() / np.sqrt(500)
    assert found.interval.low == pytest.approx(found.difference - 1.96 * error, abs=0.1 * error)
    assert found.interval.high == pytest.approx(found.difference + 1.96 * error, abs=0.1 * error)
    assert found.p < 0.001


@pytest.mark.parametrize("test", TESTS)
def test_the_sides_are_alike(test):
    rng = np.random.default_rng(9)
    first, second = rng.random(50), rng.random(50)
    there, back = test(first, second, seed=1, resamples=999), test(second, first, seed=1, resamples=999)
    assert there.difference == -back.difference
    assert there.p == pytest.approx(back.p, abs=0.05)


@pytest.mark.parametrize("test", TESTS)
def test_alike_systems_are_told_apart_in_one_of_twenty_tests_even_in_clusters(test):
    rng = np.random.default_rng(77)
    clusters = np.repeat(np.arange(40), 5)
    found = 0
    for trial in range(300):
        first, second = (rng.normal(size=40)[clusters] + rng.normal(size=200) for _ in range(2))
        found += test(first, second, clusters=clusters, seed=trial, resamples=199).p <= 0.05
    assert 3 <= found <= 29  # 15 ± 3.8; the bootstrap of 40 clusters errs to a few more


def test_holm_by_hand():
    # Sorted: 0.01·4, 0.02·3, 0.03·2, 0.04·1, each no smaller than the one before.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_holm_none_is_no_test():
    assert holm([None, 0.02, None, 0.03]) == [None, 0.04, None, 0.04]


def test_holm_degenerate():
    assert holm([]) == []
    assert holm([0.2]) == [0.2]
    assert holm([0.7, 0.9]) == [1.0, 1.0]


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_holm_refuses_what_is_no_probability(bad):
    with pytest.raises(ValueError, match="as number 1"):
        holm([0.5, bad])


@given(SHARES)
def test_holm_is_never_smaller_never_above_one_and_in_the_same_order(p_values):
    corrected = holm(p_values)
    assert all(p <= c <= 1 for p, c in zip(p_values, corrected, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)
