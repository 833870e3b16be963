"""Intervals, paired tests, correction, agreement and trend, all from per-item statistics."""

from voirdire.stats.aggregate import Aggregate, mean, of_means, of_sums, ratio, std
from voirdire.stats.agreement import alpha_interval, fleiss_kappa, kappa_interval, krippendorff_alpha
from voirdire.stats.bootstrap import Interval, bootstrap
from voirdire.stats.paired import Paired, Trend, holm, page_trend, paired_bootstrap, paired_permutation

__all__ = [
    "Aggregate",
    "Interval",
    "Paired",
    "Trend",
    "alpha_interval",
    "bootstrap",
    "fleiss_kappa",
    "holm",
    "kappa_interval",
    "krippendorff_alpha",
    "mean",
    "of_means",
    "of_sums",
    "page_trend",
    "paired_bootstrap",
    "paired_permutation",
    "ratio",
    "std",
]
