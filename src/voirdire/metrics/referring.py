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
    label="referring to the target",
    description="share of all questions that are true of the target alone",
    citation="effective-questions, §3.2",
)
REFERRING_OTHER = REFERRING.named(
    "referring_other",
    of=("referring_other",),
    label="referring to another object",
    description="share of all questions that are true of one other object alone",
)
LAST_REFERRING = REFERRING.named(
    "last_referring",
    where=("last", True),
    label="last question referring",
    description="share of games whose last question is true of the target alone",
    leads=3,
)
