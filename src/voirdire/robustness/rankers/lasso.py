"""Rank by the share that a pool question has in the main question's vector.

    min_x ½‖Ax − b‖² + λ‖x‖₁,    score = x                                  the paper's, eq. (5)
    min_{x,c} 1/(2d) ‖Ax + c − b‖² + α‖x‖₁,    score = x                    scikit-learn's, in the authors' program

A holds the vectors of the pool, b is the main question's. Questions are ranked by x, descending; one with x ≤ 0 is no
neighbour. Pool questions of the same vector are one column: each of them has the column's coefficient as its score, and
they stand in the pool's order, so that a score does not depend on how many twins a question has.

For given x the best intercept c is the mean of b − Ax over its d numbers. So the second is the first, with λ = α·d, for
vectors less the mean of their own d numbers. They are centred in double precision and rounded to single, as encoders
give them; equal vectors are looked for after that.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.robustness.exam import PENALTIES, Objective
from voirdire.robustness.lasso import Dictionary, Solution, solve_lasso
from voirdire.robustness.lasso.columns import LassoColumns
from voirdire.robustness.lasso.solve import BATCH, FLOOR, check_penalty
from voirdire.robustness.rankers import FORMULAS, Neighbours
from voirdire.text.encoders.protocol import Encoder

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]

# Vectors that are centred at once in double precision.
CHUNK = 8192


class LassoRanker:
    """LASSO over one pool.

    lam        λ, or α, of the formula above that `objective` names
    threads    how many work on a batch at once; the lists do not depend on it
    columns    those of the pool, where they are made already (and may be split into parts): its texts are not needed
    """

    def __init__(
        self,
        pool_texts: Sequence[str],
        encoder: Encoder | None,
        lam: float = PENALTIES["paper"],
        threads: int = 1,
        objective: Objective = "paper",
        columns: LassoColumns | None = None,
    ) -> None:
        if encoder is None:
            raise UsageError("the ranker lasso needs an encoder")
        try:
            check_penalty(lam)
        except ValueError as error:
            raise UsageError(str(error).replace("`penalty`", "`lambda`")) from None
        self._encoder, self._lam, self._threads, self._objective = encoder, lam, threads, objective
        self._dictionary = columns or Dictionary.of(self._vectors(pool_texts))
        # What λ of the first formula is in units of `lam`.
        self._unit = encoder.dimension if objective == "scikit-learn" else 1
        # x is 0 from λ = max |a·b| on; a main question is about as long as those of the pool.
        least = FLOOR * float(self._dictionary.norms.max(initial=0.0)) ** 2 / self._unit
        if lam < least:
            raise UsageError(
                f"`lambda` must be at least {least:.1g} for these vectors, got {lam:g}: below it double precision has "
                f"no digits left to certify a solution with. The default is {PENALTIES[objective]:g}"
            )
        group = self._dictionary.group
        # The members of row i in the pool's order: _members[_first[i] : _first[i + 1]].
        self._members = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
        self._first = np.concatenate([[0], np.cumsum(self._dictionary.twins)])

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "ranker": "lasso",
            "lambda": self._lam,
            "objective": FORMULAS[self._objective],
            "scaling": self._scaling,
            "encoder": self._encoder.name,
            "encoder_hash": self._encoder.signature,
            "equal_vectors": "one column; each question has its coefficient",
        }

    @property
    def _scaling(self) -> str:
        if self._objective == "paper":
            return f"lambda is the formula's; scikit-learn's alpha is lambda / {self._encoder.dimension}"
        return f"lambda is scikit-learn's alpha; that of {FORMULAS['paper']} is {self._lam * self._unit:g}"

    def _vectors(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        return as_columns(self._encoder.encode(texts), self._objective)

    @property
    def batch(self) -> int:
        return BATCH

    def rank(self, questions: Sequence[str], left_out: Sequence[Int64], top: int) -> Neighbours:
        """The questions of largest x; `gap`, `support`, `status` and `reason` beside them."""
        solutions = solve_lasso(
            self._dictionary,
            self._vectors(questions),
            self._lam * self._unit,
            left_out=left_out,
            threads=self._threads,
        )
        places, scores = np.full((len(questions), top), -1, np.int64), np.zeros((len(questions), top))
        for i, (solution, gone) in enumerate(zip(solutions, left_out, strict=True)):
            nearest, values = self._list(solution, gone, top)
            places[i, : len(nearest)], scores[i, : len(nearest)] = nearest, values
        return Neighbours(
            places,
            scores,
            {
                "gap": np.array([solution.gap for solution in solutions], np.float64),
                "support": np.array([solution.support for solution in solutions], np.int64),
                "status": np.array([solution.status for solution in solutions], np.str_),
                "reason": np.array([solution.reason for solution in solutions], np.str_),
            },
        )

    def _list(self, solution: Solution, gone: Int64, top: int) -> tuple[Int64, Float64]:
        positive = solution.coefficients > 0
        rows, values = solution.columns[positive], solution.coefficients[positive]
        places = np.concatenate([self._members[self._first[row] : self._first[row + 1]] for row in rows] or [gone[:0]])
        scores = np.repeat(values, self._dictionary.twins[rows])
        kept = ~np.isin(places, gone)
        places, scores = places[kept], scores[kept]
        order = np.lexsort((places, -scores))[:top]
        return places[order], scores[order]


def as_columns(vectors: npt.NDArray[Any], objective: Objective) -> npt.NDArray[Any]:
    """Vectors as the solver takes them: as they are, or each less the mean of its numbers."""
    if objective == "paper":
        return vectors
    out = np.empty(vectors.shape, np.float32)
    for start in range(0, len(vectors), CHUNK):
        chunk = vectors[start : start + CHUNK].astype(np.float64)
        out[start : start + CHUNK] = chunk - chunk.mean(axis=1, keepdims=True)
    return out
