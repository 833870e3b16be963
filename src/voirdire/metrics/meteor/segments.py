"""METEOR of whole files: the best reference of each hypothesis, and the figure of all together."""

import itertools
from collections.abc import Sequence

import numpy as np

from voirdire.metrics.meteor.parameters import ALPHA, BETA, GAMMA, WIDTH
from voirdire.stats.aggregate import Aggregate, FloatArray, of_sums

__all__ = ["CORPUS", "meteor_segments", "meteor_statistics"]


def meteor_segments(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> FloatArray:
    """The score of each hypothesis with the one of its references that gives the highest."""
    return _best(hypotheses, references)[1]


def meteor_statistics(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> FloatArray:
    """What the corpus score adds up, a row a hypothesis, with the first of its references that scores highest.

    (matched weight of the hypothesis, of the reference, length weight of the hypothesis, of the reference,
    chunks, 0 where all is matched in one, matched words of both sides, halved)
    """
    return _best(hypotheses, references)[0]


def _best(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, FloatArray]:
    _check(hypotheses, references)
    if not len(hypotheses):
        return np.empty((0, WIDTH)), np.empty(0)
    from voirdire.metrics.meteor.lexicon import installed_lexicon
    from voirdire.metrics.meteor.scorer import score_pairs
    from voirdire.metrics.meteor.tables import numbered, tabulate

    sizes = np.array([len(texts) for texts in references])
    texts, place = numbered([*hypotheses, *itertools.chain.from_iterable(references)])
    ours, theirs = np.repeat(place[: len(sizes)], sizes).astype(np.int64), place[len(sizes) :]
    # Each pair of texts is scored once, however often it occurs.
    pairs, of_pair = np.unique(ours * len(texts) + theirs, return_inverse=True)
    statistics, scores = score_pairs(tabulate(texts, installed_lexicon()), *np.divmod(pairs, len(texts)))
    first = np.append(0, np.cumsum(sizes)[:-1])
    highest = np.maximum.reduceat(scores[of_pair], first)
    # The first reference that reaches the highest score.
    reaching = np.flatnonzero(scores[of_pair] == np.repeat(highest, sizes))
    best = of_pair[reaching[np.searchsorted(reaching, first)]]
    return statistics[best], highest


def _check(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if len(hypotheses) != len(references):
        raise ValueError(
            f"references: there are {len(references):,} sets for {len(hypotheses):,} hypotheses; one each is needed"
        )
    if isinstance(hypotheses, str):
        raise ValueError("hypotheses: a string came; a sequence of strings is needed")
    for at, texts in enumerate(references):
        if isinstance(texts, str):
            raise ValueError(f"references: set {at} is a string; a sequence of strings is needed")
        if not len(texts):
            raise ValueError(f"references: set {at} is empty; at least one reference is needed")


def _corpus(
    matched: FloatArray,
    other_matched: FloatArray,
    length: FloatArray,
    other_length: FloatArray,
    chunks: FloatArray,
    matches: FloatArray,
) -> FloatArray:
    mean = 1.0 / ((1.0 - ALPHA) * length / matched + ALPHA * other_length / other_matched)
    return np.where(matches > 0, np.maximum(mean * (1.0 - GAMMA * (chunks / matches) ** BETA), 0.0), 0.0)


CORPUS: Aggregate = of_sums(_corpus, WIDTH, "corpus METEOR")
"""The score of the sums of `meteor_statistics`: one text after the other as one long text."""
