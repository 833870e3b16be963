"""Problems of every shape that the solver meets, and the conditions that an answer must fulfil."""

import numpy as np

from voirdire.robustness.lasso import Dictionary, Solution

__all__ = ["check_optimal", "columns_of", "sentence_like", "unit"]


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
