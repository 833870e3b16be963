"""R_score: how much of its accuracy a model keeps when related questions are added to the question.

    R_score = clamp( (√m − √|A_clean − A_noisy|) / (√m − √t), 0, 1 )

A_clean  accuracy on the questions as they are, in percent; A_noisy  with basic questions added
t, m     tolerance and limit, 0 ≤ t < m ≤ 100: a drop up to t costs nothing, one of m or more everything
         (vqa-robustness, eq. 7 to 9: t = 0.05, m = 20)

A rise counts as a fall does. Only the distance of the two accuracies matters, not how good they are: a model that
never looks at what is added has an R_score of 1, even if all of its answers are wrong.
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Key, Measure, of_means
from voirdire.stats.aggregate import FloatArray

TOLERANCE = 0.05
LIMIT = 20.0

# A mean of percentages may pass 100 by rounding.
ROUNDING = 1e-9


def check_bounds(t: float, m: float) -> None:
    """Refuse a tolerance that is not below the limit."""
    if not 0 <= t < m <= 100:
        raise ValueError(f"`t` and `m` must be 0 ≤ t < m ≤ 100, got {t} and {m}")


def r_score(clean: npt.ArrayLike, noisy: npt.ArrayLike, t: float = TOLERANCE, m: float = LIMIT) -> FloatArray:
    """The R_score of accuracies in percent, one or many at once."""
    check_bounds(t, m)
    for name, given in (("clean", clean), ("noisy", noisy)):
        percent = np.asarray(given, dtype=np.float64)
        if not ((percent >= -ROUNDING) & (percent <= 100 + ROUNDING)).all():
            raise ValueError(f"`{name}` must be in percent, from 0 to 100, got {given!r}")
    return _kept(np.asarray(clean, dtype=np.float64), np.asarray(noisy, dtype=np.float64), t, m)


def _kept(clean: FloatArray, noisy: FloatArray, t: float, m: float) -> FloatArray:
    root = (np.sqrt(m) - np.sqrt(np.abs(clean - noisy))) / (np.sqrt(m) - np.sqrt(t))
    return np.asarray(np.clip(root, 0.0, 1.0))


def both(clean: FloatArray, noisy: FloatArray) -> FloatArray:
    """Two statistics per item: its accuracy as it is and with noise."""
    return np.column_stack([clean, noisy])


def r_score_measure(clean: str, noisy: str, t: float = TOLERANCE, m: float = LIMIT) -> Measure:
    """R_score of two columns of the items, both in percent: of their means, over the items that have both."""
    check_bounds(t, m)
    return Measure(
        key=Key("r_score"),
        label="R_score",
        statistic=both,
        aggregate=of_means(lambda before, after: _kept(before, after, t, m), 2, "R_score"),
        better="higher",
        of=(clean, noisy),
        description="accuracy kept under noise, from 0 to 1",
        citation="vqa-robustness, eq. 8",
    )
