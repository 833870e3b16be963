"""Clusters on a line: by hand, against scikit-learn, and where rounding decides."""

import numpy as np
import pytest

from voirdire.answers.clusters import _by_hand, _by_library, top_cluster

pytestmark = pytest.mark.slow


def values(seed: int, n: int, m: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.normal(0.1, 0.2, (n - n // 2, m)), rng.beta(2, 5, (n // 2, m))])
    rows[::3, :10] = rows[::3, 10:20]
    return rows


def test_sigma_by_hand() -> None:
    row = np.array([[0.9, 0.8, 0.1, 0.0, 0.5]])
    assert 0.40 < row.std(ddof=1) < 0.41
    np.testing.assert_array_equal(top_cluster(row, "S"), [[True, True, False, False, True]])
    # Below the anchor by no more than the spread, however far above it.
    np.testing.assert_array_equal(top_cluster(row, "S", np.array([1])), [[True, True, False, False, True]])
    np.testing.assert_array_equal(top_cluster(row, "S", np.array([2])), [[True] * 5])


def test_ward_by_hand() -> None:
    row = np.array([[0.0, 0.9, 0.1, 0.5, 0.91]])
    np.testing.assert_array_equal(top_cluster(row, "G", clusters=3), [[False, True, False, False, True]])
    np.testing.assert_array_equal(top_cluster(row, "G", np.array([0]), 3), [[True, False, True, False, False]])
    np.testing.assert_array_equal(top_cluster(row, "G", np.array([3]), 4), [[False, False, False, True, False]])


@pytest.mark.parametrize("clusters", [3, 4, 5])
@pytest.mark.parametrize("m", [99, 100])
def test_ward_is_that_of_scikit_learn(clusters: int, m: int) -> None:
    rows = values(clusters, 60, m)
    anchors = np.random.default_rng(0).integers(0, m, len(rows))
    best = [_by_library(row, "G", None, clusters) for row in rows]
    np.testing.assert_array_equal(top_cluster(rows, "G", clusters=clusters), best)
    kept = [_by_library(row, "G", int(anchor), clusters) for row, anchor in zip(rows, anchors, strict=True)]
    np.testing.assert_array_equal(top_cluster(rows, "G", anchors, clusters), kept)


def plain_mean_shift(x: np.ndarray, anchor: int) -> np.ndarray:
    """The library's defaults read step by step, with nothing sorted."""
    apart = np.sort(np.abs(x[:, None] - x), axis=1)
    width = apart[:, int(0.3 * len(x)) - 1].mean()
    actual: dict[float, int] = {}
    for mean in x:
        for _ in range(301):
            near = x[np.abs(x - mean) <= width]
            old, mean = mean, near.mean()
            if abs(mean - old) <= 1e-3 * width:
                break
        actual[mean] = len(near)
    centres: list[float] = []
    for centre, _ in sorted(actual.items(), key=lambda item: (item[1], item[0]), reverse=True):
        if all(abs(centre - other) > width for other in centres):
            centres.append(centre)
    labels = np.abs(x[:, None] - np.array(centres)).argmin(axis=1)
    return labels == labels[anchor]


@pytest.mark.parametrize("m", [99, 100])
def test_mean_shift_is_the_plain_reading(m: int) -> None:
    rows = values(7, 100, m)
    anchors = np.random.default_rng(1).integers(0, m, len(rows))
    best = [plain_mean_shift(row, int(row.argmax())) for row in rows]
    np.testing.assert_array_equal(top_cluster(rows, "M"), best)
    kept = [plain_mean_shift(row, int(anchor)) for row, anchor in zip(rows, anchors, strict=True)]
    np.testing.assert_array_equal(top_cluster(rows, "M", anchors), kept)
    assert len({row.sum() for row in top_cluster(rows, "M")}) > 5


def test_mean_shift_is_that_of_scikit_learn() -> None:
    rows = values(8, 4, 99)
    np.testing.assert_array_equal(top_cluster(rows, "M"), [_by_library(row, "M", None, 5) for row in rows])


def test_equal_values_are_left_to_the_library() -> None:
    rows = np.full((1, 99), 0.25)
    assert _by_hand(rows, np.array([98]), 0)[2][0]
    assert top_cluster(rows, "M").all()
    rows[0, 7] = 0.75
    assert _by_hand(np.sort(rows), np.array([98]), 5)[2][0]
    for method in ("M", "G"):
        np.testing.assert_array_equal(np.flatnonzero(top_cluster(rows, method)), [7])  # type: ignore[arg-type]


def test_doubt_is_rare() -> None:
    line = np.sort(values(9, 300, 99), axis=1)
    for clusters in (0, 5):
        assert _by_hand(line, np.full(300, 98), clusters)[2].mean() < 0.01


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="`method` must be one of S, M, G, got 'H'"):
        top_cluster(np.zeros((1, 5)), "H")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`clusters` must be from 1 to 5, got 6"):
        top_cluster(np.zeros((1, 5)), "G", clusters=6)
