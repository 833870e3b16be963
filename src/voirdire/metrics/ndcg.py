"""Normalised discounted cumulative gain: are the candidates in the order of their relevance?

    NDCG = 1/N · Σ_i DCG_i / ideal DCG_i        DCG_i = Σ_{j: rank_j ≤ m} ρ_j / log2(rank_j + 1)

ρ_j     relevance of candidate j of round i, between 0 and 1; the ideal ranking sorts by it
m       number of candidates of non-zero relevance (dense-visdial, §3.1, and the challenge's own code); the words of
        Appendix B, all candidates that have a relevance score, are the cut-off "scored", where m is all of them
N       annotated rounds; one without a relevant candidate has no ideal ranking and is no case for the measure
Gain is linear. A tie takes the worst rank of its group, so that a constant score earns nothing.
"""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Key, Measure, identity, mean
from voirdire.stats.aggregate import FloatArray

__all__ = ["NDCG", "Cutoff", "gains"]

Cutoff = Literal["relevant", "scored"]


def gains(ranks: npt.ArrayLike, relevance: npt.ArrayLike, cutoff: Cutoff = "relevant") -> FloatArray:
    """One statistic a round, from ranks and relevances (rounds, candidates); NaN where nothing is relevant."""
    if cutoff not in get_args(Cutoff):
        raise ValueError(f"cutoff: {cutoff!r}; may be one of {', '.join(get_args(Cutoff))}")
    places, values = np.asarray(ranks), np.asarray(relevance, dtype=np.float64)
    if places.shape != values.shape or values.ndim != 2:
        raise ValueError(f"ranks, relevance: shapes {places.shape} and {values.shape}; both (rounds, candidates)")
    if not ((values >= 0) & (values <= 1)).all():
        bad = values[~((values >= 0) & (values <= 1))][0]
        raise ValueError(f"relevance: there is {bad}; from 0 to 1 is needed")
    candidates = values.shape[1]
    ideal = -np.sort(-values, axis=1)
    m = (values > 0).sum(axis=1, keepdims=True) if cutoff == "relevant" else candidates
    gain = _discounted(values, places, m).sum(axis=1)
    best = _discounted(ideal, np.arange(1, candidates + 1), m).sum(axis=1)
    shares: FloatArray = np.divide(gain, best, out=np.full(len(values), np.nan), where=best > 0)
    return shares


def _discounted(values: FloatArray, ranks: npt.NDArray[np.integer], m: npt.NDArray[np.integer] | int) -> FloatArray:
    return np.where(ranks <= m, values / np.log2(ranks + 1.0), 0.0)


NDCG = Measure(
    key=Key("ndcg"),
    label="NDCG",
    statistic=identity,
    of=("ndcg",),
    aggregate=mean,
    better="higher",
    description="gain of the ranking by human relevance, as a share of the best ranking's",
    citation="dense-visdial, §3.1 and Appendix B",
)
