"""From the best sequences of questions to their neighbours in the pool."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.robustness.rankers.protocol import Neighbours
from voirdire.robustness.rankers.sequences import LONGEST, Int64, Sequences, spaced

__all__ = ["Lists", "no_lists", "rank_sequences"]

FloatArray = npt.NDArray[np.float64]
DIGITS = 12
"""That count in the scores of an overlong question, so that equal ones are equal in the last bit."""


@dataclass(frozen=True, eq=False)
class Lists:
    """The best sequences of each question, best first, filled[i] of them; keys grow with the score."""

    sequences: Int64
    keys: FloatArray
    filled: Int64


def no_lists(wanted: Int64) -> Lists:
    """Room for lists."""
    shape = (len(wanted), int(wanted.max(initial=0)))
    return Lists(np.full(shape, -1), np.zeros(shape), np.zeros(len(wanted), np.int64))


def rank_sequences(
    pool: Sequences,
    questions: Sequence[str],
    left_out: Sequence[npt.NDArray[np.int64]],
    top: int,
    find: Callable[[Sequence[str], Int64], Lists],
    against_all: Callable[[str], FloatArray],
    score: Callable[[FloatArray], FloatArray],
) -> Neighbours:
    """The neighbours of questions in a pool of sequences.

    find         the best sequences of questions of at most 64 tokens, which it is given `spaced`
    against_all  the scores of all sequences for one `spaced` question, for longer ones
    score        from keys to scores, growing
    """
    from voirdire.robustness.rankers.top import spread

    if len(left_out) != len(questions):
        raise ValueError(f"left_out: {len(left_out)} came for {len(questions)} questions, one each may come")
    if top < 1:
        raise ValueError(f"top: {top} came, at least 1 may come")
    out = [np.unique(places) for places in left_out]
    sizes = np.array([len(places) for places in out], np.int64)
    wanted = np.minimum(top + sizes, len(pool.texts))
    lists = no_lists(wanted)
    asked = [spaced(question) for question in questions]
    long = np.array([len(question.split()) > LONGEST for question in asked], bool)
    short = np.flatnonzero(~long)
    found = find([asked[row] for row in short.tolist()], wanted[short])
    width = found.sequences.shape[1]
    lists.sequences[short, :width], lists.keys[short, :width] = found.sequences, score(found.keys)
    lists.filled[short] = found.filled
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


def _rounded(scores: FloatArray) -> FloatArray:
    scale = 10.0 ** np.floor(np.log10(np.where(scores > 0, scores, 1.0)))
    made: FloatArray = np.round(scores / scale, DIGITS - 1) * scale
    return made
