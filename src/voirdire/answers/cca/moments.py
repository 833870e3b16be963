"""Sums over pairs that a covariance needs, collected without keeping the pairs.

    m = number of pairs     s = Σ z     P = Σ z zᵀ     cov = (P − s sᵀ / m) / (m − 1)

z  the vectors of one pair in all views, one below the other (answer, question and, with three views, image)

`DenseMoments` is the definition itself, for pairs that come as vectors. Two ways to the same sums make use of what
repeats:

    Σ x yᵀ = Xᵀ N Y                     `DistinctMoments`, for any number of views
    Σ x yᵀ = Eᵀ (Σ b cᵀ) E              `TokenMoments`, for two views of text: x = Eᵀ b,  y = Eᵀ c

X, Y     the distinct vectors of two views, one per row
N[i, j]  how many pairs have the i-th vector of the one and the j-th of the other. Counts are kept until there are some
         millions of them; then their product is taken and counting begins anew.
E        the table of word vectors;  b, c  the shares of the tokens in an answer and in a question: 1/n for each of n
         tokens. So a pair costs a scalar sum for each token of the one with each token of the other, and vectors are
         multiplied once at the end. Σ b cᵀ is kept for the 4,096 most frequent tokens only, which is a square of fixed
         size; a pair with a rarer token goes the long way, its question's vector added to the rows of its answer's
         tokens. The square costs the same for few pairs as for many, so where there are few texts all pairs go the long
         way.

All sums are in double precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
from numba import prange

from voirdire.answers.cca.sentences import Bags
from voirdire.stats.compiled import compiled

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.floating]

PENDING = 4_000_000
BLOCK = 4096
FREQUENT = 4096
# Distinct texts from which on the square pays.
MANY = 200_000
# Pairs are dealt to this many lanes, whatever the number of threads: the order of sums is part of the result.
LANES = 2


@dataclass(frozen=True, eq=False)
class Moments:
    """The sums of all pairs.

    sizes    the dimension of each view
    count    m
    total    float64[Σ sizes], s
    product  float64[Σ sizes, Σ sizes], P
    """

    sizes: tuple[int, ...]
    count: int
    total: Float64
    product: Float64

    @property
    def mean(self) -> Float64:
        """The mean vector of the stacked views."""
        return self.total / self.count

    def covariance(self) -> Float64:
        """The covariance of the stacked views."""
        if self.count < 2:
            raise ValueError(f"`moments` must be of at least 2 pairs, got {self.count}")
        return (self.product - np.outer(self.total, self.total) / self.count) / (self.count - 1)

    def views(self) -> list[slice]:
        """Where each view stands in the stack."""
        edges = np.cumsum([0, *self.sizes]).tolist()
        return [slice(start, stop) for start, stop in pairwise(edges)]


class DenseMoments:
    """From blocks of vectors: the definition itself, for pairs that come as vectors."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self._count = 0
        self._total = np.zeros(sum(sizes))
        self._product = np.zeros((sum(sizes), sum(sizes)))

    def add(self, *blocks: npt.NDArray[np.floating]) -> None:
        """Add pairs: one array [n, size] per view, row i of each belonging to pair i."""
        shapes = [block.shape for block in blocks]
        if [shape[1:] for shape in shapes] != [(size,) for size in self.sizes] or len({s[0] for s in shapes}) != 1:
            raise ValueError(f"`blocks` must have the shapes (n, size) for the sizes {self.sizes}, got {shapes}")
        views = [np.asarray(block, np.float64) for block in blocks]
        edges = np.cumsum([0, *self.sizes]).tolist()
        self._count += len(views[0])
        for i, first in enumerate(views):
            rows = slice(edges[i], edges[i + 1])
            self._total[rows] += first.sum(axis=0)
            for j, second in enumerate(views[i:], i):
                self._product[rows, edges[j] : edges[j + 1]] += first.T @ second

    def moments(self) -> Moments:
        """The sums so far."""
        upper = np.triu(self._product)
        return Moments(self.sizes, self._count, self._total.copy(), upper + np.triu(self._product, 1).T)


class DistinctMoments:
    """Pairs (or triples) of places in lists of distinct vectors, float32 or float64, one list per view."""

    def __init__(self, views: Sequence[Vectors]) -> None:
        self._vectors = [np.ascontiguousarray(view) for view in views]
        self.sizes = tuple(view.shape[1] for view in self._vectors)
        self._times = [np.zeros(len(view)) for view in self._vectors]
        self._pending: list[tuple[Int64, ...]] = []
        self._count = 0
        self._product = np.zeros((sum(self.sizes), sum(self.sizes)))
        edges = np.cumsum([0, *self.sizes]).tolist()
        self._slices = [slice(start, stop) for start, stop in pairwise(edges)]

    def add(self, *places: Int64) -> None:
        """Add pairs: one array of places per view."""
        if len(places) != len(self._vectors) or len({len(view) for view in places}) != 1:
            raise ValueError(f"`places` must be {len(self._vectors)} arrays of equal length, got {len(places)}")
        for times, view in zip(self._times, places, strict=True):
            times += np.bincount(view, minlength=len(times))
        self._count += len(places[0])
        self._pending.append(tuple(view.astype(np.int64) for view in places))
        if sum(len(places[0]) for places in self._pending) >= PENDING:
            self._fold()

    def moments(self) -> Moments:
        """The sums so far."""
        self._fold()
        product = self._product + np.triu(self._product, 1).T
        for place, vectors, times in zip(self._slices, self._vectors, self._times, strict=True):
            own = np.zeros((vectors.shape[1], vectors.shape[1]))
            for start in range(0, len(vectors), BLOCK):
                block = vectors[start : start + BLOCK].astype(np.float64)
                own += (block * times[start : start + BLOCK, None]).T @ block
            product[place, place] = own
        total = np.concatenate(
            [_weighted_sum(vectors, times) for vectors, times in zip(self._vectors, self._times, strict=True)]
        )
        return Moments(self.sizes, self._count, total, product)

    def _fold(self) -> None:
        """Turn the pending pairs into their product."""
        if not self._pending:
            return
        places = [np.concatenate(parts) for parts in zip(*self._pending, strict=True)]
        self._pending.clear()
        for first, second in combinations(range(len(places)), 2):
            cross = self._product[self._slices[first], self._slices[second]]
            keys, counts = np.unique(places[first] * len(self._vectors[second]) + places[second], return_counts=True)
            rows, columns = np.divmod(keys, len(self._vectors[second]))
            present, starts = np.unique(rows, return_index=True)
            edges = np.append(starts, len(rows))
            for start in range(0, len(present), BLOCK):
                stop = min(start + BLOCK, len(present))
                sums = np.zeros((stop - start, self.sizes[second]))
                _gather(sums, self._vectors[second], columns, counts, edges[start : stop + 1])
                cross += self._vectors[first][present[start:stop]].astype(np.float64).T @ sums


def _weighted_sum(vectors: Vectors, times: Float64) -> Float64:
    total = np.zeros(vectors.shape[1])
    for start in range(0, len(vectors), BLOCK):
        total += times[start : start + BLOCK] @ vectors[start : start + BLOCK].astype(np.float64)
    return total


@compiled(parallel=True)
def _gather(
    out: Float64, vectors: Vectors, columns: Int64, counts: Int64, edges: Int64
) -> None:  # pragma: no cover - compiled
    """out[i] = Σ over the entries edges[i]:edges[i + 1] of count · vector; a row belongs to one thread."""
    for row in prange(len(out)):
        for at in range(edges[row], edges[row + 1]):
            count = np.float64(counts[at])
            source = vectors[columns[at]]
            for column in range(out.shape[1]):
                out[row, column] += count * source[column]


class TokenMoments:
    """Pairs of places in two lists of distinct texts.

    table      float64[tokens, d], frequent tokens first
    answers    the distinct answers as tokens
    questions  the distinct questions as tokens
    """

    def __init__(self, table: Float64, answers: Bags, questions: Bags) -> None:
        # Rows of the sums are as many as there are tokens: those that never occur are left out.
        occurs = np.zeros(len(table), np.bool_)
        occurs[answers.tokens] = occurs[questions.tokens] = True
        number = np.cumsum(occurs, dtype=np.int32) - 1
        self._table = np.ascontiguousarray(table[occurs])
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
        """`weights` has one number per pair, or one for all of them."""
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
