"""The columns of A, made ready once for very many targets.

Equal columns are one, columns of zeros are left out (their coefficient is 0), and where the columns span less than half
of their space all is rotated into their range. A is kept in single precision, as encoders give it; double precision is
made of few rows at a time, or kept where the rotation made the rows shorter.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.reduction import CHUNK, basis_of_range, main_range

__all__ = ["Dictionary"]

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

# Products of longer columns would overflow in single precision.
LONGEST = 1e18


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Distinct columns of A, one a row.

    single   float32[n, r], for the products over all columns
    exact    the rows without loss: `single` itself, or float64[n, r] after a rotation
    norms    float64[n], lengths of the rows
    group    int64[columns that came], the row of each column, −1 for a column of zeros
    twins    int64[n], how many columns each row stands for
    basis    float64[d, r], the rotation; None where there is none
    main     float64[r, q], the main range; None where it is the whole space
    leak     float64[n], what of each row is outside of the main range
    length   d, the length of a target
    """

    single: Float32
    exact: Float32 | Float64
    norms: Float64
    group: Int64
    twins: Int64
    basis: Float64 | None
    main: Float64 | None
    leak: Float64
    length: int

    @classmethod
    def of(cls, vectors: npt.ArrayLike) -> "Dictionary":
        """The dictionary of vectors[n, d], whose rows are the columns of A. Double precision is rounded to single."""
        given = np.asarray(vectors)
        if given.ndim != 2 or given.dtype.kind not in "fiu":
            raise ValueError(f"vectors: {given.dtype} of shape {given.shape} came, numbers of shape (n, d) may come")
        with np.errstate(over="ignore"):
            rows = np.ascontiguousarray(given, dtype=np.float32)
        # Sums of squares are finite in double precision where the numbers are, and NaN is not below any bound.
        if not (_norms(rows) <= LONGEST).all():
            raise ValueError(f"vectors: NaN, infinity or a length above {LONGEST:g} came, shorter columns may come")
        group, first = _distinct(rows)
        kept = rows if len(first) == len(rows) else rows[first]
        twins = np.bincount(group[group >= 0], minlength=len(first))
        basis = basis_of_range(kept) if len(kept) else None
        if basis is not None:
            exact = np.empty((len(kept), basis.shape[1]))
            for start in range(0, len(kept), CHUNK):
                exact[start : start + CHUNK] = kept[start : start + CHUNK].astype(np.float64) @ basis
            single, nothing = exact.astype(np.float32), np.zeros(len(kept))
            return cls(single, exact, _norms(exact), group, twins, basis, None, nothing, rows.shape[1])
        main, leak = (main_range(kept) if len(kept) else None) or (None, np.zeros(len(kept)))
        return cls(kept, kept, _norms(kept), group, twins, None, main, leak, rows.shape[1])

    @property
    def rank(self) -> int:
        """How many columns can be active at once."""
        return int((self.exact if self.main is None else self.main).shape[1])

    def into(self, targets: Float64) -> tuple[Float64, Float64]:
        """Targets in the space of the rows, and ½‖·‖² of what lies outside of the range, one a target."""
        if self.basis is None:
            return targets, np.zeros(len(targets))
        inside = np.stack([target @ self.basis for target in targets]) if len(targets) else targets[:, :0]
        outside = np.array([t - self.basis @ i for t, i in zip(targets, inside, strict=True)])
        return inside, 0.5 * np.square(outside).reshape(len(targets), -1).sum(axis=1)

    def visible(self, vector: Float64) -> tuple[Float64, float]:
        """The part of a vector inside the main range, and the length of the rest."""
        if self.main is None:
            return vector, 0.0
        inside = self.main @ (vector @ self.main)
        return inside, float(np.linalg.norm(vector - inside))


def _distinct(rows: Float32) -> tuple[Int64, Int64]:
    """The group of each row, by first appearance, and the first row of each group; rows of zeros are in none."""
    # Minus zero equals zero, so bits are compared after adding zero, which turns the one into the other.
    groups: dict[bytes, int] = {}
    group = np.empty(len(rows), np.int64)
    first: list[int] = []
    nothing = np.zeros(rows.shape[1], np.float32).tobytes()
    for place, row in enumerate(rows):
        bits = (row + np.float32(0)).tobytes()
        if bits == nothing:
            group[place] = -1
            continue
        number = groups.setdefault(_digest(bits), len(first))
        if number == len(first):
            first.append(place)
        group[place] = number
    return group, np.asarray(first, np.int64)


def _digest(bits: bytes) -> bytes:
    # 186,027 rows of 4800 numbers would be held a second time as keys of the table: their hashes are short.
    from hashlib import blake2b

    return blake2b(bits, digest_size=16).digest()


def _norms(rows: Float32 | Float64) -> Float64:
    out = np.empty(len(rows))
    for start in range(0, len(rows), CHUNK):
        out[start : start + CHUNK] = np.linalg.norm(rows[start : start + CHUNK].astype(np.float64), axis=1)
    return out
