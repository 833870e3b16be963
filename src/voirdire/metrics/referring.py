"""Referring questions: those that only one object of the image answers with yes, and all others with no.

    referring        = share of all questions that refer to the target
    referring_other  = share of all questions that refer to another object
    last_referring   = share of dialogues whose last question refers to the target

Items are questions. (effective-questions, §3.2 and Table 1.)
"""

from voirdire.metrics.measure import Key, Measure, identity, mean

__all__ = ["LAST_REFERRING", "REFERRING", "REFERRING_OTHER"]

REFERRING = Measure(
    key=Key("referring"),
    statistic=identity,
    aggregate=mean,
    better="neither",
    of=("referring",),
    description="share of all questions that refer to the target",
    citation="effective-questions, §3.2",
)
REFERRING_OTHER = REFERRING.named(
    "referring_other", of=("referring_other",), description="share of all questions that refer to another object"
)
LAST_REFERRING = REFERRING.named(
    "last_referring",
    where=("last", True),
    description="share of dialogues whose last question refers to the target",
)
