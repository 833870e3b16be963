"""The range of A, where it is smaller than the space: columns and targets are rotated into it.

    A = V R,  VᵀV = I,    ½‖Ax − b‖² = ½‖Rx − Vᵀb‖² + ½‖b − VVᵀb‖²

so the LASSO of (R, Vᵀb) is that of (A, b) up to a constant, with vectors as long as the rank. A column counts as inside
the range only if V gives it back to the rounding of double precision. Columns that merely look dependent, as single
precision leaves them, stay what they are: at small λ their last digits are as large as λ.

For those there is the main range, in which all columns lie but for a small leak. A residual may be large outside of it,
where it meets almost nothing of any column, and would drown the rest in a product of single precision. So that product
is taken with its part inside; what is left out is at most the leak times the part outside.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

__all__ = ["basis_of_range", "main_range"]

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]

# What V may fail to give back of a column, as a share of its length.
LOST = 1e-13
CHUNK = 8192
# Directions that hold less than this share of the squares of the strongest are outside of the main range.
WEAK = 1e-12
# Columns, in lengths of one, that show whether there is any such direction.
SAMPLE = 4


def basis_of_range(rows: Float32) -> Float64 | None:
    """V, float64[d, rank], or None where the rank is more than half of d and a rotation would not pay.

    rows  the columns of A, none of them 0
    """
    length = rows.shape[1]
    basis = np.empty((length, 0))
    # Columns that the basis does not give back yet extend it; half as many as the space is long, and it is given up.
    # The first piece is just large enough for that.
    first = min(CHUNK, length // 2 + 1)
    for start, stop in pairwise([0, *range(first, len(rows), CHUNK), len(rows)]):
        chunk = rows[start:stop].astype(np.float64)
        size = np.linalg.norm(chunk, axis=1, keepdims=True)
        chunk /= size
        while True:
            lost = chunk - (chunk @ basis) @ basis.T
            lost -= (lost @ basis) @ basis.T
            far = np.linalg.norm(lost, axis=1)
            if not (far > LOST).any():
                break
            basis = np.column_stack([basis, _directions(lost, far)])
            if 2 * basis.shape[1] > length:
                return None
    return basis


def _directions(lost: Float64, far: Float64) -> Float64:
    """Orthonormal directions of what is lost, those of which it holds most."""
    from scipy.linalg import qr

    worst = lost[np.argsort(-far, kind="stable")[: lost.shape[1]]]
    q, r, _ = qr(worst.T, mode="economic", pivoting=True)
    weight = np.abs(np.diag(r))
    # Those of about the same weight are taken together; what is far smaller is judged anew without their rounding.
    kept: Float64 = q[:, : max(1, int((weight > 1e-3 * weight[0]).sum()))]
    return kept


def main_range(rows: Float32) -> tuple[Float64, Float64] | None:
    """V of the main range, float64[d, r], and the leak of each column, ‖a − VVᵀa‖; None where it is the whole space."""
    length = rows.shape[1]
    some = rows[:: max(1, len(rows) // (SAMPLE * length))]
    if len(some) >= length and _strong(some).shape[1] == length:
        return None
    basis = _strong(rows)
    if basis.shape[1] == length:
        return None
    leak = np.empty(len(rows))
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK].astype(np.float64)
        leak[start : start + CHUNK] = np.linalg.norm(chunk - (chunk @ basis) @ basis.T, axis=1)
    return basis, leak


def _strong(rows: Float32) -> Float64:
    squares = np.zeros((rows.shape[1], rows.shape[1]))
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK].astype(np.float64)
        squares += chunk.T @ chunk
    weight, directions = np.linalg.eigh(squares)
    kept: Float64 = directions[:, weight > WEAK * weight[-1]]
    return kept
