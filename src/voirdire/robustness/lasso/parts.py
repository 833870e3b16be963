"""A dictionary that is split by columns into parts, each somewhere else: on disk, or in the memory of other nodes.

A part does the work on its own columns; only what problems need of it travels. For a batch of m problems that still
run, with rows of r numbers (d where nothing was rotated), p parts and working sets of k columns, one pass moves

    to each part    m · 4r bytes of residuals, and 8r more for a problem whose answer is to be proved
    from each part  8 bytes for each of about k columns, 4 for each of k/8 in the sample, 24 numbers' bytes per problem
    from all parts  4r bytes (8r after a rotation) for each column of the m working sets that is not cached

in p messages there and p back for what is seen, and as many for the columns: their number does not depend on m.
Columns stay cached until they are more than `ROOM` bytes, from one batch to the next, too; then all are given up.
Where a single batch needs more, its problems go on in groups.

The results are those of the whole: products are split into the same blocks, since parts begin where blocks do, so every
product has the same bits. The bound of the largest is the same order statistic of the same sample: each part gives the
top of its own, and all columns above the bound that its own sample alone would give, which is no higher.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.certificate import highest
from voirdire.robustness.lasso.columns import (
    BLOCK,
    Check,
    ColumnAnswer,
    ColumnAsk,
    Each,
    Float32,
    Float64,
    Int64,
    LassoColumns,
    Rows,
    Screening,
    WorkingSet,
    above,
    beyond,
    correlations,
    sample_bound,
    sample_of,
)

ROOM = 2**29
"""Bytes of columns that are cached at once."""

Int32 = npt.NDArray[np.int32]
Work = Literal["screen", "exact_rows", "original_rows"]
"""What a part can do: the names of its methods."""


def bounds_of_parts(count: int, parts: int) -> list[int]:
    """Where parts of `count` columns begin, and the end: at blocks, so that some parts may be a block shorter.

    There are no more parts than blocks, and at least one.
    """
    blocks = max(1, -(-count // BLOCK))
    parts = min(parts, blocks)
    return [*(BLOCK * (blocks * part // parts) for part in range(parts)), count]


class Request(NamedTuple):
    """What a batch asks of every part.

    vectors  float32[m, r]
    others   what else each problem asks: `left_out`, `most`, `beyond` and `check`, as in `ColumnAsk`
    whole    how many columns all parts have together
    """

    vectors: Float32
    others: list[tuple[Int64, int, float, Check | None]]
    whole: int

    @property
    def nbytes(self) -> int:
        """About how many bytes travel."""
        checks = sum(check.y.nbytes + 64 for *_, check in self.others if check is not None)
        return self.vectors.nbytes + checks + sum(left_out.nbytes + 16 for left_out, *_ in self.others)


class Screened(NamedTuple):
    """What a part answers, of all problems of a batch one after the other.

    sample, samples  the largest |products| of the sample, and how many of them are each problem's
    places, counts   columns, by their place in the part, and how many are each problem's
    values           their products
    beyond           int64[m]
    highest          float64[m, 2]
    """

    sample: Float32
    samples: Int64
    places: Int32
    counts: Int64
    values: Float32
    beyond: Int64
    highest: Float64

    @property
    def nbytes(self) -> int:
        """How many bytes travel."""
        return sum(array.nbytes for array in self)


@dataclass(eq=False)
class ColumnPart:
    """Columns `start` to `start + len(single) - 1` of a dictionary, with the work that is done where they are.

    single, exact, original, norms, leak  as in `Dictionary`, of these columns alone; they may be files that are mapped
    """

    start: int
    single: Float32
    exact: Rows
    original: Float32
    norms: Float64
    leak: Float64
    _room: Float32 = field(init=False, default_factory=lambda: np.empty((0, 0), np.float32))

    def screen(self, request: Request) -> Screened:
        """The products of all columns with all residuals, and of them what each problem asked for."""
        size = len(request.vectors)
        if len(self._room) < size:
            self._room = np.empty((size, len(self.single)), np.float32)
        products = correlations(self.single, request.vectors, _one_by_one, self._room)
        samples, places, values = [], [], []
        counted, bounds = np.zeros(size, np.int64), np.zeros((size, 2))
        for i, (row, (left_out, most, bound, check)) in enumerate(zip(products, request.others, strict=True)):
            own = left_out[(left_out >= self.start) & (left_out < self.start + len(row))] - self.start
            row[own] = 0.0
            sample = sample_of(row, most)
            survivors = above(row, sample_bound(sample, most) if request.whole > most else np.float32(0.0))
            samples.append(sample)
            places.append(survivors.astype(np.int32))
            values.append(row[survivors])
            counted[i] = beyond(row, bound)
            if check is not None:
                bounds[i] = highest(self.exact, self.norms, self.leak, row, check, own)
        return Screened(*_joined(samples), *_joined(places), np.concatenate(values), counted, bounds)

    def exact_rows(self, places: Int32) -> Rows:
        """Columns without loss, by their places in the part."""
        rows: Rows = self.exact[places]
        return rows

    def original_rows(self, places: Int32) -> Float32:
        """Columns as they came, by their places in the part."""
        rows: Float32 = self.original[places]
        return rows


def _one_by_one(function: Any, tasks: Any) -> None:
    for task in tasks:
        function(task)


def _joined(arrays: list[Any]) -> tuple[Any, Int64]:
    return np.concatenate(arrays), np.array([len(array) for array in arrays], np.int64)


class ColumnParts(Protocol):
    """The parts, wherever they are, as whoever solves asks them."""

    def ask(self, work: Work, requests: Sequence[Any]) -> list[Any]:
        """Have every part do this work, at once where that is possible: its answer to its request, in order.

        A request that is None is not asked, and has the answer None.
        """
        ...


@dataclass(frozen=True, eq=False)
class HereParts:
    """Parts that work in this process, one after the other."""

    parts: list[ColumnPart]

    def ask(self, work: Work, requests: Sequence[Any]) -> list[Any]:
        return [
            None if request is None else getattr(part, work)(request)
            for part, request in zip(self.parts, requests, strict=True)
        ]


@dataclass
class Traffic:
    """What went to the parts and came from them: arrays' bytes, and messages there and back.

    wanted  bytes of all working sets: what would have come, had no column been cached
    """

    sent: int = 0
    received: int = 0
    wanted: int = 0
    messages: int = 0


class _ColumnCache:
    """Columns that have come from their parts.

    rows  room for them, of which the first `used` are taken; slot[j] is the row of column j, −1 where it is not there
    """

    def __init__(self) -> None:
        self.slot = np.empty(0, np.int32)
        self.rows: Rows = np.empty((0, 0), np.float32)
        self.used = 0

    def prepare(self, columns: LassoColumns) -> None:
        """Make room, once."""
        if self.rows.shape[1] != columns.width:
            self.slot = np.full(columns.count, -1, np.int32)
            kind: Any = np.float32 if columns.basis is None else np.float64
            # Memory that nothing was written to is not taken yet.
            self.rows = np.empty((min(columns.count, ROOM // (columns.width * kind().itemsize)), columns.width), kind)

    def missing(self, places: Int64) -> Int64:
        """Those of these columns that must come, after room for them was made, if need be by giving up all others."""
        new = places[self.slot[places] < 0]
        if self.used + len(new) > len(self.rows):
            self.slot[:], self.used, new = -1, 0, places
            if len(new) > len(self.rows):
                self.rows = np.empty((len(new), self.rows.shape[1]), self.rows.dtype)
        return new

    def add(self, places: Int64) -> Rows:
        """Rows to be filled with these columns, which are not there yet."""
        first, self.used = self.used, self.used + len(places)
        self.slot[places] = np.arange(first, self.used)
        return self.rows[first : self.used]


@dataclass(frozen=True, eq=False)
class SplitColumns(LassoColumns):
    """Columns in parts.

    bounds   where each part begins, and the end
    parts    who has them work
    traffic  counts what travels
    cache    columns that have come
    """

    bounds: list[int]
    parts: ColumnParts
    traffic: Traffic = field(default_factory=Traffic)
    cache: _ColumnCache = field(default_factory=_ColumnCache)

    def screening(self, most: int, each: Each) -> Screening:
        return _Apart(self)


class _Apart:
    """All columns, each asked where it is."""

    def __init__(self, columns: SplitColumns) -> None:
        self._columns, self._bounds = columns, np.array(columns.bounds, np.int64)
        self._cache = columns.cache
        self._cache.prepare(columns)

    def see(self, asks: Sequence[ColumnAsk]) -> Sequence[ColumnAnswer]:
        vectors = np.array([ask.vector for ask in asks]).astype(np.float32)
        request = Request(vectors, [ask[1:] for ask in asks], self._columns.count)
        answers: list[Screened] = self._ask("screen", [request] * (len(self._bounds) - 1))
        each = [list(_of_problems(answer, start)) for answer, start in zip(answers, self._bounds, strict=False)]
        return [_Merged(self._columns.count, of_parts) for of_parts in zip(*each, strict=True)]

    def take(self, places: Sequence[Int64]) -> Iterator[list[WorkingSet]]:
        cache = self._cache
        for first, stop in pairwise(self._groups(places)):
            new = cache.missing(self._union(places[first:stop]))
            self._fetch("exact_rows", new, cache.add(new))
            sets = [WorkingSet(cache.rows, cache.slot[columns].astype(np.int64)) for columns in places[first:stop]]
            self._columns.traffic.wanted += sum(len(working.places) for working in sets) * cache.rows[:1].nbytes
            yield sets

    def original(self, places: Int64) -> Float32:
        if self._columns.basis is None:
            return np.asarray(self._cache.rows[self._cache.slot[places]], np.float32)
        rows = np.empty((len(places), self._columns.length), np.float32)
        self._fetch("original_rows", places, rows)
        return rows

    def _groups(self, places: Sequence[Int64]) -> list[int]:
        """Where groups of problems begin whose columns fit into memory, and the end."""
        room = len(self._cache.rows)
        if sum(map(len, places)) <= room or len(self._union(places)) <= room:
            return [0, len(places)][: 1 + bool(len(places))]
        starts, left = [0], room
        for i, columns in enumerate(places):
            if len(columns) > left and i > starts[-1]:
                starts.append(i)
                left = room
            left -= len(columns)
        return [*starts, len(places)]

    def _union(self, places: Sequence[Int64]) -> Int64:
        """What is in any, in order."""
        # Quicker than sorting: working sets of a batch have a million entries and more.
        wanted = np.zeros(self._columns.count, np.bool_)
        for columns in places:
            wanted[columns] = True
        return np.flatnonzero(wanted)

    def _fetch(self, work: Work, places: Int64, out: Rows) -> None:
        """Put these columns, which are in order, into `out`, from their parts."""
        if not len(places):
            return
        cuts = np.searchsorted(places, self._bounds)
        spans = list(pairwise(cuts.tolist()))
        requests = [
            (places[first:stop] - start).astype(np.int32) if stop > first else None
            for (first, stop), start in zip(spans, self._bounds, strict=False)
        ]
        for (first, stop), rows in zip(spans, self._ask(work, requests), strict=True):
            if rows is not None:
                out[first:stop] = rows

    def _ask(self, work: Work, requests: Sequence[Any]) -> list[Any]:
        traffic, answers = self._columns.traffic, self._columns.parts.ask(work, requests)
        traffic.messages += sum(request is not None for request in requests)
        traffic.sent += sum(request.nbytes for request in requests if request is not None)
        traffic.received += sum(answer.nbytes for answer in answers if answer is not None)
        return answers


class _Found(NamedTuple):
    """What one part found for one problem; places are the dictionary's."""

    sample: Float32
    places: Int64
    values: Float32
    beyond: int
    highest: tuple[float, float]


def _of_problems(answer: Screened, start: int) -> Iterator[_Found]:
    samples, counts = (np.concatenate([[0], np.cumsum(each)]) for each in (answer.samples, answer.counts))
    for i, ((a, b), (c, d)) in enumerate(zip(pairwise(samples), pairwise(counts), strict=True)):
        places, bounds = answer.places[c:d].astype(np.int64) + start, answer.highest[i]
        number = int(answer.beyond[i])
        yield _Found(answer.sample[a:b], places, answer.values[c:d], number, (float(bounds[0]), float(bounds[1])))


class _Merged:
    """What one problem sees: the answers of all parts put together."""

    def __init__(self, count: int, of_parts: Sequence[_Found]) -> None:
        self._count, self._found = count, of_parts

    def largest(self, most: int) -> Int64:
        floor = np.float32(0.0)
        if self._count > most:
            sample = np.concatenate([part.sample for part in self._found])
            floor = sample_bound(sample, most)
        places = np.concatenate([part.places for part in self._found])
        values = np.concatenate([part.values for part in self._found])
        above_floor: Int64 = places[np.abs(values) > floor]
        return above_floor

    def beyond(self) -> int:
        return sum(part.beyond for part in self._found)

    def highest(self) -> tuple[float, float]:
        return max(part.highest[0] for part in self._found), max(part.highest[1] for part in self._found)
