"""Is a predicted scoreboard one that a dialogue could have? Shifts, stable truth, and opposites.

    shift_right       = share of propositions that are private before, and shared at, the turn that mentions them
    shift_only_right  = share of propositions of which this is the only change between private and shared
    truth_stable      = share of propositions that are given one truth value at all turns
    opposites_agree   = share of turns of a proposition and its contradiction at which both are given the same value

A proposition of the caption is right where it is shared at turn 0, and only right where it stays so. Classes without a
truth value do not count: a proposition that never has one, and a turn at which a pair has fewer than two, are left out.
Items are points; a proposition's own figures are in the row of its first turn, a pair's in that of its entailment.
(scorekeeping, §6 and appendix C.)
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Measure

CITATION = "scorekeeping, §6"

Signs = npt.NDArray[np.int8]
"""1, 0, or -1 where there is no value or no such turn."""
Booleans = npt.NDArray[np.bool_]


def shifts(shared: Signs, turn_shared: npt.NDArray[np.integer]) -> tuple[Booleans, Booleans]:
    """Whether each proposition's shift is right, and only right; `shared` is (propositions, turns)."""
    rows = np.arange(len(shared))
    caption = turn_shared == 0
    at, before = shared[rows, turn_shared], shared[rows, np.maximum(turn_shared - 1, 0)]
    right = (at == 1) & (caption | (before == 0))
    changes = ((shared[:, 1:] != shared[:, :-1]) & (shared[:, 1:] >= 0)).sum(axis=1)
    return right, right & (changes == np.where(caption, 0, 1))


def truth_stable(truth: Signs) -> tuple[Booleans, Booleans]:
    """Whether each proposition is given one truth value throughout, and whether it is given any."""
    ever, never = (truth == 1).any(axis=1), (truth == 0).any(axis=1)
    return ever ^ never, ever | never


def opposites_agree(truth: Signs, contradiction: Signs) -> tuple[Booleans, Booleans]:
    """Whether a pair is given the same truth value at each turn, and whether both are given one."""
    both = (truth >= 0) & (contradiction >= 0)
    return both & (truth == contradiction), both


SHIFT_RIGHT = Measure.averaged(
    "shift_right",
    "higher",
    label="shared at the right turn",
    description="share of propositions that become shared at the right turn",
    citation=CITATION,
    share=True,
)
SHIFT_ONLY_RIGHT = Measure.averaged(
    "shift_only_right",
    "higher",
    label="shared at the right turn alone",
    description="share of propositions that become shared at the right turn alone",
    citation=CITATION,
    share=True,
    leads=2,
)
TRUTH_STABLE = Measure.averaged(
    "truth_stable",
    "higher",
    label="one truth value throughout",
    description="share of propositions whose truth value stays the same",
    citation=CITATION,
    share=True,
)
OPPOSITES_AGREE = Measure.averaged(
    "opposites_agree",
    "lower",
    label="opposites with the same value",
    description="share of turns of a pair of opposites at which both have the same truth value",
    citation=CITATION,
    share=True,
)
