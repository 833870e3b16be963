"""Shares of what is right: accuracy, and the success, the effectiveness and the reference of the questions of games.

    accuracy              = 1/N · Σ_i [item i is right]

    task_success          = successes / (successes + failures)
    success_if_referring  = the same over the games whose last question refers to the target
    success_if_not        = the same over the others

    effectiveness         = 1/D · Σ_d 1/T_d · Σ_t [question t of dialogue d is effective]
    effectiveness_micro   = Σ_d Σ_t [effective] / Σ_d T_d
    last_effective        = 1/D · Σ_d [the last question of dialogue d is effective]
    effectiveness@t       = share of effective questions among all that are asked at turn t

    referring             = share of all questions that refer to the target
    referring_other       = share of all questions that refer to another object
    last_referring        = share of dialogues whose last question refers to the target

right      whether what was given for an item is what should have been given; the exam says what that means. Used where
           an item is right or wrong as a whole: the oracle's answers, the probe's classes, the judges' choices
success    a game that was given up, or whose outcome is not known, is no case; a game without a question has no last
           one and is in neither of the two conditional shares (effective-questions, Table 1 and §4.2)
effective  the question excludes a candidate; a dialogue without a question has no effectiveness and is no case
           (effective-questions, §3.2 and Table 1)
referring  only one object of the image answers the question with yes, and all others with no (the same)

Items of the games' measures are questions; what is said of a whole game stands in the row of its last question.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from voirdire.metrics.measure import Measure, identity, mean
from voirdire.stats.aggregate import FloatArray

__all__ = [
    "ACCURACY",
    "EFFECTIVENESS",
    "EFFECTIVENESS_FAILURE",
    "EFFECTIVENESS_MICRO",
    "EFFECTIVENESS_SUCCESS",
    "LAST_EFFECTIVE",
    "LAST_REFERRING",
    "REFERRING",
    "REFERRING_OTHER",
    "SUCCESS_IF_NOT",
    "SUCCESS_IF_REFERRING",
    "TASK_SUCCESS",
    "at_turn",
    "rightness",
]

CITATION = "effective-questions, §3.2"


def rightness(right: npt.NDArray[np.generic]) -> FloatArray:
    """One statistic per item: 1 where it is right, 0 where it is wrong; anything else is refused."""
    statistic = np.asarray(right, dtype=np.float64)
    if not np.isin(statistic, (0.0, 1.0)).all():
        bad = statistic[~np.isin(statistic, (0.0, 1.0))][0]
        raise ValueError(f"`right` must be 1 (right) or 0 (wrong), got {bad}")
    return statistic


ACCURACY = Measure(
    name="accuracy",
    statistic=rightness,
    aggregate=mean,
    better="higher",
    description="share of items that are right",
)


TASK_SUCCESS = Measure(
    name="task_success",
    statistic=identity,
    aggregate=mean,
    better="higher",
    of=("success",),
    description="share of games that end in success",
    citation="effective-questions, Table 1",
)
SUCCESS_IF_REFERRING = replace(
    TASK_SUCCESS,
    name="success_if_referring",
    where=("referring", True),
    description="task success where the last question refers to the target",
)
SUCCESS_IF_NOT = replace(
    TASK_SUCCESS,
    name="success_if_not",
    where=("referring", False),
    description="task success where the last question does not refer to the target",
)


EFFECTIVENESS = Measure(
    name="effectiveness",
    statistic=identity,
    aggregate=mean,
    better="higher",
    of=("effectiveness",),
    description="share of a dialogue's questions that are effective, mean over dialogues",
    citation=CITATION,
)
EFFECTIVENESS_SUCCESS = EFFECTIVENESS.variant(
    "_success", where=("status", "success"), description="effectiveness of the dialogues that end in success"
)
EFFECTIVENESS_FAILURE = EFFECTIVENESS.variant(
    "_failure", where=("status", "failure"), description="effectiveness of the dialogues that end in failure"
)
EFFECTIVENESS_MICRO = EFFECTIVENESS.variant(
    "_micro", of=("effective",), description="share of all questions that are effective"
)
LAST_EFFECTIVE = Measure(
    name="last_effective",
    statistic=identity,
    aggregate=mean,
    better="higher",
    of=("effective",),
    where=("last", True),
    description="share of dialogues whose last question is effective",
    citation=CITATION,
)


def at_turn(turn: int) -> Measure:
    """`effectiveness@3`: the share of effective questions at turn 3."""
    return replace(EFFECTIVENESS_MICRO, name=f"effectiveness@{turn}", where=("turn", turn))


REFERRING = Measure(
    name="referring",
    statistic=identity,
    aggregate=mean,
    better="neither",
    of=("referring",),
    description="share of all questions that refer to the target",
    citation=CITATION,
)
REFERRING_OTHER = REFERRING.variant(
    "_other", of=("referring_other",), description="share of all questions that refer to another object"
)
LAST_REFERRING = replace(
    REFERRING,
    name="last_referring",
    where=("last", True),
    description="share of dialogues whose last question refers to the target",
)
