"""Ranks from scores: the rank of the true answer, or of every candidate.

    rank_j = #{ k : s_k ≥ s_j }

s_j  the score of candidate j of a round; higher is better.
Ranks are counted from 1. A tie takes the worst rank of its group, so that a constant score earns nothing. No sorting is
needed for the true answer alone: its score is compared with all of its round and the comparisons are summed.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["all_ranks", "true_ranks"]

BLOCK = 1024
"""Rounds that are compared at once, so that their scores stay in the processor's cache."""

Ranks = npt.NDArray[np.int64]


def true_ranks(scores: npt.ArrayLike, truth: npt.ArrayLike) -> Ranks:
    """The rank of candidate `truth[i]` among `scores[i]`, for every round i of scores (rounds, candidates)."""
    table = _checked(scores)
    places = np.asarray(truth)
    if places.shape != table.shape[:1] or places.dtype.kind not in "iu":
        raise ValueError(f"truth: shape {places.shape} of {places.dtype}; one place a round is needed, {len(table)}")
    if len(table) and not 0 <= places.min() <= places.max() < table.shape[1]:
        bad = places[(places < 0) | (places >= table.shape[1])][0]
        raise ValueError(f"truth: there is {bad}; a place from 0 to {table.shape[1] - 1} is needed")
    own = np.take_along_axis(table, places[:, None], axis=1)
    ranks = np.empty(len(table), dtype=np.int64)
    count = np.uint8 if table.shape[1] < 256 else np.int64  # Bytes are added up several times as fast, and will do.
    for start in range(0, len(table), BLOCK):
        block = slice(start, start + BLOCK)
        above = table[block] >= own[block]
        ranks[block] = np.add.reduce(above.view(np.uint8), axis=1, dtype=count)
    return ranks


def all_ranks(scores: npt.ArrayLike) -> Ranks:
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
        raise ValueError(f"scores: shape {table.shape}; (rounds, candidates) with at least one candidate is needed")
    if table.dtype.kind != "f":
        table = table.astype(np.float64)
    if table.size and np.isnan(table.min()):  # A minimum with NaN in it is NaN.
        row = int(np.flatnonzero(np.isnan(table).any(axis=1))[0])
        raise ValueError(f"scores: round {row} (counted from 0) has NaN; every candidate needs a number")
    return table
