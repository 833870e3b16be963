"""Task success: the share of games that end with the right guess.

    task_success          = successes / (successes + failures)
    success_if_referring  = the same over the games whose last question refers to the target
    success_if_not        = the same over the others

A game that was given up, or whose outcome is not known, is no case; a game without a question has no last one and is in
neither of the two. Items are questions; a game's outcome stands in the row of its last question.
(effective-questions, Table 1 and §4.2.)
"""

from voirdire.metrics.measure import Key, Measure, identity, mean

__all__ = ["SUCCESS_IF_NOT", "SUCCESS_IF_REFERRING", "TASK_SUCCESS"]

TASK_SUCCESS = Measure(
    key=Key("task_success"),
    statistic=identity,
    aggregate=mean,
    better="higher",
    of=("success",),
    description="share of games that end with the right guess",
    citation="effective-questions, Table 1",
    leads=1,
)
SUCCESS_IF_REFERRING = TASK_SUCCESS.named(
    "success_if_referring",
    where=("referring", True),
    label="success if the last refers to the target",
    description="task success where the last question refers to the target",
)
SUCCESS_IF_NOT = TASK_SUCCESS.named(
    "success_if_not",
    where=("referring", False),
    label="success if not",
    description="task success where the last question does not refer to the target",
)
