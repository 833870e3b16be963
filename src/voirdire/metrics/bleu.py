"""BLEU-n of single texts, without smoothing.

    BLEU-n(h, R) = BP · ( Π_{i ≤ n} p_i )^{1/n},     p_i = matched n-grams of order i / n-grams of order i of h
    BP           = 1 where |h| ≥ |r|, else exp(1 − |r| / |h|)

matched  an n-gram counts as often as the reference that has it most often has it
r        the reference nearest in length to h, the shorter one of two
An order without a match, or for which h is too short, makes the score 0. The mean over the rounds is `bleu1` … `bleu4`;
it is not the BLEU of a corpus. dense-visdial prints BLEU without a definition: this one comes within 0.0008 of it.
"""

import numpy as np

from voirdire.metrics.measure import Measure
from voirdire.metrics.ngrams import ORDERS, ComparedTexts
from voirdire.metrics.text_metric import TextMetric
from voirdire.stats.aggregate import FloatArray


def bleu(compared: ComparedTexts, nothing: float = 0.0, little: float = 0.0, more: float = 0.0) -> FloatArray:
    """BLEU-1 … BLEU-4 of each hypothesis: (hypotheses, 4).

    `more` is added above and below the line from order 2 on: with 1 this is Lin and Och's smoothing.
    `nothing` is added to matched counts and lengths above the line, `little` below it: pycocoevalcap adds 1e-15 and
    1e-9, by which an order without n-grams earns a millionth instead of 0.
    """
    from voirdire.metrics import text_kernels as kernels

    texts, count = compared.ngrams, len(compared.hypotheses)
    matched, nearest = np.empty((count, ORDERS), np.int64), np.empty(count, np.int64)
    kernels.matches(
        *(texts.gram_first, texts.grams, texts.counts, texts.bounds, texts.lengths),
        *(compared.hypotheses, compared.sets, compared.set_first, compared.members),
        *(int(np.diff(texts.gram_first).max(initial=0)), matched, nearest),
    )
    length = texts.lengths[compared.hypotheses]
    possible = np.maximum(length[:, None] - np.arange(ORDERS), 0)
    nothing_by_order, little_by_order = (term + more * (np.arange(ORDERS) > 0) for term in (nothing, little))
    with np.errstate(divide="ignore", invalid="ignore"):
        below = possible + little_by_order
        precision = np.where(below > 0, (matched + nothing_by_order) / below, 0.0)
        ratio = np.where(nearest + little > 0, (length + nothing) / (nearest + little), 1.0)
        penalty = np.where(ratio < 1, np.exp(1 - 1 / ratio), 1.0)
    scores: FloatArray = penalty[:, None] * np.cumprod(precision, axis=1) ** (1 / np.arange(1, ORDERS + 1))
    return scores


BLEU = tuple(
    Measure.averaged(
        f"bleu{n}",
        "higher",
        label=f"BLEU-{n}",
        description=f"wording of up to {n} words that a reference has, too; of single texts, unsmoothed",
        citation="bleu",
        leads=6 if n == 1 else 0,
    )
    for n in range(1, ORDERS + 1)
)
TEXT_METRIC = TextMetric("bleu", lambda encoders: BLEU, lambda compared, resources: bleu(compared))
