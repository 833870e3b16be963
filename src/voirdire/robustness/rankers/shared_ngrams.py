"""N-grams that a sequence and a question share, bit by bit, and the nearest sequences of a pool by them.

    E₁(i)  = the places of the question where its token is that of the sequence at i       `where[token]`
    E_n(i) = (E_{n−1}(i − 1) << 1) & E₁(i), the places where the n-gram that ends there ends in the question

The places of one n-gram are the same bits wherever it comes, and different n-grams share none. So a place that is
crossed off for each occurrence counts an n-gram as often as both texts have it. A question has at most 64 tokens.

The search is that of BLEU and of ROUGE-L:

    1  Lengths are visited by the most that a sequence of that length can score; one that cannot reach the worst of the
       best so far is passed over.
    2  At a length, `need` shared n-grams are the fewest with which a sequence may still enter. One that shares so many
       stands in at least need − s of the lists that are left when the s longest are not read: lists are read with a
       counter of one byte per sequence, and eight counters are compared at once.
    3  What is left is compared with the question bit by bit.

Every bound is computed as the score itself is, from whole numbers with one rounding, and so is never below it.
Import late: this brings numba.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import uint64

from voirdire.robustness.rankers.index import LONGEST, Int64, Sequences, invert
from voirdire.robustness.rankers.neighbours import BestSequences, enter, no_lists
from voirdire.stats.compiled import compiled

BYTES = uint64(0x0101010101010101)
HIGH = uint64(0x8080808080808080)
SPARE = 3
"""In how many of the lists that are read a sequence must stand, at least: with fewer, too many are left to step 3."""

FloatArray = npt.NDArray[np.float64]
ONE = uint64(1)


@dataclass(frozen=True, eq=False)
class Bounds:
    """For questions of one length, by the lengths of the pool: what a sequence can reach.

    most    float64[lengths, n-grams + 1]: the highest key with so many shared n-grams, 0 where none can be
    below, factor  key = product of the shared n-grams / below · factor
    """

    most: FloatArray
    below: FloatArray
    factor: FloatArray


class SharedNgrams:
    """order: of the n-grams to be shared; 0 where the longest common subsequence of tokens decides."""

    def __init__(self, pool: Sequences, order: int, bounds: Callable[[Int64, int], Bounds]) -> None:
        self._pool = pool
        self._order = order
        self._bounds = bounds
        self._index = invert(pool, (max(order, 1),))
        self._earliest = pool.earliest
        self._where = np.zeros(len(pool.vocabulary) + LONGEST, np.uint64)

    def find(self, questions: Sequence[str], wanted: Int64) -> BestSequences:
        """The best wanted[i] sequences of each question, none of which has more than 64 tokens."""
        lists = no_lists(wanted)
        asked = self._pool.number(questions)
        sizes = np.diff(asked.first)
        for size in np.unique(sizes).tolist():
            rows = np.flatnonzero(sizes == size)
            tokens = asked.tokens[(asked.first[rows, None] + np.arange(size)).ravel()]
            first = np.arange(len(rows) + 1) * size
            occurrences = self._index.occurrences(first, tokens)
            of, texts = self._index.lists(occurrences.grams, occurrences.before), occurrences.texts
            by_text = np.argsort(texts[of >= 0], kind="stable")
            list_of_first = np.append(0, np.cumsum(np.bincount(texts[of >= 0], minlength=len(rows))))
            bounds = self._bounds(self._pool.lengths, size)
            part = no_lists(wanted[rows])
            _search(
                *(self._order, first, tokens, list_of_first, of[of >= 0][by_text]),
                *(self._index.list_first, self._index.holders, self._pool.first, self._pool.tokens, self._earliest),
                *(self._pool.range_first, np.argsort(-bounds.most[:, -1], kind="stable")),
                *(bounds.most, bounds.below, bounds.factor, self._where, wanted[rows]),
                *(part.sequences, part.keys, part.filled),
            )
            width = part.sequences.shape[1]
            lists.sequences[rows, :width], lists.keys[rows, :width] = part.sequences, part.keys
            lists.filled[rows] = part.filled
        return lists


@compiled
def _search(  # type: ignore[no-untyped-def]
    order, first, tokens, list_of_first, list_of, list_first, holders, pool_first, pool_tokens, earliest, range_first,
    ranges, most, below, factor, where, wanted, sequences, keys, filled,
):  # fmt: skip
    """Fill `sequences`, `keys` and `filled` for questions of one length.

    order                  of the n-grams that have lists; 0 where tokens have and the common subsequence decides
    first, tokens          the questions;  list_of_first, list_of  the lists of each
    list_first, held       the index;  pool_first, pool_tokens, earliest, range_first  the sequences
    ranges                 the numbers of the lengths in the order of visit
    most[b, c]             the highest key at length b with c n-grams shared (with c common tokens, where order is 0)
    below[b], factor[b]    key = product of the shared n-grams of all orders / below · factor
    where                  zeros, one word per token
    """
    widest = 0
    for b in range(len(range_first) - 1):
        widest = max(widest, range_first[b + 1] - range_first[b])
    words = np.zeros(widest // 8 + 1, np.uint64)
    counters = words.view(np.uint8)
    longest = 0
    for q in range(len(first) - 1):
        longest = max(longest, list_of_first[q + 1] - list_of_first[q])
    low, high = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for q in range(len(first) - 1):
        mark(where, tokens, first[q], first[q + 1])
        count = list_of_first[q + 1] - list_of_first[q]
        size = 0
        for b in ranges:
            full = size == wanted[q]
            worst = keys[q, size - 1] if full else 0.0
            # The order of visit is that of questions all of whose n-grams the pool has; for others a later length
            # may reach more.
            if most[b, count] <= 0.0 or (full and most[b, count] < worst):
                continue
            need = _need(most[b], worst, 1)
            start, stop = range_first[b], range_first[b + 1]
            skipped = max(0, need - SPARE)
            _cut(list_of, list_of_first[q], count, list_first, holders, start, stop, low, high)
            for r in range(skipped, count):
                for p in range(low[r], high[r]):
                    counters[holders[p] - start] += 1
            for w in range((stop - start + 7) // 8):
                word = words[w]
                if word == 0:
                    continue
                words[w] = 0
                if (word + uint64(128 - (need - skipped)) * BYTES) & HIGH == 0:
                    continue
                for at in range(8):
                    if np.int64((word >> uint64(8 * at)) & uint64(255)) < need - skipped:
                        continue
                    d = start + 8 * w + at
                    if order == 0:
                        key = most[b, common_subsequence(where, pool_tokens, pool_first[d], pool_first[d + 1])]
                    else:
                        product = matched(where, pool_tokens, pool_first[d], pool_first[d + 1], order)
                        key = product / below[b] * factor[b]
                    if key > worst or (key == worst and size == wanted[q] and key > 0.0):
                        size = enter(d, key, earliest, sequences[q], keys[q], size, wanted[q])
                        if size == wanted[q]:
                            worst = keys[q, size - 1]
                            need = _need(most[b], worst, need)
        filled[q] = size
        unmark(where, tokens, first[q], first[q + 1])


@compiled
def _need(most, worst, need):  # type: ignore[no-untyped-def]
    """The fewest shared n-grams whose bound is not below `worst`."""
    while need < len(most) - 1 and (most[need] < worst or most[need] <= 0.0):
        need += 1
    return need


@compiled
def _cut(list_of, begin, count, list_first, holders, start, stop, low, high):  # type: ignore[no-untyped-def]
    """low, high: the part of each list that holds sequences from `start` to below `stop`, the longest part first."""
    for r in range(count):
        l = list_of[begin + r]  # noqa: E741
        left = _find(holders, list_first[l], list_first[l + 1], start)
        right = _find(holders, left, list_first[l + 1], stop)
        at = r
        while at > 0 and high[at - 1] - low[at - 1] < right - left:
            low[at], high[at] = low[at - 1], high[at - 1]
            at -= 1
        low[at], high[at] = left, right


@compiled
def _find(holders, low, high, value):  # type: ignore[no-untyped-def]
    """The first place from `low` on whose entry is not below `value`."""
    while low < high:
        middle = (low + high) // 2
        if holders[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def ones(word):  # type: ignore[no-untyped-def]
    """How many bits are set."""
    word = word - ((word >> uint64(1)) & uint64(0x5555555555555555))
    word = (word & uint64(0x3333333333333333)) + ((word >> uint64(2)) & uint64(0x3333333333333333))
    word = (word + (word >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return (word * uint64(0x0101010101010101)) >> uint64(56)


@compiled
def lowest(word):  # type: ignore[no-untyped-def]
    """The place of the lowest bit that is set; 64 where none is."""
    return ones((word & (~word + ONE)) - ONE)


@compiled
def mark(where, tokens, start, stop):  # type: ignore[no-untyped-def]
    """Set where[token] for a question."""
    for i in range(start, stop):
        where[tokens[i]] |= ONE << uint64(i - start)


@compiled
def unmark(where, tokens, start, stop):  # type: ignore[no-untyped-def]
    """Clear what `mark` set."""
    for i in range(start, stop):
        where[tokens[i]] = uint64(0)


@compiled
def shared_counts(where, tokens, start, stop, order):  # type: ignore[no-untyped-def]
    """How many n-grams of orders 1 to 4 sequence and question share; orders 3 and 4 only where `order` is over 2."""
    used_1 = used_2 = used_3 = used_4 = uint64(0)
    ending_1 = ending_2 = ending_3 = uint64(0)
    for i in range(start, stop):
        here = where[tokens[i]]
        ending_4 = (ending_3 << ONE) & here
        ending_3 = (ending_2 << ONE) & here
        ending_2 = (ending_1 << ONE) & here
        ending_1 = here
        free = ending_1 & ~used_1
        used_1 |= free & (~free + ONE)
        free = ending_2 & ~used_2
        used_2 |= free & (~free + ONE)
        if order > 2:
            free = ending_3 & ~used_3
            used_3 |= free & (~free + ONE)
            free = ending_4 & ~used_4
            used_4 |= free & (~free + ONE)
    return ones(used_1), ones(used_2), ones(used_3), ones(used_4)


@compiled
def matched(where, tokens, start, stop, order):  # type: ignore[no-untyped-def]
    """The product over orders 1 to `order` of the n-grams that sequence and question share."""
    counts = shared_counts(where, tokens, start, stop, order)
    product = counts[0]
    for i in range(1, order):
        product *= counts[i]
    return product


@compiled
def common_subsequence(where, tokens, start, stop):  # type: ignore[no-untyped-def]
    """The length of the longest common subsequence: its steps along the question are the bits that fall to 0."""
    row = ~uint64(0)
    for i in range(start, stop):
        here = where[tokens[i]]
        step = row & here
        row = (row + step) | (row - step)
    return ones(~row)
