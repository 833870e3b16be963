"""ROUGE-L: the longest common subsequence of tokens, best over the references.

    ROUGE-L(h, R) = (1 + β²) · P · Q / (Q + β² · P),    β = 1.2
    P = max_r lcs(h, r) / |h|,    Q = max_r lcs(h, r) / |r|

This is the form of the evaluation of COCO captions (pycocoevalcap): best precision and best recall may come from two
references, and β is 1.2. It is 0 where nothing is common. Tokens are parted by white space; pycocoevalcap parts them at
every single space, which differs for texts with two spaces in a row or at an end.
"""

import numpy as np

from voirdire.metrics.measure import Measure
from voirdire.metrics.ngrams import ComparedTexts
from voirdire.metrics.text_metric import TextMetric
from voirdire.stats.aggregate import FloatArray

BETA = 1.2


def rouge_l(compared: ComparedTexts) -> FloatArray:
    """ROUGE-L of each hypothesis."""
    from voirdire.metrics import text_kernels as kernels

    texts, count = compared.ngrams, len(compared.hypotheses)
    precision, recall = np.empty(count), np.empty(count)
    kernels.longest_common(
        *(texts.first, texts.tokens, compared.hypotheses, compared.sets, compared.set_first, compared.members),
        *(int(texts.lengths.max(initial=0)), precision, recall),
    )
    below = recall + BETA**2 * precision
    scores: FloatArray = (1 + BETA**2) * precision * recall / np.where(below > 0, below, 1.0)
    return scores


ROUGE_L = Measure.averaged(
    "rouge_l",
    "higher",
    label="ROUGE-L",
    description="longest common subsequence of words, best precision and best recall over the references",
    citation="rouge",
    leads=5,
)
TEXT_METRIC = TextMetric("rouge", lambda encoders: (ROUGE_L,), lambda compared, resources: rouge_l(compared)[:, None])
