"""Our statistics against those of scipy, statsmodels, krippendorff and sacrebleu on the same numbers."""

import krippendorff
import numpy as np
import pytest
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.significance import PairedTest
from scipy import stats
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as their_kappa
from statsmodels.stats.multitest import multipletests

from voirdire.stats import (
    bootstrap,
    fleiss_kappa,
    holm,
    krippendorff_alpha,
    mean,
    of_means,
    page_trend,
    paired_bootstrap,
    paired_permutation,
    ratio,
    std,
)
from voirdire.stats.bootstrap import drawn_sums

pytestmark = pytest.mark.slow

RESAMPLES = 20_000


def close(ours, theirs, spread, resamples=RESAMPLES):
    """Both ends equal to four Monte-Carlo standard errors of a 2.5 % quantile, BCa's shift of it allowed for."""
    error = 4 * np.sqrt(2) * spread * np.sqrt(0.025 * 0.975 / resamples) / stats.norm.pdf(1.96) * 1.5
    return abs(ours.low - theirs.low) < error and abs(ours.high - theirs.high) < error


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(
    ("aggregate", "function", "width"),
    [
        (mean, lambda x, axis: x.mean(axis), 1),
        (std(ddof=1), lambda x, axis: x.std(axis, ddof=1), 1),
        (ratio, lambda x, y, axis: x.sum(axis) / y.sum(axis), 2),
        (
            of_means(lambda a, b: np.sqrt(b) - np.sqrt(a), 2),
            lambda x, y, axis: y.mean(axis) ** 0.5 - x.mean(axis) ** 0.5,
            2,
        ),
    ],
    ids=["mean", "std", "ratio", "of_means"],
)
def test_intervals_are_those_of_scipy(aggregate, function, width, method):
    rng = np.random.default_rng(12)
    items = rng.lognormal(size=(width, 150)) + np.arange(width)[:, None]
    theirs = stats.bootstrap(
        tuple(items),
        function,
        n_resamples=RESAMPLES,
        batch=500,
        paired=True,
        method=method,
        rng=np.random.default_rng(1),
    )
    ours = bootstrap(items[0] if width == 1 else items.T, aggregate, seed=2, resamples=RESAMPLES, method=method)
    assert close(ours, theirs.confidence_interval, theirs.standard_error)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_clustered_intervals_are_those_of_scipy_on_cluster_sums(method):
    rng = np.random.default_rng(13)
    ids = rng.integers(0, 80, 600)
    scores = rng.normal(size=80)[ids] + rng.random(600)
    sums = np.bincount(ids, weights=scores), np.bincount(ids).astype(float)
    theirs = stats.bootstrap(
        sums,
        lambda x, y, axis: x.sum(axis) / y.sum(axis),
        n_resamples=RESAMPLES,
        paired=True,
        method=method,
        rng=np.random.default_rng(1),
    )
    ours = bootstrap(scores, seed=2, clusters=ids, resamples=RESAMPLES, method=method)
    assert close(ours, theirs.confidence_interval, theirs.standard_error)


def test_permutation_is_that_of_scipy():
    rng = np.random.default_rng(14)
    first = rng.random(200)
    second = first + rng.normal(0.012, 0.1, 200)
    theirs = stats.permutation_test(
        (first, second),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(1),
    )
    ours = paired_permutation(first, second, seed=2, resamples=RESAMPLES)
    assert ours.difference == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue, abs=4 * np.sqrt(2 * 0.25 / RESAMPLES))


def test_holm_is_that_of_statsmodels():
    rng = np.random.default_rng(15)
    for size in (1, 2, 5, 40):
        p_values = rng.random(size) ** 3
        np.testing.assert_allclose(holm(p_values.tolist()), multipletests(p_values, method="holm")[1], rtol=1e-12)


def test_agreement_is_that_of_statsmodels_and_krippendorff():
    rng = np.random.default_rng(16)
    truth = rng.integers(0, 4, (120, 1))
    judgements = np.where(rng.random((120, 3)) < 0.7, truth, rng.integers(0, 4, (120, 3)))
    assert fleiss_kappa(judgements) == pytest.approx(their_kappa(aggregate_raters(judgements)[0]))
    gaps = np.where(rng.random((120, 3)) < 0.2, np.nan, judgements)
    for level in ("nominal", "ordinal", "interval", "ratio"):
        theirs = krippendorff.alpha(reliability_data=gaps.T, level_of_measurement=level)
        assert krippendorff_alpha(gaps, level) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(("rows", "conditions"), [(4, 3), (10, 7), (40, 7), (400, 12)])
def test_trend_is_that_of_scipy(rows, conditions):
    scores = np.random.default_rng(17).normal(size=(rows, conditions)) + 0.1 * np.arange(conditions)
    ours = page_trend(scores)
    theirs = stats.page_trend_test(scores, method="exact" if ours.exact else "asymptotic")
    assert ours.statistic == theirs.statistic
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)


class MeanOfNumbers(Metric):
    """The mean of hypotheses that are written numbers, for sacrebleu's tests to work on."""

    _SIGNATURE_TYPE = Signature

    def _check_corpus_score_args(self, hyps, refs):
        pass

    def _check_sentence_score_args(self, hyp, refs):
        pass

    def _aggregate_and_compute(self, stats):
        return self._compute_score_from_stats(np.array(stats).sum(axis=0))

    def _compute_score_from_stats(self, stats):
        return Score("mean", float(stats[0] / stats[1]))

    def _preprocess_segment(self, sent):
        return sent

    def _extract_reference_info(self, refs):
        return {}

    def _compute_segment_statistics(self, hypothesis, ref_kwargs):
        return [float(hypothesis), 1.0]


@pytest.fixture(scope="module")
def systems() -> list[np.ndarray]:
    """A baseline's scores, and those of systems that differ from it by more and more."""
    rng = np.random.default_rng(18)
    base = rng.random(300)
    return [base, *(base + rng.normal(shift, 0.15, 300) for shift in (0.0, 0.008, 0.015, 0.04))]


def theirs(systems, kind):
    """sacrebleu's results on the same numbers."""
    written = [(f"system {i}", [repr(float(x)) for x in scores]) for i, scores in enumerate(systems)]
    return PairedTest(written, {"mean": MeanOfNumbers()}, [[""] * 300], test_type=kind, n_samples=10_000)()[1]["mean"]


def error(p):
    """Four Monte-Carlo standard errors of the difference of two such p."""
    return 4 * np.sqrt(2 * p / 10_000) + 2e-4


def test_permutation_is_that_of_sacrebleu(systems):
    baseline, *results = theirs(systems, "ar")
    for scores, result in zip(systems[1:], results, strict=True):
        found = paired_permutation(systems[0], scores, seed=4, resamples=10_000)
        assert found.difference == pytest.approx(baseline.score - result.score, abs=1e-12)
        assert found.p == pytest.approx(result.p_value, abs=error(result.p_value))


def test_paired_bootstrap_draws_as_sacrebleu_does_and_counts_both_sides(systems):
    _, *results = theirs(systems, "bs")
    for scores, result in zip(systems[1:], results, strict=True):
        # Their p counts |d*| − mean |d*| > |d|; the same count on our draws gives it.
        drawn = np.abs(drawn_sums((systems[0] - scores)[None], 4, 10_000)[:, 0] / 300)
        observed = abs((systems[0] - scores).mean())
        count = (1 + np.sum(drawn - drawn.mean() > observed)) / 10_001
        assert count == pytest.approx(result.p_value, abs=error(result.p_value))
        interval = bootstrap(scores, seed=4)
        assert (interval.high - interval.low) / 2 == pytest.approx(result.ci, rel=0.05)
    # Far from zero theirs is one-sided, so ours is twice theirs there; it agrees with the normal and the permutation.
    found = paired_bootstrap(systems[0], systems[3], seed=4, resamples=10_000)
    differences = systems[0] - systems[3]
    z = differences.mean() / (differences.std() / np.sqrt(300))
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(z)), abs=error(found.p))
    assert found.p == pytest.approx(paired_permutation(systems[0], systems[3], seed=4).p, abs=2 * error(found.p))
