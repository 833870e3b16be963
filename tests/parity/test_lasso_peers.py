"""The LASSO beside the solvers of scikit-learn, skglm and celer, where they converge."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Lasso, lars_path

from voirdire.robustness.lasso import Dictionary, solve_lasso

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
