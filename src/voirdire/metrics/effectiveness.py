"""Effectiveness: the share of a dialogue's questions that exclude a candidate.

    effectiveness        = 1/D · Σ_d 1/T_d · Σ_t [question t of dialogue d is effective]
    effectiveness_micro  = Σ_d Σ_t [effective] / Σ_d T_d
    last_effective       = 1/D · Σ_d [the last question of dialogue d is effective]
    effectiveness@t      = share of effective questions among all that are asked at turn t

A dialogue without a question has no effectiveness and is no case. Items are questions; a dialogue's own figures stand
in the row of its last question. (effective-questions, §3.2 and Table 1.)
"""

from dataclasses import replace

from voirdire.metrics.measure import Key, Measure, identity, mean

__all__ = [
    "EFFECTIVENESS",
    "EFFECTIVENESS_FAILURE",
    "EFFECTIVENESS_MICRO",
    "EFFECTIVENESS_SUCCESS",
    "LAST_EFFECTIVE",
    "at_turn",
]

CITATION = "effective-questions, §3.2"

EFFECTIVENESS = Measure(
    key=Key("effectiveness"),
    statistic=identity,
    aggregate=mean,
    better="higher",
    of=("effectiveness",),
    description="share of a game's questions that exclude a candidate, mean over games",
    citation=CITATION,
    leads=2,
)
EFFECTIVENESS_SUCCESS = EFFECTIVENESS.named(
    "effectiveness_success",
    where=("status", "success"),
    description="effectiveness of the games that end in success",
)
EFFECTIVENESS_FAILURE = EFFECTIVENESS.named(
    "effectiveness_failure",
    where=("status", "failure"),
    description="effectiveness of the games that end in failure",
)
EFFECTIVENESS_MICRO = EFFECTIVENESS.named(
    "effectiveness_micro",
    of=("effective",),
    label="effective, of all questions",
    description="share of all questions that exclude a candidate",
)
LAST_EFFECTIVE = Measure(
    key=Key("last_effective"),
    statistic=identity,
    aggregate=mean,
    better="higher",
    of=("effective",),
    where=("last", True),
    label="last question effective",
    description="share of games whose last question excludes a candidate",
    citation=CITATION,
)


def at_turn(turn: int) -> Measure:
    """`effectiveness@3`: the share of effective questions at turn 3."""
    return replace(EFFECTIVENESS_MICRO, key=EFFECTIVENESS.key.at(turn), where=("turn", turn))
