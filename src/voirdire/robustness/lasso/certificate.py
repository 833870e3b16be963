"""The proof that an answer is right: its duality gap.

    P(x) = ½‖Ax − b‖² + λ‖x‖₁          D(y) = y·b − ½‖y‖²,   |a_j · y| ≤ λ for all j          P ≥ min P = max D ≥ D

y is the residual, shrunk until it is feasible, so P − D bounds what x is away from the minimum. All |a_j · y| come from
the screening's product in single precision. In any order of summation, with or without fused operations, it is off by

    |fl(a·y) − a·y| ≤ γ_{d+3} ‖a‖ ‖y‖ + leak ‖y′‖,     γ_k = k·u / (1 − k·u),  u = 2⁻²⁴

(d roundings of the sum; one each of y to single precision, of a where it was rotated, and of the norms; y′ is the part
of y outside of the main range, which is not in the product). What underflows adds at most the smallest number d times.
Columns whose product stays below λ by this much are feasible for sure; all others are taken again in double, with the
same bound for double. Where d is so large that the bound means nothing, all columns are.
"""

from dataclasses import dataclass

import numpy as np

from voirdire.robustness.lasso.dictionary import Dictionary
from voirdire.robustness.lasso.products import Float32, Float64, Int64, correlate
from voirdire.stats.compiled import fast

__all__ = ["TOLERANCE", "Certificate", "certify", "rounding_bound"]

TOLERANCE = 1e-8
# A gap that double precision cannot tell from none.
NOTHING = 1e-13


@dataclass(frozen=True)
class Certificate:
    """objective  P(x)
    gap        (P − D) / P, 0 where P is 0
    tight      whether P − D is as small a share of λ‖x‖₁, which is what tells two answers apart where most of P is the
               part of b that no column reaches
    """

    objective: float
    gap: float
    tight: bool


def rounding_bound(length: int, dtype: type[np.floating]) -> float:
    """How far a computed a·y may be off, as a share of ‖a‖ ‖y‖, for vectors of this length; infinity if unbounded."""
    unit = float(np.finfo(dtype).eps) / 2
    # Two more for the rounding of both factors, one more for the norms, which are rounded themselves.
    share = (length + 3) * unit
    return share / (1 - share) if share < 0.5 else float("inf")


def certify(
    dictionary: Dictionary,
    values: Float32,
    scale: float,
    b: Float64,
    residual: Float64,
    weight: float,
    penalty: float,
    outside: float,
    left_out: Int64,
) -> Certificate:
    """The certificate of one answer.

    values    fl(a_j · residual) / scale in single precision, one per column
    weight    ‖x‖₁
    outside   ½‖·‖² of the part of the target that no column reaches
    left_out  columns that the problem does not have
    """
    exact, norms = dictionary.exact, dictionary.norms
    length = exact.shape[1]
    size = float(np.linalg.norm(residual))
    inside, rest = dictionary.visible(residual)
    bound = rounding_bound(length, np.float32) * float(np.linalg.norm(inside))
    # The projection itself is rounded in double precision.
    rest += rounding_bound(length, np.float64) * size if dictionary.main is not None else 0.0
    tiny = length * float(np.finfo(np.float32).tiny) * scale
    doubtful = _doubtful(values, norms, dictionary.leak, scale, bound, rest, tiny, penalty)
    if len(left_out):
        doubtful = doubtful[~np.isin(doubtful, left_out)]
    most = 0.0
    if len(doubtful):
        taken = np.empty(len(doubtful))
        correlate(exact, doubtful, len(doubtful), residual, taken)
        most = float((np.abs(taken) + rounding_bound(length, np.float64) * norms[doubtful] * size).max())
    shrink = min(1.0, penalty / most) if most > 0 else 1.0
    objective = 0.5 * size * size + penalty * weight + outside
    dual = shrink * float(residual @ b) - 0.5 * (shrink * size) ** 2 + outside
    apart = max(0.0, objective - dual)
    gap = apart / objective if objective > 0 else 0.0
    return Certificate(objective, gap, gap <= NOTHING or apart <= TOLERANCE * penalty * weight)


@fast
def _doubtful(
    values: Float32,
    norms: Float64,
    leak: Float64,
    scale: float,
    bound: float,
    rest: float,
    tiny: float,
    penalty: float,
) -> Int64:  # pragma: no cover - compiled
    """Columns whose correlation may exceed the penalty."""
    out = np.empty(len(values), np.int64)
    count = 0
    for j in range(len(values)):
        if not abs(values[j]) * scale + bound * norms[j] + rest * leak[j] + tiny <= penalty:
            out[count] = j
            count += 1
    return out[:count]
