"""The inner loops of the probe. Import this module late: it brings numba.

    add_rows    out_i = A[a_i] + B[b_i]
    drop        h_k = h_k · [u_k >= p] / (1 − p)          u_k from a hash of the key and of k, so that no state is kept
    pull_back   x_i = (g_i V) ∘ d_i ∘ (1 − (1 − p) d_i),  added to A'[a_i] and to B'[b_i]

`pull_back` goes back through dropout and sigmoid at once: with s the sigmoid, d = s / (1 − p) where it was kept and 0
where it was dropped, so d (1 − (1 − p) d) is dropout's factor times s (1 − s) in both cases. All loops run over rows
that fit in the first cache.
"""

from typing import Any

import numpy as np

from voirdire.stats.compiled import compiled

__all__ = ["add_rows", "drop", "pull_back"]

PIECES = 4
"""Numbers of 16 bits in one hash."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@compiled
def add_rows(first: Any, second: Any, a: Any, b: Any, out: Any) -> None:
    """out (n, h) = first[a] + second[b]."""
    for i in range(len(a)):
        left, right, row = first[a[i]], second[b[i]], out[i]
        for j in range(len(row)):
            row[j] = left[j] + right[j]


@compiled
def drop(hidden: Any, key: Any, threshold: Any, scale: Any) -> None:
    """Multiply each number of `hidden` (flat) by `scale`, or by 0 where its 16 random bits are below `threshold`."""
    zero = scale - scale
    words = np.empty((len(hidden) + PIECES - 1) // PIECES, np.uint64)
    for place in range(len(words)):
        # SplitMix64: the number of the place, spread by an odd constant and mixed.
        bits = key + np.uint64(place + 1) * GOLDEN
        bits = (bits ^ (bits >> np.uint64(30))) * FIRST
        bits = (bits ^ (bits >> np.uint64(27))) * SECOND
        words[place] = bits ^ (bits >> np.uint64(31))
    # A loop of its own, which the compiler can make wide.
    drawn = words.view(np.uint16)
    for k in range(len(hidden)):
        hidden[k] *= scale if drawn[k] >= threshold else zero


@compiled(fastmath={"contract"})
def pull_back(gradient: Any, output: Any, dropped: Any, keep: Any, a: Any, b: Any, to_a: Any, to_b: Any) -> None:
    """From the gradient of the scores (n, c) to that of the rows that were added; `dropped` is what dropout left."""
    pulled = np.empty(dropped.shape[1], dropped.dtype)
    one = keep / keep
    for i in range(len(a)):
        row, left, right = dropped[i], to_a[a[i]], to_b[b[i]]
        for j in range(len(row)):
            pulled[j] = gradient[i, 0] * output[0, j]
        for c in range(1, output.shape[0]):
            for j in range(len(row)):
                pulled[j] += gradient[i, c] * output[c, j]
        for j in range(len(row)):
            x = pulled[j] * row[j] * (one - keep * row[j])
            left[j] += x
            right[j] += x
