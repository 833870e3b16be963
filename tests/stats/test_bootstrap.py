import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from voirdire.stats import Interval, bootstrap, mean, of_means, of_sums, ratio, std
from voirdire.stats.aggregate import cluster_sums, columns, numbered
from voirdire.stats.bootstrap import drawn_sums

METHODS = ("percentile", "bca")


def clustered(rng: np.random.Generator, clusters: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Items of which each has its cluster's level, true mean 0, and little of its own."""
    ids = np.repeat(np.arange(clusters), size)
    return rng.normal(size=clusters)[ids] + 0.3 * rng.normal(size=clusters * size), ids


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_input_has_a_stated_result(method):
    assert bootstrap([], seed=0, method=method) is None
    assert bootstrap([0.3], seed=0, method=method) is None
    assert bootstrap([0.3, 0.5, 0.1], seed=0, clusters=["a", "a", "a"], method=method) is None
    assert bootstrap([0.5] * 7, seed=0, method=method) == Interval(0.5, 0.5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused_with_its_item(bad):
    with pytest.raises(ValueError, match=r"`statistics` must be finite numbers, got .* for item 2 .*not finite"):
        bootstrap([0.0, 1.0, bad], seed=0)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"level": 1.0}, "`level` must be between 0 and 1, got 1.0"),
        ({"method": "basic"}, "`method` must be one of percentile, bca, got 'basic'"),
        ({"resamples": 0}, "`resamples` must be at least 1, got 0"),
        ({"clusters": [1, 2]}, r"`clusters` must have one id per item.*got \(2,\)"),
        ({"clusters": [1.0, 2.0, np.nan]}, "`clusters` .* not finite"),
        ({"aggregate": ratio}, r"`statistics` of a ratio of sums must be of shape \(items, 2\), got \(3,\)"),
    ],
)
def test_bad_arguments_are_named(kwargs, message):
    with pytest.raises(ValueError, match=message):
        bootstrap([1.0, 2.0, 4.0], **({"seed": 0} | kwargs))


def test_two_items_have_only_three_resampled_means():
    drawn = drawn_sums(np.array([[0.0, 1.0]]), 3, 40_000)[:, 0] / 2
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [0.0, 0.5, 1.0]
    np.testing.assert_allclose(counts / 40_000, [0.25, 0.5, 0.25], atol=0.01)


@pytest.mark.parametrize("size", [2, 3, 7, 64, 101])
def test_every_entry_is_drawn_with_the_same_probability_and_as_often_as_there_are_entries(size):
    resamples = 20_000
    counts = drawn_sums(np.eye(size), 5, resamples)
    assert (counts.sum(axis=1) == size).all()
    # Each count is binomial(size, 1/size): mean 1, variance 1 − 1/size; two counts have covariance −1/size.
    error = np.sqrt((1 - 1 / size) / resamples)
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 * error
    covariance = np.cov(counts.T)
    np.testing.assert_allclose(covariance, np.eye(size) - 1 / size, atol=6 * np.sqrt(3 / resamples))


def test_resamples_are_independent_of_each_other():
    sums = drawn_sums(np.random.default_rng(0).random((1, 50)), 11, 20_000)[:, 0]
    assert abs(np.corrcoef(sums[:-1], sums[1:])[0, 1]) < 0.03


def test_a_resample_does_not_depend_on_how_many_there_are_nor_on_other_columns():
    table = np.random.default_rng(1).random((3, 31))
    many = drawn_sums(table, 9, 100)
    assert np.array_equal(many[:10], drawn_sums(table, 9, 10))
    assert np.array_equal(many[:, [1]], drawn_sums(table[[1]], 9, 100))


def test_the_seed_decides_and_a_generator_moves_on():
    scores = np.random.default_rng(2).random(200)
    assert bootstrap(scores, seed=4) == bootstrap(scores, seed=4)
    assert bootstrap(scores, seed=4) == bootstrap(scores, seed=np.random.default_rng(4))
    assert bootstrap(scores, seed=4) != bootstrap(scores, seed=5)
    rng = np.random.default_rng(4)
    assert bootstrap(scores, seed=rng) != bootstrap(scores, seed=rng)


def test_the_order_of_items_makes_no_difference_within_clusters():
    scores, ids = clustered(np.random.default_rng(3), 30, 4)
    order = np.random.default_rng(4).permutation(len(ids))
    straight = bootstrap(scores, seed=1, clusters=ids)
    shuffled = bootstrap(scores[order], seed=1, clusters=ids[order])
    assert shuffled.low == pytest.approx(straight.low, rel=1e-12)
    assert shuffled.high == pytest.approx(straight.high, rel=1e-12)


def test_the_clustered_interval_covers_and_the_naive_one_does_not():
    rng = np.random.default_rng(2024)
    trials, hits = 300, {"clustered": 0, "naive": 0}
    for trial in range(trials):
        scores, ids = clustered(rng, 60, 8)
        for name, clusters in (("clustered", ids), ("naive", None)):
            interval = bootstrap(scores, seed=trial, clusters=clusters, resamples=600)
            hits[name] += interval.low <= 0.0 <= interval.high
    # 300 trials at 95 % give 285 ± 3.8; the percentile interval of 60 clusters covers a little less.
    assert 0.91 <= hits["clustered"] / trials <= 0.98
    assert hits["naive"] / trials < 0.65


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("aggregate", "width", "direct"),
    [
        (mean, 1, lambda x: x[:, 0].mean()),
        (ratio, 2, lambda x: x[:, 0].sum() / x[:, 1].sum()),
        (std(), 1, lambda x: x[:, 0].std()),
        (std(ddof=1), 1, lambda x: x[:, 0].std(ddof=1)),
        (of_means(lambda a, b: np.sqrt(np.abs(a - b)), 2), 2, lambda x: np.sqrt(abs(x[:, 0].mean() - x[:, 1].mean()))),
        (of_sums(lambda a, b, c: a * b / c, 3), 3, lambda x: x[:, 0].sum() * x[:, 1].sum() / x[:, 2].sum()),
    ],
)
def test_aggregates_of_resampled_sums_are_those_of_the_resampled_items(aggregate, width, direct, method):
    rng = np.random.default_rng(6)
    items, clusters = rng.random((60, width)) + 0.5, np.repeat(np.arange(12), 5)
    counts = drawn_sums(np.eye(12), 8, 400).astype(int)
    by_hand = [
        direct(np.concatenate([items[clusters == c] for c in range(12) for _ in range(row[c])])) for row in counts
    ]
    statistics = items[:, 0] if width == 1 else items
    numbers, count = numbered(clusters, 60)
    sums = cluster_sums(columns(statistics, aggregate), numbers, count)
    np.testing.assert_allclose(aggregate.of(drawn_sums(sums, 8, 400)), by_hand, rtol=1e-10)
    interval = bootstrap(statistics, aggregate, seed=8, clusters=clusters, resamples=400, method=method)
    assert interval.low < direct(items) < interval.high
    if method == "percentile":
        assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(by_hand, [0.025, 0.975])), rel=1e-9)


def test_resamples_without_a_case_are_left_out_and_too_many_of_them_leave_no_interval():
    def share(cases):
        return np.column_stack([np.arange(100) % 2, np.ones(100)]) * (np.arange(100) < cases)[:, None]

    assert bootstrap(share(1), ratio, seed=0) is None
    interval = bootstrap(share(4), ratio, seed=0)
    assert 0 <= interval.low < 0.5 < interval.high <= 1
    assert bootstrap(np.zeros((5, 2)), ratio, seed=0) is None


def test_bca_has_no_interval_where_the_figure_is_outside_all_resamples():
    # How many different items there are: all ten in the sample, fewer in every resample that draws one twice.
    different = of_sums(lambda *counts: np.minimum(counts, 1).sum(axis=0), 10)
    assert bootstrap(np.eye(10), different, seed=0, resamples=200, method="bca") is None
    assert bootstrap(np.eye(10), different, seed=0, resamples=200).high < 10


def test_std_keeps_its_digits_far_from_zero():
    scores = 1e8 + np.random.default_rng(0).random(1000)
    sums = columns(scores, std()).sum(axis=0)
    assert float(std().of(sums)) == pytest.approx(scores.std(), rel=1e-9)


def test_std_of_too_few_is_undefined():
    assert np.isnan(std(ddof=1).of(np.array([0.0, 0.0, 1.0])))
    assert std().of(np.array([0.0, 0.0, 1.0])) == 0.0


@settings(max_examples=60)
@given(
    arrays(np.float64, st.integers(2, 40), elements=st.floats(-1e6, 1e6, allow_subnormal=False)),
    st.integers(0, 2**32),
    st.sampled_from(METHODS),
)
def test_the_interval_of_a_mean_lies_between_the_smallest_and_the_largest_item(scores, seed, method):
    interval = bootstrap(scores, seed=seed, resamples=50, method=method)
    if interval is not None:
        slack = 1e-9 * max(1.0, np.abs(scores).max())
        assert scores.min() - slack <= interval.low <= interval.high <= scores.max() + slack
