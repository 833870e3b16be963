"""The proof that an answer is right: its duality gap.

    P(x) = ½‖Ax − b‖² + λ‖x‖₁          D(y) = y·b − ½‖y‖²,   |a_j · y| ≤ λ for all j          P ≥ min P = max D ≥ D

P is taken from the answer as it is handed out, and from the columns as they came to the dictionary: a fault of the
solver, of whatever kind, can only make it larger. y may be any feasible point, so it is the residual as the solver
knows it (at small λ closer than b − Ax of rounded coefficients would be), shrunk until it is feasible. P − D then
bounds what x is away from the minimum. The roundings of P and D themselves are bounded and added to it:

    ‖fl(b − Ax) − (b − Ax)‖ ≤ γ_{k+2} (‖b‖ + Σ_j |x_j| ‖a_j‖)        k coefficients, u = 2⁻⁵³

All |a_j · y| come from the screening's product in single precision. In any order of summation, with or without fused
operations, it is off by

    |fl(a·y) − a·y| ≤ γ_{d+3} ‖a‖ ‖y‖ + leak ‖y′‖,     γ_k = k·u / (1 − k·u),  u = 2⁻²⁴

(d roundings of the sum; one each of y to single precision, of a where it was rotated, and of the norms; y′ is the part
of y outside of the main range, which is not in the product). What underflows adds at most the smallest number d times.
Columns whose product stays below λ by this much are feasible for sure; all others are taken again in double, with the
same bound for double. Where d is so large that the bound means nothing, all columns are.
"""

from dataclasses import dataclass

import numpy as np

from voirdire.robustness.lasso.columns import Check, Float32, Float64, Int64, LassoColumns, Rows, WorkingSet
from voirdire.stats.compiled import fast

TOLERANCE = 1e-8
# A gap that double precision cannot tell from none.
NOTHING = 1e-13
# What a rotation may fail to give back of a column, as a share of its length.
LOST = 1e-13


@dataclass(frozen=True, eq=False)
class Question:
    """One right-hand side.

    target    b as it came
    b         b in the space of the dictionary's rows, and `outside` ½‖·‖² of the rest of it
    penalty   λ
    left_out  rows of the dictionary that this problem does not have
    """

    target: Float64
    b: Float64
    outside: float
    penalty: float
    left_out: Int64


@dataclass(frozen=True)
class Certificate:
    """objective  P(x)
    gap        (P − D) / P with all roundings, 0 where P is 0
    tight      whether P − D, as computed, is as small a share of λ‖x‖₁, which is what tells two answers apart where
               most of P is the part of b that no column reaches
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


def primal(question: Question, answer: tuple[Int64, Float64], rows: Float32, norms: Float64) -> tuple[float, float]:
    """P(x), and how far rounding may have moved it.

    answer  rows of the dictionary and their coefficients
    rows    those columns as they came, and `norms` their lengths
    """
    x = answer[1]
    left = question.target - x @ rows.astype(np.float64)
    size, weight = float(np.linalg.norm(left)), float(np.abs(x).sum())
    largest = float(np.linalg.norm(question.target) + np.abs(x) @ norms)
    off = rounding_bound(len(x), np.float64) * largest
    square, rest = 0.5 * size * size, question.penalty * weight
    sums = rounding_bound(len(left), np.float64) * square + rounding_bound(len(x), np.float64) * rest
    return square + rest, size * off + 0.5 * off * off + sums


def check_of(
    columns: LassoColumns, question: Question, y: Float64, visible: tuple[Float64, float], scale: float
) -> Check:
    """What the columns have to be asked about a dual point.

    y        in the space of the dictionary's rows, and `visible` what the columns say of it
    scale    what it is divided by for the product in single precision
    """
    size, double = float(np.linalg.norm(y)), rounding_bound(columns.width, np.float64)
    inside, rest = visible
    bound = rounding_bound(columns.width, np.float32) * float(np.linalg.norm(inside))
    # The projection itself is rounded in double precision.
    rest += double * size if columns.main is not None else 0.0
    # What the rotation has lost of a column meets y and the part of the target outside of the range.
    turned = 0.0
    if columns.basis is not None:
        lost = LOST + rounding_bound(columns.length, np.float64)
        turned = lost * (size + float(np.sqrt(2.0 * question.outside)))
    tiny = columns.width * float(np.finfo(np.float32).tiny) * scale
    return Check(y, size, question.penalty, scale, bound, double, turned, rest, tiny)


def highest(
    rows: Rows, norms: Float64, leak: Float64, values: Float32, check: Check, left_out: Int64
) -> tuple[float, float]:
    """Bounds of |a_j · y| over the columns that may exceed λ, with and without what a rotation lost; 0 if none may.

    rows    some columns, or all of them, without loss, with their lengths and leaks
    values  fl(a_j · y / scale) in single precision, one per column
    """
    doubtful = _doubtful(
        values, norms, leak, check.scale, check.bound + check.turned, check.rest, check.tiny, check.penalty
    )
    if len(left_out):
        doubtful = doubtful[~np.isin(doubtful, left_out)]
    if not len(doubtful):
        return 0.0, 0.0
    # Filled up to fours, so that a column's product has the same bits whichever columns are beside it.
    filled = np.concatenate([doubtful, np.repeat(doubtful[-1:], -len(doubtful) % 4)])
    products = WorkingSet(rows, filled).products(check.y)[: len(doubtful)]
    bounds = np.abs(products) + check.double * norms[doubtful] * check.size
    return float((bounds + check.turned * norms[doubtful]).max()), float(bounds.max())


def certify(
    question: Question,
    answer: tuple[Int64, Float64],
    value: tuple[float, float],
    check: Check,
    most: tuple[float, float],
) -> Certificate:
    """The certificate of one answer.

    answer  rows of the dictionary and their coefficients, and `value` what `primal` says of it
    check   a dual point, in the space of the dictionary's rows, and `most` what `highest` says of it over all columns;
            it is made feasible here
    """
    weight = float(np.abs(answer[1]).sum())
    objective, unsure = value
    dual, rounded = _dual(question, check, *most)
    apart = max(0.0, objective - dual)
    gap = (apart + unsure + rounded) / objective if objective > 0 else 0.0
    if np.isin(answer[0], question.left_out).any() or not np.isfinite(gap):
        return Certificate(objective, float("inf"), False)
    tight = apart <= max(NOTHING * objective, TOLERANCE * question.penalty * weight)
    return Certificate(objective, gap, tight)


def _dual(question: Question, check: Check, most: float, unturned: float) -> tuple[float, float]:
    """D of y, shrunk until it is feasible, and how far rounding may have moved it."""
    size = check.size
    product, half = float(check.y @ question.b), 0.5 * size * size
    value, sure = (
        shrink * product - shrink * shrink * half
        for shrink in (min(1.0, question.penalty / top) if top > 0 else 1.0 for top in (unturned, most))
    )
    b = float(np.linalg.norm(question.b))
    return value + question.outside, max(0.0, value - sure) + check.double * size * (b + size)


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
