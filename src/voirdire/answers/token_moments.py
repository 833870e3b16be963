"""Moments of two views of text through their tokens.

    Σ x yᵀ = Eᵀ (Σ b cᵀ) E          x = Eᵀ b,  y = Eᵀ c

E  the table of word vectors;  b, c  the shares of the tokens in an answer and in a question: 1/n for each of n tokens

So a pair costs a scalar sum for each token of the one with each token of the other, and vectors are multiplied once at
the end. Σ b cᵀ is kept for the 4,096 most frequent tokens only, which is a square of fixed size; a pair with a rarer
token goes the long way, its question's vector added to the rows of its answer's tokens. The square costs the same for
few pairs as for many, so where there are few texts all pairs go the long way.
"""

import numpy as np
import numpy.typing as npt
from numba import prange

from voirdire.answers.moments import Float64, Moments
from voirdire.answers.sentences import Bags
from voirdire.stats.compiled import compiled

__all__ = ["TokenMoments"]

FREQUENT = 4096
# Distinct texts from which on the square pays.
MANY = 200_000
# Pairs are dealt to this many lanes, whatever the number of threads: the order of sums is part of the result.
LANES = 2

Int64 = npt.NDArray[np.int64]


class TokenMoments:
    """Pairs of places in two lists of distinct texts.

    table      float64[tokens, d], frequent tokens first
    answers    the distinct answers as tokens
    questions  the distinct questions as tokens
    """

    def __init__(self, table: Float64, answers: Bags, questions: Bags) -> None:
        # Rows of the sums are as many as there are tokens: those that never occur are left out.
        seen = np.zeros(len(table), np.bool_)
        seen[answers.tokens] = seen[questions.tokens] = True
        number = np.cumsum(seen, dtype=np.int32) - 1
        self._table = np.ascontiguousarray(table[seen])
        self._bags = answers.renumbered(number), questions.renumbered(number)
        self._times = np.zeros(len(answers)), np.zeros(len(questions))
        self._side = min(FREQUENT, len(self._table)) if len(answers) + len(questions) >= MANY else 0
        self._cross = _Sums(self._table, self._side)

    def add(self, answers: Int64, questions: Int64) -> None:
        """Add pairs: places in the two lists."""
        for times, places in zip(self._times, (answers, questions), strict=True):
            times += np.bincount(places, minlength=len(times))
        self._cross.add(*self._bags, answers, questions, np.ones(1))

    def moments(self) -> Moments:
        """The sums so far."""
        d = self._table.shape[1]
        product, total = np.empty((2 * d, 2 * d)), np.empty(2 * d)
        own = slice(0, d), slice(d, 2 * d)
        for view, bags, times in zip(own, self._bags, self._times, strict=True):
            sums, every = _Sums(self._table, self._side), np.flatnonzero(times)
            sums.add(bags, bags, every, every, times[every])
            product[view, view] = sums.product()
            lengths = np.diff(bags.first)
            shares = np.bincount(bags.tokens, np.repeat(times / lengths, lengths), len(self._table))
            total[view] = shares @ self._table
        product[own] = self._cross.product()
        product[own[::-1]] = product[own].T
        return Moments((d, d), int(self._times[0].sum()), total, product)


class _Sums:
    """Σ w · x yᵀ over pairs (x, y) of texts with a weight each."""

    def __init__(self, table: Float64, side: int) -> None:
        self._table = table
        self._square = np.zeros((LANES, side, side))
        self._rows = np.zeros((LANES, *table.shape))

    def add(self, first: Bags, second: Bags, places: Int64, others: Int64, weights: Float64) -> None:
        """`weights` has one number a pair, or one for all of them."""
        _scatter(
            self._square,
            self._rows,
            self._table,
            *(first.tokens, first.first, second.tokens, second.first),
            *(places.astype(np.int64), others.astype(np.int64), weights),
        )

    def product(self) -> Float64:
        square, rows = self._square.sum(axis=0), self._rows.sum(axis=0)
        frequent, used = self._table[: len(square)], np.flatnonzero(rows.any(axis=1))
        result: Float64 = frequent.T @ (square @ frequent) + self._table[used].T @ rows[used]
        return result


@compiled(parallel=True)
def _scatter(
    square: Float64,
    rows: Float64,
    table: Float64,
    tokens: npt.NDArray[np.int32],
    first: Int64,
    other_tokens: npt.NDArray[np.int32],
    other_first: Int64,
    places: Int64,
    others: Int64,
    weights: Float64,
) -> None:  # pragma: no cover - compiled
    lanes, side = square.shape[0], square.shape[1]
    share = (len(places) + lanes - 1) // lanes
    for lane in prange(lanes):
        vector = np.empty(table.shape[1])
        for pair in range(lane * share, min((lane + 1) * share, len(places))):
            start, stop = first[places[pair]], first[places[pair] + 1]
            other_start, other_stop = other_first[others[pair]], other_first[others[pair] + 1]
            weight = weights[pair if len(weights) > 1 else 0] / ((stop - start) * (other_stop - other_start))
            rare = False
            for at in range(start, stop):
                rare |= tokens[at] >= side
            for at in range(other_start, other_stop):
                rare |= other_tokens[at] >= side
            if rare:
                # Written out: as expressions of arrays these would make a new array for every token.
                vector[:] = 0.0
                for at in range(other_start, other_stop):
                    row = table[other_tokens[at]]
                    for i in range(len(vector)):
                        vector[i] += weight * row[i]
                for at in range(start, stop):
                    row = rows[lane, tokens[at]]
                    for i in range(len(vector)):
                        row[i] += vector[i]
            else:
                for at in range(start, stop):
                    row = square[lane, tokens[at]]
                    for other in range(other_start, other_stop):
                        row[other_tokens[other]] += weight
