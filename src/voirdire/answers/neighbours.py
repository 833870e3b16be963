"""The train rounds whose questions are nearest to a question, in blocks, so that no whole matrix of distances is held.

    near(q) = the first n train rounds by descending q·t            (correlation, for unit vectors)
              or by ascending ‖q − t‖² = ‖q‖² + ‖t‖² − 2 q·t        (L2)

Vectors are compared once for each distinct question; the rounds that ask it then follow each other in the order of the
file. Every product has the same shape, the last block being filled up with zeros.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from voirdire.progress import Progress, silent

__all__ = ["nearest_rounds"]

ROWS, COLUMNS = 256, 8192

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


def nearest_rounds(
    queries: Float64,
    train: Float64,
    asked: Int64,
    n: int,
    by: Literal["correlation", "l2"],
    report: Progress = silent,
) -> Int64:
    """int64[queries, n]: rounds of train, nearest first.

    queries  float64[q, d], distinct questions
    train    float64[t, d], distinct questions of train
    asked    the question of each round of train: a row of `train`
    """
    if len(asked) < n:
        raise ValueError(f"asked: {len(asked)} rounds came, at least n = {n} may come")
    rounds = np.argsort(asked, kind="stable")
    times = np.bincount(asked, minlength=len(train))
    first = np.concatenate([[0], np.cumsum(times)])
    found = np.empty((len(queries), n), np.int64)
    report(0, len(queries))
    for start in range(0, len(queries), ROWS):
        block = _filled(queries[start : start + ROWS], ROWS)
        questions = _nearest(block, train, min(n, len(train)), by)
        for row, near in enumerate(questions[: len(queries) - start]):
            parts = [rounds[first[question] : first[question + 1]] for question in near.tolist()]
            found[start + row] = np.concatenate(parts)[:n]
        report(min(start + ROWS, len(queries)), len(queries))
    return found


def _nearest(block: Float64, train: Float64, n: int, by: Literal["correlation", "l2"]) -> Int64:
    """int64[ROWS, n]: distinct train questions, nearest first; of equally near ones the earlier first."""
    best = np.full((len(block), 0), 0.0)
    places = np.empty((len(block), 0), np.int64)
    for start in range(0, len(train), COLUMNS):
        columns = train[start : start + COLUMNS]
        products = (block @ _filled(columns, COLUMNS).T)[:, : len(columns)]
        far = -products if by == "correlation" else (columns**2).sum(axis=1) - 2 * products
        best = np.concatenate([best, far], axis=1)
        places = np.concatenate([places, np.tile(np.arange(start, start + len(columns)), (len(block), 1))], axis=1)
        if best.shape[1] > n:
            order = np.argpartition(best, n - 1, axis=1)[:, :n]
            # All that are as far as the last one kept, so that the earlier of them can be chosen.
            order = _earlier_first(best, places, order, n)
            best, places = np.take_along_axis(best, order, axis=1), np.take_along_axis(places, order, axis=1)
    order = np.lexsort((places, best), axis=1)
    return np.take_along_axis(places, order, axis=1)


def _earlier_first(best: Float64, places: Int64, chosen: Int64, n: int) -> Int64:
    """The chosen columns, but of columns as far as the farthest chosen one those of the earliest places."""
    limit = np.take_along_axis(best, chosen, axis=1).max(axis=1, keepdims=True)
    ties = (best == limit).sum(axis=1) > (np.take_along_axis(best, chosen, axis=1) == limit).sum(axis=1)
    for row in np.flatnonzero(ties).tolist():
        chosen[row] = np.lexsort((places[row], best[row]))[:n]
    return chosen


def _filled(rows: Float64, n: int) -> Float64:
    """The rows, with rows of zeros up to n."""
    if len(rows) == n:
        return rows
    return np.concatenate([rows, np.zeros((n - len(rows), rows.shape[1]))])
