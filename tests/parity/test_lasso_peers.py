"""The LASSO beside the solvers of scikit-learn, skglm and celer, where they converge."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Lasso, lars_path

from voirdire.robustness.lasso import Dictionary, solve_lasso
from voirdire.robustness.rankers import make_lasso

pytestmark = pytest.mark.slow

D = 32


def vectors(rng: np.random.Generator, n: int) -> np.ndarray:
    rows = rng.normal(size=(8, D))[rng.integers(0, 8, n)] + rng.normal(size=(n, D))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


RNG = np.random.default_rng(0)
POOL, MAIN = vectors(RNG, 800), vectors(RNG, 4)


def ours(penalty: float) -> tuple[np.ndarray, list[float]]:
    found = solve_lasso(Dictionary.of(POOL), MAIN, penalty)
    assert [one.status for one in found] == ["certified"] * len(MAIN)
    x = np.zeros((len(MAIN), len(POOL)))
    for row, one in zip(x, found, strict=True):
        row[one.columns] = one.coefficients
    return x, [one.objective for one in found]


def objective(b: np.ndarray, x: np.ndarray, penalty: float) -> float:
    left = b.astype(np.float64) - x @ POOL.astype(np.float64)
    return float(0.5 * left @ left + penalty * np.abs(x).sum())


def alike(theirs: np.ndarray, penalty: float, atol: float) -> None:
    x, values = ours(penalty)
    for b, mine, value, other in zip(MAIN, x, values, theirs, strict=True):
        assert objective(b, mine, penalty) == pytest.approx(value, rel=1e-9)
        assert objective(b, other, penalty) == pytest.approx(value, rel=1e-6)
        np.testing.assert_allclose(mine, other, atol=atol)


@pytest.mark.parametrize("penalty", [0.1, 0.01, 1e-3])
def test_scikit_learn_by_coordinates(penalty: float) -> None:
    model = Lasso(alpha=penalty / D, fit_intercept=False, tol=1e-10, max_iter=200_000)
    theirs = np.array([model.fit(POOL.T.astype(np.float64), b.astype(np.float64)).coef_.copy() for b in MAIN])
    alike(theirs, penalty, atol=1e-4)


@pytest.mark.parametrize("penalty", [0.1, 0.01])
def test_scikit_learn_by_its_path(penalty: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = np.array(
            [
                lars_path(
                    POOL.T.astype(np.float64),
                    b.astype(np.float64),
                    method="lasso",
                    alpha_min=penalty / D,
                    return_path=False,
                )[2]
                for b in MAIN
            ]
        )
    alike(theirs, penalty, atol=1e-5)


@pytest.mark.parametrize("penalty", [0.1, 0.01])
@pytest.mark.parametrize("package", ["skglm", "celer"])
def test_solvers_with_working_sets(package: str, penalty: float) -> None:
    module = pytest.importorskip(package)
    model = module.Lasso(alpha=penalty / D, fit_intercept=False, tol=1e-12)
    theirs = np.array(
        [model.fit(np.asfortranarray(POOL.T, np.float64), b.astype(np.float64)).coef_.copy() for b in MAIN]
    )
    alike(theirs, penalty, atol=1e-4)


class Table:
    """Rows of numbers under the names 0, 1, …"""

    name, signature, dimension = "table", "ab", D

    def __init__(self, rows: np.ndarray) -> None:
        self._rows = rows

    def encode(self, texts) -> np.ndarray:
        return self._rows[[int(text) for text in texts]]


@pytest.mark.parametrize("alpha", [1e-3, 1e-4, 1e-5])
def test_scikit_learn_with_its_intercept(alpha: float) -> None:
    """`objective="scikit-learn"` is what its Lasso does of itself: squares divided by 2d, and an intercept."""
    # Vectors far from mean 0, so that an intercept has something to do.
    rows = np.concatenate([POOL, MAIN]) + RNG.normal(0.1, 0.05, size=(len(POOL) + len(MAIN), 1)).astype(np.float32)
    names = [str(number) for number in range(len(rows))]
    pool, main, nobody = names[: len(POOL)], names[len(POOL) :], [np.empty(0, np.int64)] * len(MAIN)
    found = make_lasso(pool, Table(rows), alpha, "scikit-learn").rank(main, nobody, 100)
    assert found.certificates["status"].tolist() == ["certified"] * len(MAIN)
    plain = make_lasso(pool, Table(rows), alpha * D).rank(main, nobody, 100)
    model = Lasso(alpha=alpha, tol=1e-13, max_iter=1_000_000)
    for row, b in enumerate(rows[len(POOL) :].astype(np.float64)):
        theirs = np.maximum(model.fit(rows[: len(POOL)].T.astype(np.float64), b).coef_, 0)
        assert abs(model.intercept_) > 1e-6
        ours, without = np.zeros((2, len(POOL)))
        for one, into in ((found, ours), (plain, without)):
            kept = one.places[row] >= 0
            into[one.places[row][kept]] = one.scores[row][kept]
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
        assert np.abs(without - theirs).max() > 1e-3
