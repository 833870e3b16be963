"""The columns of A, made ready once for very many targets.

Equal columns are one, columns of zeros are left out (their coefficient is 0), and where the columns span less than half
of their space all is rotated into their range. A is kept in single precision, as encoders give it; double precision is
made of few rows at a time, or kept where the rotation made the rows shorter.

    A = V R,  VᵀV = I,    ½‖Ax − b‖² = ½‖Rx − Vᵀb‖² + ½‖b − VVᵀb‖²

so the LASSO of (R, Vᵀb) is that of (A, b) up to a constant, with vectors as long as the rank. A column counts as inside
the range only if V gives it back to the rounding of double precision. Columns that merely look dependent, as single
precision leaves them, stay what they are: at small λ their last digits are as large as λ.

For those there is the main range, in which all columns lie but for a small leak. A residual may be large outside of it,
where it meets almost nothing of any column, and would drown the rest in a product of single precision. So that product
is taken with its part inside; what is left out is at most the leak times the part outside.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.certificate import LOST, highest
from voirdire.robustness.lasso.columns import (
    ColumnAnswer,
    ColumnAsk,
    Each,
    Float32,
    Float64,
    Int64,
    LassoColumns,
    Screening,
    WorkingSet,
    beyond,
    correlations,
    largest,
)

# Products of longer columns would overflow in single precision.
LONGEST = 1e18
CHUNK = 8192
# Directions that hold less than this share of the squares of the strongest are outside of the main range.
WEAK = 1e-12
# Columns, in lengths of one, that show whether there is any such direction.
SHOWING = 4


@dataclass(frozen=True, eq=False)
class Dictionary(LassoColumns):
    """Columns in this process's memory.

    single   float32[n, r], for the products over all columns
    exact    the rows without loss: `single` itself, or float64[n, r] after a rotation
    original float32[n, d], the columns as they came: `single` itself, or what was rotated
    leak     float64[n], what of each row is outside of the main range
    """

    single: Float32
    exact: Float32 | Float64
    original: Float32
    leak: Float64

    @classmethod
    def of(cls, vectors: npt.ArrayLike) -> "Dictionary":
        """The dictionary of vectors[n, d], whose rows are the columns of A. Double precision is rounded to single."""
        given = np.asarray(vectors)
        if given.ndim != 2 or given.dtype.kind not in "fiu":
            raise ValueError(f"`vectors` must be numbers of shape (n, d), got {given.dtype} of shape {given.shape}")
        with np.errstate(over="ignore"):
            rows = np.ascontiguousarray(given, dtype=np.float32)
        group, first = distinct([rows], rows.shape[1])
        kept = rows if len(first) == len(rows) else rows[first]
        twins = np.bincount(group[group >= 0], minlength=len(first))
        basis = basis_of_range(kept) if len(kept) else None
        if basis is not None:
            exact = np.concatenate(list(rotated(kept, basis)))
            single, nothing = exact.astype(np.float32), np.zeros(len(kept))
            return cls(norms_of(exact), group, twins, basis, None, rows.shape[1], single, exact, kept, nothing)
        main, leak = (main_range(kept) if len(kept) else None) or (None, np.zeros(len(kept)))
        return cls(norms_of(kept), group, twins, None, main, rows.shape[1], kept, kept, kept, leak)

    def screening(self, most: int, each: Each) -> Screening:
        return _Here(self, most, each)


class _Here:
    """All columns, where they are."""

    def __init__(self, dictionary: Dictionary, most: int, each: Each) -> None:
        self._dictionary, self._each = dictionary, each
        # To be used again: new memory costs as much as a product.
        self._room = np.empty((most, dictionary.count), np.float32)

    def see(self, asks: Sequence[ColumnAsk]) -> Sequence[ColumnAnswer]:
        values = correlations(self._dictionary.single, np.array([ask.vector for ask in asks]), self._each, self._room)
        return [_Row(self._dictionary, row, ask) for row, ask in zip(values, asks, strict=True)]

    def take(self, places: Sequence[Int64]) -> Iterator[list[WorkingSet]]:
        yield [WorkingSet(self._dictionary.exact, columns) for columns in places]

    def original(self, places: Int64) -> Float32:
        rows: Float32 = self._dictionary.original[places]
        return rows


class _Row:
    """What one problem sees: its products with all columns."""

    def __init__(self, dictionary: Dictionary, values: Float32, ask: ColumnAsk) -> None:
        self._dictionary, self._values, self._ask = dictionary, values, ask
        values[ask.left_out] = 0.0

    def largest(self, most: int) -> Int64:
        return largest(self._values, most)

    def beyond(self) -> int:
        return int(beyond(self._values, self._ask.beyond))

    def highest(self) -> tuple[float, float]:
        assert self._ask.check is not None
        space = self._dictionary
        return highest(space.exact, space.norms, space.leak, self._values, self._ask.check, self._ask.left_out)


def distinct(blocks: Iterable[Float32], length: int) -> tuple[Int64, Int64]:
    """The group of each row, by first appearance, and the first row of each group; rows of zeros are in none.

    blocks  the rows, some at a time, of which there may be more than fit into memory
    """
    # Minus zero equals zero, so bits are compared after adding zero, which turns the one into the other.
    groups: dict[bytes, int] = {}
    firsts: list[Int64] = []
    first: list[int] = []
    nothing, before = np.zeros(length, np.float32).tobytes(), 0
    for rows in blocks:
        # Sums of squares are finite in double precision where the numbers are, and NaN is not below any bound.
        if not (norms_of(rows) <= LONGEST).all():
            raise ValueError(f"`vectors` must be finite and of length {LONGEST:g} at most, got NaN, infinity or more")
        group = np.empty(len(rows), np.int64)
        for place, row in enumerate(rows):
            bits = (row + np.float32(0)).tobytes()
            if bits == nothing:
                group[place] = -1
                continue
            number = groups.setdefault(_digest(bits), len(first))
            if number == len(first):
                first.append(before + place)
            group[place] = number
        firsts.append(group)
        before += len(rows)
    return np.concatenate([np.empty(0, np.int64), *firsts]), np.asarray(first, np.int64)


def _digest(bits: bytes) -> bytes:
    # 186,027 rows of 4800 numbers would be held a second time as keys of the table: their hashes are short.
    from hashlib import blake2b

    return blake2b(bits, digest_size=16).digest()


def norms_of(rows: Float32 | Float64) -> Float64:
    """The length of each row, in double precision."""
    out = np.empty(len(rows))
    for start in range(0, len(rows), CHUNK):
        out[start : start + CHUNK] = np.linalg.norm(rows[start : start + CHUNK].astype(np.float64), axis=1)
    return out


def rotated(rows: Float32, basis: Float64) -> Iterator[Float64]:
    """The rows in the space of the basis, some at a time; so many that the last bits are always the same."""
    for start in range(0, len(rows), CHUNK):
        yield rows[start : start + CHUNK].astype(np.float64) @ basis


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
    some = rows[:: max(1, len(rows) // (SHOWING * length))]
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
