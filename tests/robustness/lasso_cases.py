"""Problems of every shape that the solver meets, and the conditions that an answer must fulfil."""

import numpy as np

from voirdire.robustness.lasso import Dictionary, Solution
from voirdire.robustness.lasso.active import Slots, join
from voirdire.robustness.lasso.columns import WorkingSet

NONE = np.empty(0, np.int64)


def unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1 in single precision."""
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def sentence_like(rng: np.random.Generator, n: int, d: int, topics: int = 12) -> np.ndarray:
    """Unit vectors in clusters, as sentence embeddings are."""
    return unit(rng.normal(size=(topics, d))[rng.integers(0, topics, n)] + 0.6 * rng.normal(size=(n, d)))


def columns_of(dictionary: Dictionary, solution: Solution) -> np.ndarray:
    """x over the columns as they came: the first of equal columns carries the coefficient."""
    x = np.zeros(len(dictionary.group))
    for row, value in zip(solution.columns, solution.coefficients, strict=True):
        x[np.flatnonzero(dictionary.group == row)[0]] = value
    return x


def check_optimal(a: np.ndarray, b: np.ndarray, x: np.ndarray, penalty: float, share: float = 1e-6) -> None:
    """The KKT conditions in double precision: a_j·r = λ·sign(x_j) where x_j ≠ 0, |a_j·r| ≤ λ elsewhere."""
    rows = a.astype(np.float64)
    c = rows @ (b.astype(np.float64) - x @ rows)
    assert np.abs(c).max(initial=0.0) <= penalty * (1 + share)
    inside = x != 0
    assert np.abs(c[inside] - penalty * np.sign(x[inside])).max(initial=0.0) <= penalty * share


def whole(rows: np.ndarray) -> WorkingSet:
    """All rows as a working set."""
    return WorkingSet(rows, np.arange(len(rows)))


def slots_of(rows: np.ndarray, places: list[int] | None = None) -> Slots:
    """Slots for these rows, none of them active; all rows, each in the slot of its number, where none are named."""
    slots = Slots(whole(rows), rows.shape[1], NONE, np.empty(0), np.empty(0))
    slots.assign(np.arange(len(rows)) if places is None else np.array(places, np.int64))
    return slots


def activate(rows: np.ndarray, places: list[int], x: list[float]) -> Slots:
    slots = slots_of(rows)
    for place, value in zip(places, x, strict=True):
        assert join(slots.active, place, np.sign(value), 0.0)
        slots.active.x[place] = value
    return slots


def inverse_of(slots: Slots) -> np.ndarray:
    lower = np.tril(slots.keep()[1])
    return lower + np.tril(lower, -1).T


def gram_inverse(rows: np.ndarray, slots: Slots) -> np.ndarray:
    taken = rows[slots.place[slots.members]].astype(np.float64)
    return np.linalg.inv(taken @ taken.T)
