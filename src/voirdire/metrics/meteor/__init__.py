"""METEOR 1.5: words aligned with a reference by form, stem, synonym and paraphrase, less a penalty for disorder.

    F = 1 / ((1 − α)/P + α/R),  score = F · (1 − γ · (chunks / matches)^β),  METEOR = 1/N · Σ_i max_r score(h_i, r)

P, R    share of the hypothesis and of the reference that is matched; words with meaning weigh δ, function words 1 − δ
chunks  runs of matches that follow each other in both
α, β, γ, δ = 0.85, 0.20, 0.60, 0.75; a match weighs 1 as itself, 0.6 by stem, 0.8 as synonym, 0.6 in a paraphrase.

Equal to the jar of METEOR 1.5 for English with `-norm`, without running it: its word lists and its paraphrase table are
read from the package pycocoevalcap and indexed once (half a minute; `prepare` does it ahead and reports progress).
The mean of the segments is the figure that dense-visdial prints; `CORPUS` makes the other one, where statistics are
added up first.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from voirdire.metrics.measure import Measure
from voirdire.metrics.ngrams import ComparedTexts
from voirdire.metrics.text_metric import Resources, TextMetric
from voirdire.progress import Progress, silent
from voirdire.stats.aggregate import Aggregate, FloatArray, of_sums

# α: how much recall counts beside precision; β and γ: shape and size of the penalty; δ: weight of words with meaning.
ALPHA, BETA, GAMMA, DELTA = 0.85, 0.20, 0.60, 0.75
# Of a word that is matched as itself, by its stem, as a synonym, in a paraphrase.
WEIGHTS = (1.0, 0.6, 0.8, 0.6)
# How many statistics a segment has.
WIDTH = 6


def meteor_segments(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> FloatArray:
    """The score of each hypothesis with the one of its references that gives the highest."""
    return _best(hypotheses, references)[1]


def meteor_statistics(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> FloatArray:
    """What the corpus score adds up, one row per hypothesis, with the first of its references that scores highest.

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
            f"`references` must be one set for each of {len(hypotheses):,} hypotheses, got {len(references):,}"
        )
    if isinstance(hypotheses, str):
        raise ValueError("`hypotheses` must be a sequence of strings, got a string")
    for at, texts in enumerate(references):
        if isinstance(texts, str):
            raise ValueError(f"`references` must be sequences of strings, got a string as set {at}")
        if not len(texts):
            raise ValueError(f"`references` must be at least one for each hypothesis, got none in set {at}")


def _corpus(
    matched: FloatArray,
    other_matched: FloatArray,
    length: FloatArray,
    other_length: FloatArray,
    chunks: FloatArray,
    matches: FloatArray,
) -> FloatArray:
    harmonic = 1.0 / ((1.0 - ALPHA) * length / matched + ALPHA * other_length / other_matched)
    return np.where(matches > 0, np.maximum(harmonic * (1.0 - GAMMA * (chunks / matches) ** BETA), 0.0), 0.0)


CORPUS: Aggregate = of_sums(_corpus, WIDTH, "corpus METEOR")
"""The score of the sums of `meteor_statistics`: one text after the other as one long text."""


def prepare(report: Progress = silent) -> None:
    """Make and keep the index, reporting (done, total) on the way; where it is kept already, nothing is reported."""
    from voirdire.metrics.meteor.index import installed_index

    installed_index(report)


def _score(compared: ComparedTexts, resources: Resources) -> FloatArray:
    texts = compared.distinct
    resources.progress(0, len(texts))
    members = [texts[at] for at in compared.members.tolist()]
    sets = [members[low:high] for low, high in itertools.pairwise(compared.set_first.tolist())]
    hypotheses = [texts[at] for at in compared.hypotheses.tolist()]
    return meteor_segments(hypotheses, [sets[number] for number in compared.sets.tolist()])[:, None]


METEOR = Measure.averaged(
    "meteor",
    "higher",
    label="METEOR",
    description="words, stems, synonyms and paraphrases shared with the best reference",
    citation="meteor",
    leads=1,
)
TEXT_METRIC = TextMetric("meteor", lambda encoders: (METEOR,), _score, prepare)
