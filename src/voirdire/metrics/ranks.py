"""How high a ranking has the right answers: ranks from scores, MRR, mean rank, recall and NDCG.

    rank_j = #{ k : s_k ≥ s_j }                      s_j: the score of candidate j of a round; higher is better
    MRR    = 1/N · Σ_i 1 / rank_i                    rank_i: of the true answer of round i
    MR     = 1/N · Σ_i rank_i
    R@k    = 1/N · Σ_i [rank_i ≤ k]                  k = 1, 5, 10
    NDCG   = 1/N · Σ_i DCG_i / ideal DCG_i           DCG_i = Σ_{j: rank_j ≤ m} ρ_j / log2(rank_j + 1)

Ranks are counted from 1 (dense-visdial, §3.1). A tie takes the worst rank of its group, so that a constant score earns
nothing. No sorting is needed for the true answer alone: its score is compared with all of its round and the comparisons
are summed. Of NDCG, whose gain is linear:

ρ_j     relevance of candidate j of round i, between 0 and 1; the ideal ranking sorts by it
m       number of candidates of non-zero relevance (dense-visdial, §3.1, and the challenge's own code); the words of
        Appendix B, all candidates that have a relevance score, are the cut-off "scored", where m is all of them
N       annotated rounds; one without a relevant candidate has no ideal ranking and is no case for the measure
"""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Key, Measure, mean
from voirdire.stats.aggregate import FloatArray

BLOCK = 1024
"""Rounds that are compared at once, so that their scores stay in the processor's cache."""

Int64 = npt.NDArray[np.int64]
Cutoff = Literal["relevant", "scored"]


def true_ranks(scores: npt.ArrayLike, truth: npt.ArrayLike) -> Int64:
    """The rank of candidate `truth[i]` among `scores[i]`, for every round i of scores (rounds, candidates)."""
    table = _checked(scores)
    places = np.asarray(truth)
    if places.shape != table.shape[:1] or places.dtype.kind not in "iu":
        raise ValueError(
            f"`truth` must be one place per round, so ({len(table)},), got shape {places.shape} of {places.dtype}"
        )
    if len(table) and not 0 <= places.min() <= places.max() < table.shape[1]:
        bad = places[(places < 0) | (places >= table.shape[1])][0]
        raise ValueError(f"`truth` must be places from 0 to {table.shape[1] - 1}, got {bad}")
    own = np.take_along_axis(table, places[:, None], axis=1)
    ranks = np.empty(len(table), dtype=np.int64)
    count = np.uint8 if table.shape[1] < 256 else np.int64  # Bytes are added up several times as fast, and will do.
    for start in range(0, len(table), BLOCK):
        block = slice(start, start + BLOCK)
        above = table[block] >= own[block]
        ranks[block] = np.add.reduce(above.view(np.uint8), axis=1, dtype=count)
    return ranks


def all_ranks(scores: npt.ArrayLike) -> Int64:
    """The rank of every candidate of scores (rounds, candidates)."""
    table = _checked(scores)
    rounds, candidates = table.shape
    order = np.argsort(-table, axis=1, kind="stable")
    sorted_ = np.take_along_axis(table, order, axis=1)
    # The last place of each group of equal scores, handed backward to the whole group.
    last = np.ones((rounds, candidates), dtype=np.bool_)
    last[:, :-1] = sorted_[:, :-1] != sorted_[:, 1:]
    places = np.where(last, np.arange(1, candidates + 1), candidates)
    places = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty((rounds, candidates), dtype=np.int64)
    np.put_along_axis(ranks, order, places, axis=1)
    return ranks


def _checked(scores: npt.ArrayLike) -> npt.NDArray[np.floating]:
    table = np.asarray(scores)
    if table.ndim != 2 or table.shape[1] < 1:
        raise ValueError(f"`scores` must be (rounds, candidates) with at least one candidate, got shape {table.shape}")
    if table.dtype.kind != "f":
        table = table.astype(np.float64)
    if table.size and np.isnan(table.min()):  # A minimum with NaN in it is NaN.
        row = int(np.flatnonzero(np.isnan(table).any(axis=1))[0])
        raise ValueError(f"`scores` must be a number for every candidate, got NaN in round {row} (counted from 0)")
    return table


def reciprocal_rank(rank: npt.NDArray[np.integer]) -> FloatArray:
    """One statistic per round: 1 / rank."""
    return 1.0 / rank


MRR = Measure(
    Key("mrr"),
    reciprocal_rank,
    mean,
    "higher",
    label="MRR",
    description="mean reciprocal rank of the true answer",
    citation="dense-visdial, §3.1",
)
MR = Measure.averaged(
    "mr",
    "lower",
    of=("rank",),
    label="mean rank",
    description="mean rank of the true answer",
    citation="dense-visdial, §3.1",
)


def recall_at(k: int) -> Measure:
    """The measure `recall@k`: one statistic per round, whether the rank is at most k."""
    if k < 1:
        raise ValueError(f"`k` must be at least 1, got {k}")

    def within(rank: npt.NDArray[np.integer]) -> FloatArray:
        return (rank <= k).astype(np.float64)

    return Measure(
        Key("recall", k),
        within,
        mean,
        "higher",
        label=f"R@{k}",
        description=f"share of rounds whose true answer is among the first {k}",
        citation="dense-visdial, §3.1",
        share=True,
    )


RECALLS = (recall_at(1), recall_at(5), recall_at(10))


def gains(ranks: npt.ArrayLike, relevance: npt.ArrayLike, cutoff: Cutoff = "relevant") -> FloatArray:
    """One statistic per round, from ranks and relevances (rounds, candidates); NaN where nothing is relevant."""
    if cutoff not in get_args(Cutoff):
        raise ValueError(f"`cutoff` must be one of {', '.join(get_args(Cutoff))}, got {cutoff!r}")
    places, values = np.asarray(ranks), np.asarray(relevance, dtype=np.float64)
    if places.shape != values.shape or values.ndim != 2:
        raise ValueError(
            f"`ranks` and `relevance` must both be (rounds, candidates), got shapes {places.shape} and {values.shape}"
        )
    if not ((values >= 0) & (values <= 1)).all():
        bad = values[~((values >= 0) & (values <= 1))][0]
        raise ValueError(f"`relevance` must be from 0 to 1, got {bad}")
    candidates = values.shape[1]
    ideal = -np.sort(-values, axis=1)
    m = (values > 0).sum(axis=1, keepdims=True) if cutoff == "relevant" else candidates
    gain = _discounted(values, places, m).sum(axis=1)
    best = _discounted(ideal, np.arange(1, candidates + 1), m).sum(axis=1)
    shares: FloatArray = np.divide(gain, best, out=np.full(len(values), np.nan), where=best > 0)
    return shares


def _discounted(values: FloatArray, ranks: npt.NDArray[np.integer], m: npt.NDArray[np.integer] | int) -> FloatArray:
    return np.where(ranks <= m, values / np.log2(ranks + 1.0), 0.0)


NDCG = Measure.averaged(
    "ndcg",
    "higher",
    label="NDCG",
    description="gain of the ranking by human relevance, as a share of the best ranking's",
    citation="dense-visdial, §3.1 and Appendix B",
)
