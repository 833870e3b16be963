"""BLEU-n of single texts, as the evaluation of COCO captions has it.

    BLEU-n(h, R) = BP · ( Π_{i ≤ n} p_i )^{1/n},    0 where h and R have no word in common
    p_i          = matched n-grams of order i / n-grams of order i of h;    where none matches ε / (their number + δ)
    BP           = 1 where |h| ≥ |r|, else exp(1 − |r| / |h|)

matched  an n-gram counts as often as the reference that has it most often has it
r        the reference nearest in length to h, the shorter one of two
ε, δ     1e-15 and 1e-9: an order without a match makes the score almost 0, but one for which h is too short counts as a
         millionth, so that an answer of three words that is a reference itself has BLEU-4 of 1e-6^(1/4) = 0.03

dense-visdial prints BLEU without a definition (Table 6); by this one its figures come out to the digit. With p_i = 0
for orders without a match (`bleu`) BLEU-4 of Γ would be .0086 less. pycocoevalcap adds ε and δ everywhere, which is
the same within 1e-8. The mean over the rounds is `bleu1` … `bleu4`; it is not the BLEU of a corpus.
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Measure
from voirdire.metrics.ngrams import ORDERS, ComparedTexts
from voirdire.metrics.text_metric import TextMetric
from voirdire.stats.aggregate import FloatArray

NOTHING, LITTLE = 1e-15, 1e-9
Int64 = npt.NDArray[np.int64]


def caption_bleu(compared: ComparedTexts) -> FloatArray:
    """BLEU-1 … BLEU-4 of each hypothesis as above: (hypotheses, 4)."""
    matched, possible, length, nearest = _counts(compared)
    precision = np.where(matched > 0, matched / np.maximum(possible, 1), NOTHING / (possible + LITTLE))
    scores = _combined(precision, length / np.maximum(nearest, 1))
    return np.where(matched[:, :1] > 0, scores, 0.0)


def bleu(compared: ComparedTexts, nothing: float = 0.0, little: float = 0.0, more: float = 0.0) -> FloatArray:
    """BLEU-1 … BLEU-4 of each hypothesis: (hypotheses, 4); without a match of an order 0, unless smoothed.

    `more` is added above and below the line from order 2 on: with 1 this is Lin and Och's smoothing.
    `nothing` is added to matched counts and lengths above the line, `little` below it: pycocoevalcap's ε and δ.
    """
    matched, possible, length, nearest = _counts(compared)
    nothing_by_order, little_by_order = (term + more * (np.arange(ORDERS) > 0) for term in (nothing, little))
    with np.errstate(divide="ignore", invalid="ignore"):
        below = possible + little_by_order
        precision = np.where(below > 0, (matched + nothing_by_order) / below, 0.0)
        ratio = np.where(nearest + little > 0, (length + nothing) / (nearest + little), 1.0)
    return _combined(precision, ratio)


def _counts(compared: ComparedTexts) -> tuple[Int64, Int64, Int64, Int64]:
    """Matched and possible n-grams of each order, the length, and that of the nearest reference."""
    from voirdire.metrics import text_kernels as kernels

    texts, count = compared.ngrams, len(compared.hypotheses)
    matched, nearest = np.empty((count, ORDERS), np.int64), np.empty(count, np.int64)
    kernels.matches(
        *(texts.gram_first, texts.grams, texts.counts, texts.bounds, texts.lengths),
        *(compared.hypotheses, compared.sets, compared.set_first, compared.members),
        *(int(np.diff(texts.gram_first).max(initial=0)), matched, nearest),
    )
    length = texts.lengths[compared.hypotheses]
    return matched, np.maximum(length[:, None] - np.arange(ORDERS), 0), length, nearest


def _combined(precision: FloatArray, ratio: FloatArray) -> FloatArray:
    """The geometric mean of the orders, times the penalty for a hypothesis of `ratio` times the reference's length."""
    with np.errstate(divide="ignore"):
        penalty = np.where(ratio < 1, np.exp(1 - 1 / ratio), 1.0)
    scores: FloatArray = penalty[:, None] * np.cumprod(precision, axis=1) ** (1 / np.arange(1, ORDERS + 1))
    return scores


BLEU = tuple(
    Measure.averaged(
        f"bleu{n}",
        "higher",
        label=f"BLEU-{n}",
        description=f"wording of up to {n} words that a reference has, too; of single texts",
        citation="bleu",
        leads=6 if n == 1 else 0,
    )
    for n in range(1, ORDERS + 1)
)
TEXT_METRIC = TextMetric("bleu", lambda encoders: BLEU, lambda compared, resources: caption_bleu(compared))
