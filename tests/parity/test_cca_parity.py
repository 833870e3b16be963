"""CCA against other tools on the same pairs: scikit-learn's, statsmodels', and cca-zoo's where it is installed."""

import numpy as np
import pytest

from voirdire.answers.cca import Cca, solve
from voirdire.answers.cca.moments import DenseMoments
from voirdire.answers.exam import CcaOptions

pytestmark = pytest.mark.slow


def views(n: int = 3000, sizes: tuple[int, ...] = (20, 15)) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(n, 6)) * np.array([3, 2.5, 2, 1.5, 1, 0.5])
    return [hidden @ rng.normal(size=(6, size)) * 0.4 + rng.normal(size=(n, size)) + 1 for size in sizes]


def ours(data: list[np.ndarray], k: int) -> Cca:
    sums = DenseMoments([view.shape[1] for view in data])
    for start in range(0, len(data[0]), 700):
        sums.add(*(view[start : start + 700] for view in data))
    return solve(sums.moments(), CcaOptions(k=k))


def test_correlations_are_those_of_statsmodels() -> None:
    from statsmodels.multivariate.cancorr import CanCorr

    x, y = views()
    np.testing.assert_allclose(ours([x, y], 15).correlations, CanCorr(x, y).cancorr, atol=1e-9)


def test_the_first_components_are_those_of_scikit_learn() -> None:
    from sklearn.cross_decomposition import CCA

    x, y = views()
    cca = ours([x, y], 3)
    theirs = CCA(n_components=3, max_iter=5000, tol=1e-12).fit(x, y).transform(x, y)
    for view, data, projected in zip(cca.views, (x, y), theirs, strict=True):
        for i in range(3):
            together = np.corrcoef(cca.project(view, data)[:, i], projected[:, i])[0, 1]
            assert abs(together) == pytest.approx(1, abs=1e-5)


def test_correlations_are_those_of_cca_zoo() -> None:
    linear = pytest.importorskip("cca_zoo.linear", reason="cca-zoo comes with the extra dev")
    x, y = views()
    u, v = linear.CCA(n_components=15).fit([x, y]).transform([x, y])
    theirs = [np.corrcoef(u[:, i], v[:, i])[0, 1] for i in range(15)]
    np.testing.assert_allclose(ours([x, y], 15).correlations, np.sort(theirs)[::-1], atol=1e-4)
