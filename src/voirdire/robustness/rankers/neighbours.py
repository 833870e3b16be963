"""The best sequences of questions, and their neighbours: the places of the pool where these stand.

A list is kept in two arrays, sequences and keys, best first; of equal keys the sequence that the pool has earlier.
Import late: this brings numba.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.robustness.rankers import Neighbours
from voirdire.robustness.rankers.index import LONGEST, Int64, Sequences, spaced
from voirdire.stats.compiled import compiled, inner

FloatArray = npt.NDArray[np.float64]
DIGITS = 12
"""That count in the scores of an overlong question, so that equal ones are equal in the last bit."""


@dataclass(frozen=True, eq=False)
class BestSequences:
    """The best sequences of each question, best first, filled[i] of them; keys grow with the score."""

    sequences: Int64
    keys: FloatArray
    filled: Int64


def no_lists(wanted: Int64) -> BestSequences:
    """Room for lists."""
    shape = (len(wanted), int(wanted.max(initial=0)))
    return BestSequences(np.full(shape, -1), np.zeros(shape), np.zeros(len(wanted), np.int64))


def rank_sequences(
    pool: Sequences,
    questions: Sequence[str],
    left_out: Sequence[npt.NDArray[np.int64]],
    top: int,
    find: Callable[[Sequence[str], Int64], BestSequences],
    against_all: Callable[[str], FloatArray],
    score: Callable[[FloatArray], FloatArray],
) -> Neighbours:
    """The neighbours of questions in a pool of sequences.

    find         the best sequences of questions of at most 64 tokens, which it is given `spaced`
    against_all  the scores of all sequences for one `spaced` question, for longer ones
    score        from keys to scores, growing
    """
    check_asked(questions, left_out, top)
    out = [np.unique(places) for places in left_out]
    sizes = np.array([len(places) for places in out], np.int64)
    wanted = np.minimum(top + sizes, len(pool.texts))
    lists = no_lists(wanted)
    asked = [spaced(question) for question in questions]
    long = np.array([len(question.split()) > LONGEST for question in asked], bool)
    short = np.flatnonzero(~long)
    new = find([asked[row] for row in short.tolist()], wanted[short])
    width = new.sequences.shape[1]
    lists.sequences[short, :width], lists.keys[short, :width] = new.sequences, score(new.keys)
    lists.filled[short] = new.filled
    for row in np.flatnonzero(long).tolist():
        scores = _rounded(against_all(asked[row]))
        best = np.lexsort((pool.earliest, -scores))[: wanted[row]]
        best = best[scores[best] > 0]
        lists.sequences[row, : len(best)], lists.keys[row, : len(best)] = best, scores[best]
        lists.filled[row] = len(best)
    places = np.full((len(questions), top), -1)
    scores = np.zeros((len(questions), top))
    spread(
        *(lists.sequences, lists.keys, lists.filled, pool.group_first, pool.members),
        *(np.append(0, np.cumsum(sizes)), np.concatenate([np.empty(0, np.int64), *out]), places, scores),
    )
    return Neighbours(places, scores, {})


def check_asked(questions: Sequence[str], left_out: Sequence[Int64], top: int) -> None:
    """Refuse what no ranker can be asked for."""
    if len(left_out) != len(questions):
        raise ValueError(f"`left_out` must have one entry per question ({len(questions)}), got {len(left_out)}")
    if top < 1:
        raise ValueError(f"`top` must be at least 1, got {top}")


def _rounded(scores: FloatArray) -> FloatArray:
    scale = 10.0 ** np.floor(np.log10(np.where(scores > 0, scores, 1.0)))
    rounded: FloatArray = np.round(scores / scale, DIGITS - 1) * scale
    return rounded


@inner
def enter(sequence, key, earliest, sequences, keys, filled, wanted):  # type: ignore[no-untyped-def]
    """Put a sequence in its place among the `wanted` best, unless it is there already; gives how many there are."""
    place = filled
    while place > 0:
        other = sequences[place - 1]
        if keys[place - 1] > key or (keys[place - 1] == key and earliest[other] < earliest[sequence]):
            break
        if other == sequence:
            return filled
        place -= 1
    if place >= wanted:
        return filled
    filled = min(filled + 1, wanted)
    for move in range(filled - 1, place, -1):
        sequences[move] = sequences[move - 1]
        keys[move] = keys[move - 1]
    sequences[place] = sequence
    keys[place] = key
    return filled


@compiled
def spread(sequences, keys, filled, group_first, members, out_first, out, places, scores):  # type: ignore[no-untyped-def]
    """Turn lists of sequences into lists of places of the pool.

    out_first, out  the places that question i may not have, ascending: out[out_first[i] : out_first[i + 1]]
    places, scores  one row per question, filled with −1 and 0: what is found goes there

    A list of n sequences, each in the order of its first place, holds the first n places of the ranking: so where x
    places may not be had, top + x sequences are enough.
    """
    top = places.shape[1]
    for i in range(len(filled)):
        count = 0
        for s in range(filled[i]):
            key = keys[i, s]
            if count == top and scores[i, top - 1] > key:
                break
            for m in range(group_first[sequences[i, s]], group_first[sequences[i, s] + 1]):
                member = members[m]
                low, high = out_first[i], out_first[i + 1]
                while low < high:
                    middle = (low + high) // 2
                    if out[middle] < member:
                        low = middle + 1
                    else:
                        high = middle
                if low < out_first[i + 1] and out[low] == member:
                    continue
                at = count
                while at > 0 and scores[i, at - 1] == key and places[i, at - 1] > member:
                    at -= 1
                if at == top:
                    continue
                count = min(count + 1, top)
                for move in range(count - 1, at, -1):
                    places[i, move] = places[i, move - 1]
                    scores[i, move] = scores[i, move - 1]
                places[i, at] = member
                scores[i, at] = key
