"""The products of columns with vectors."""

import numpy as np
import pytest

from voirdire.engine.threads import one_thread
from voirdire.robustness.lasso.columns import (
    BLOCK,
    beyond,
    correlate,
    correlations,
    inner,
    largest,
)


def one_by_one(function, tasks) -> None:
    for task in tasks:
        function(task)


def backward(function, tasks) -> None:
    for task in reversed(list(tasks)):
        function(task)


class TestProducts:
    def test_equal_double_precision(self) -> None:
        rng = np.random.default_rng(0)
        rows, places = rng.normal(size=(30, 17)).astype(np.float32), np.array([3, 29, 0, 4, 8, 3, 11])
        vector, out = rng.normal(size=17), np.empty(7)
        correlate(rows, places, 7, vector, out)
        np.testing.assert_allclose(out, rows[places].astype(np.float64) @ vector, rtol=1e-13)
        assert inner(rows[0], vector) == pytest.approx(rows[0].astype(np.float64) @ vector, rel=1e-14)


class TestCorrelations:
    def test_all_correlations_whatever_the_order_of_the_blocks(self) -> None:
        rng = np.random.default_rng(4)
        rows, vectors = rng.normal(size=(BLOCK + 300, 12)).astype(np.float32), rng.normal(size=(67, 12))
        with one_thread():
            found, again = (
                correlations(rows, vectors, each, np.empty((70, len(rows)), np.float32))
                for each in (one_by_one, backward)
            )
        assert found.shape == (67, BLOCK + 300)
        np.testing.assert_allclose(found, vectors @ rows.T.astype(np.float64), atol=1e-4)
        assert found.tobytes() == again.tobytes()

    def test_the_largest(self) -> None:
        values = np.array([0.1, -0.9, 0.5, 0.7, -0.2], np.float32)
        assert largest(np.append(values, np.float32(0)), 10).tolist() == [0, 1, 2, 3, 4]
        many = np.random.default_rng(5).normal(size=20_000).astype(np.float32)
        found = largest(many, 500)
        assert 350 < len(found) < 650
        assert np.abs(many[found]).min() > np.abs(np.delete(many, found)).max()
        assert beyond(values, 0.5) == 2
