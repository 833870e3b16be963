"""The best sequences by CIDEr, compiled. Import late: it brings numba.

    CIDEr(h, r) = ¼ · Σ_n Σ_g  count_h(g) · value(g) / (|r|_n · |h|_n),     value(g) = count_r(g) · idf(g)²

Each list of the question's n-grams adds at most  share · highest 1 / |h|_n  to a score, and the lists of one order that
are left aside together at most  ¼ · |their part of r| / |r|_n  (Cauchy and Schwarz). The longest lists are those of
words that say little, whose shares are small. So:

    1  The sequences of the shortest lists are scored; the worst of the best of them is the first threshold.
    2  Lists are left aside, those first that promise least for their length, while all of them together stay below
       the threshold. The others are added up, some thousand sequences at a time.
    3  A sequence whose sum, with all that was left aside, reaches the threshold is scored by its tokens. The threshold
       grows, and more lists are left aside.
"""

import numpy as np
from numba import uint64

from voirdire.robustness.rankers.bits import lowest, mark, ones, unmark
from voirdire.robustness.rankers.top import enter
from voirdire.stats.compiled import compiled

__all__ = ["search"]

ONE = uint64(1)
ORDERS = 4
BLOCK = 4096
SEEDS = 8
"""How many sequences are scored in step 1, for each one that is wanted."""
SLACK = 1e-9
"""Of a bound, for the rounding of its sums."""


@compiled
def search(  # type: ignore[no-untyped-def]
    first, tokens, idf_at, list_of_first, list_of, order_of, place_of, list_first, held, highest,
    pool_first, pool_tokens, norms, inverse, earliest, where, wanted, sequences, keys, filled,
):  # fmt: skip
    """Fill `sequences`, `keys` and `filled`.

    first, tokens      the questions;  idf_at[n − 1, i]  idf of the n-gram that starts at token i
    list_of_first, list_of, order_of, place_of  the lists of each question's n-grams, their orders (from 0) and where in
                       the question the n-gram ends
    highest[l]         the highest 1 / |h|_n in a list
    norms, inverse     |h|_n of each sequence and order, and 1 / |h|_n, 0 where |h|_n is
    where              zeros, one word a token
    """
    parts = np.empty((ORDERS, np.diff(pool_first).max()))
    values, norm, sums = np.empty((ORDERS, 64)), np.empty(ORDERS), np.zeros(BLOCK)
    for q in range(len(first) - 1):
        mark(where, tokens, first[q], first[q + 1])
        _weigh(where, tokens, first[q], first[q + 1], idf_at, values, norm)
        mine = slice(list_of_first[q], list_of_first[q + 1])
        lists, orders = list_of[mine], order_of[mine]
        share, energy = _shares(orders, place_of[mine], values, norm, idf_at[:, first[q] :])
        bound, at, stop = share * highest[lists], list_first[lists], list_first[lists + 1]
        size, limit = 0, wanted[q]
        scored = 0
        for r in np.argsort(stop - at):
            for p in range(at[r], min(stop[r], at[r] + max(0, SEEDS * limit - scored))):
                d = held[p]
                key = _score(where, pool_tokens, pool_first[d], pool_first[d + 1], values, norm, norms[d], parts)
                if key > 0.0:
                    size = enter(d, key, earliest, sequences[q], keys[q], size, limit)
                scored += 1
        aside = np.argsort(bound / np.maximum(stop - at, 1))
        skipped, rest = 0, 0.0
        for block in range(0, len(pool_first) - 1, BLOCK):
            end = min(block + BLOCK, len(pool_first) - 1)
            worst = keys[q, limit - 1] if size == limit else 0.0
            skipped, rest = _leave(aside, bound, energy, orders, worst, skipped, rest)
            for r in aside[skipped:]:
                p, add, n = at[r], share[r], orders[r]
                while p < stop[r] and held[p] < end:
                    sums[held[p] - block] += add * inverse[n, held[p]]
                    p += 1
                at[r] = p
            for d in range(block, end):
                total = sums[d - block]
                if total == 0.0:
                    continue
                sums[d - block] = 0.0
                if total + rest < worst * (1.0 - SLACK):
                    continue
                key = _score(where, pool_tokens, pool_first[d], pool_first[d + 1], values, norm, norms[d], parts)
                if key > worst or (key == worst and size == limit):
                    size = enter(d, key, earliest, sequences[q], keys[q], size, limit)
                    worst = keys[q, limit - 1] if size == limit else 0.0
        filled[q] = size
        unmark(where, tokens, first[q], first[q + 1])


@compiled
def _weigh(where, tokens, start, stop, idf_at, values, norm):  # type: ignore[no-untyped-def]
    """values[n − 1, j]: of the question's n-gram that ends at its token j;  norm[n − 1]: |r|_n."""
    for n in range(ORDERS):
        norm[n] = 0.0
        for i in range(start, stop - n):
            ending = where[tokens[i]]
            for k in range(1, n + 1):
                ending = (ending << ONE) & where[tokens[i + k]]
            count, idf, place = ones(ending), idf_at[n, i], i + n - start
            values[n, place] = count * idf * idf
            if lowest(ending) == uint64(place):
                norm[n] += (count * idf) ** 2
        norm[n] = np.sqrt(norm[n])


@compiled
def _shares(orders, places, values, norm, idf_at):  # type: ignore[no-untyped-def]
    """For each list of a question: what an occurrence adds before it is divided by |h|_n, and (weight / |r|_n)²."""
    share, energy = np.zeros(len(orders)), np.zeros(len(orders))
    for r in range(len(orders)):
        n = orders[r]
        value = values[n, places[r]]
        if value > 0.0:
            share[r] = value / norm[n] / ORDERS
            energy[r] = (value / idf_at[n, places[r] - n] / norm[n]) ** 2
    return share, energy


@compiled
def _score(where, tokens, start, stop, values, norm, norms, parts):  # type: ignore[no-untyped-def]
    """CIDEr of one sequence. Its addends are added from the least on, so that equal ones give equal sums."""
    one = two = three = four = 0
    ending_1 = ending_2 = ending_3 = uint64(0)
    for i in range(start, stop):
        here = where[tokens[i]]
        ending_4 = (ending_3 << ONE) & here
        ending_3 = (ending_2 << ONE) & here
        ending_2 = (ending_1 << ONE) & here
        ending_1 = here
        if ending_1:
            one = _put(parts[0], one, values[0, lowest(ending_1)])
        if ending_2:
            two = _put(parts[1], two, values[1, lowest(ending_2)])
        if ending_3:
            three = _put(parts[2], three, values[2, lowest(ending_3)])
        if ending_4:
            four = _put(parts[3], four, values[3, lowest(ending_4)])
    counts, total = (one, two, three, four), 0.0
    for n in range(ORDERS):
        both = norm[n] * norms[n]
        if both > 0.0:
            dot = 0.0
            for i in range(counts[n]):
                dot += parts[n, i]
            total += dot / both
    return total / ORDERS


@compiled
def _put(parts, count, value):  # type: ignore[no-untyped-def]
    """Insert a value into the ascending ones; gives how many there are."""
    at = count
    while at > 0 and parts[at - 1] > value:
        parts[at] = parts[at - 1]
        at -= 1
    parts[at] = value
    return count + 1


@compiled
def _leave(aside, bound, energy, order, worst, skipped, rest):  # type: ignore[no-untyped-def]
    """How many lists are left aside now, in the order of `aside`, and the most that they can add together."""
    sums, squares = np.zeros(ORDERS), np.zeros(ORDERS)
    for at in range(len(aside)):
        r = aside[at]
        sums[order[r]] += bound[r]
        squares[order[r]] += energy[r]
        most = 0.0
        for n in range(ORDERS):
            most += min(sums[n], np.sqrt(squares[n]) / ORDERS)
        if most >= worst * (1.0 - SLACK):
            return max(skipped, at), rest
        if at >= skipped:
            rest = most
    return len(aside), rest
