"""Which figures of a run cannot rank models, and why.

What noise costs says nothing of a model that has nothing to lose: one whose accuracy without noise is not above that of
the commonest answer to each type of question, by the 95 % interval of the difference. Nor of one that gives the same
answers with noise as without: it is robust, or does not read what is added.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from voirdire.figures import short
from voirdire.metrics.key import Key
from voirdire.robustness.views import (
    ABOVE,
    ABOVE_NORMALISED,
    ACCURACY,
    DROP,
    DROP_NORMALISED,
    NEAREST,
    NORMALISED,
    R_SCORE,
    R_SCORE_NORMALISED,
)
from voirdire.runs import Run
from voirdire.runs.estimate import Measures

if TYPE_CHECKING:
    import polars as pl

ANSWER = Key("answer")
COSTS = (
    (ACCURACY, ABOVE, (DROP, R_SCORE)),
    (NORMALISED, ABOVE_NORMALISED, (DROP_NORMALISED, R_SCORE_NORMALISED)),
)
"""An accuracy, how far it is above the commonest answers', and what noise costs of it."""


def caveats(run: Run) -> Mapping[Key, str]:
    """Each figure that cannot rank the model, with the reason."""
    unread = unaffected(run)
    reasons: dict[Key, str] = {}
    for accuracy, above, costs in COSTS:
        if reason := ", and ".join(filter(None, (at_bottom(run.measures, accuracy.key, above.key), unread))):
            names = {cost.key.measure for cost in costs}
            reasons |= {key: reason for key in run.measures if key.measure in names and not key.slice}
    return reasons


def at_bottom(figures: Measures, accuracy: Key, above: Key) -> str:
    """Why a model has nothing to lose; empty where it has, or where a run has no such figures."""
    gain, right = figures.figure(above), figures.figure(accuracy).value
    if gain.value is None or right is None or (gain.low is not None and gain.low > 0):
        return ""
    commonest = f"{short(right - gain.value, 1)} % that the commonest answer to each type of question gets"
    if gain.value > 0:
        return f"its accuracy without noise, {short(right, 1)} %, is not clearly above the {commonest}"
    return f"its accuracy without noise, {short(right, 1)} %, is not above the {commonest}"


def unaffected(run: Run) -> str:
    """Why the cost of noise may mislead: a model that ignores what is added loses nothing."""
    hardly = changed_answers(run.items)
    if hardly is None:
        return ""
    return f"it changes {hardly[0]:,} of {hardly[1]:,} answers: it is robust, or does not read what is added"


def changed_answers(items: "pl.DataFrame") -> tuple[int, int] | None:
    """How many answers are others with the nearest questions added than without, and how many there are in both.

    Only where they are so few, one in a hundred, that the model may ignore what is added; else None.
    """
    clean, noisy = str(ANSWER), str(ANSWER.under(NEAREST))
    if not {clean, noisy} <= set(items.columns):
        return None
    pairs = items.select(clean, noisy).drop_nulls()
    changed = int((pairs[clean] != pairs[noisy]).sum())
    return (changed, pairs.height) if pairs.height and 100 * changed <= pairs.height else None
