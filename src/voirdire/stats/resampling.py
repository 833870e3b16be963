"""Sums over resampled clusters. Each resample takes whole clusters; what they hold was added up beforehand.

Drawing is exact: every cluster is drawn with the same probability, as often as there are clusters. Resample b of a seed
is the same however many others are made, and whatever columns are added up along it.
"""

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import FloatArray

__all__ = ["RESAMPLES", "Seed", "drawn_sums", "swapped_sums"]

RESAMPLES = 10_000
MOST = 2**32 - 1

Seed = int | np.random.Generator


def drawn_sums(sums: FloatArray, seed: Seed, resamples: int = RESAMPLES) -> FloatArray:
    """Bootstrap: sums (K, clusters) over clusters drawn with replacement, (resamples, K)."""
    from voirdire.stats.kernels import sum_drawn

    key = _key(seed, sums, resamples)
    out = np.empty((resamples, len(sums)))
    # A column that is the same in every cluster (their number, or their size) is the same in every resample.
    varying = np.ptp(sums, axis=1) > 0
    out[:, ~varying] = sums[~varying, 0] * sums.shape[1]
    drawn = np.empty((resamples, int(varying.sum())))
    sum_drawn(np.ascontiguousarray(sums[varying]), key, drawn)
    out[:, varying] = drawn
    return out


def swapped_sums(first: FloatArray, second: FloatArray, seed: Seed, resamples: int = RESAMPLES) -> FloatArray:
    """Permutation: sums (K, clusters) of `first` with half of the clusters, by fair coins, taken from `second`.

    Gives (resamples, K); the other system's sums are what is left: total of both minus these. Where there are no more
    swaps than that in all, each but the empty one comes once, so that a test of them is exact.
    """
    from voirdire.stats.kernels import sum_swapped

    change = second - first
    key = _key(seed, change, resamples)
    clusters = change.shape[1]
    if 2**clusters - 1 <= resamples:
        swaps = np.arange(1, 2**clusters)[:, np.newaxis] >> np.arange(clusters) & 1
        every: FloatArray = first.sum(axis=1) + np.einsum("bc,kc->bk", swaps, change)
        return every
    out = np.zeros((resamples, len(change)))
    # A column that both systems share (the number of cases) stays as it is.
    moving = change.any(axis=1)
    swapped = np.empty((resamples, int(moving.sum())))
    sum_swapped(np.ascontiguousarray(change[moving]), key, swapped)
    out[:, moving] = swapped
    out += first.sum(axis=1)
    return out


def _key(seed: Seed, sums: FloatArray, resamples: int) -> npt.NDArray[np.uint64]:
    if resamples < 1:
        raise ValueError(f"resamples: {resamples}; at least 1 is needed")
    if not 1 <= sums.shape[1] <= MOST:
        raise ValueError(f"sums: {sums.shape[1]} clusters; from 1 to {MOST:,} can be resampled")
    rng = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)
    return rng.integers(0, 2**64, size=2, dtype=np.uint64)
