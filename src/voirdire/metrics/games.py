"""How good the questions of guessing games are: success of the games, effectiveness and reference of the questions.

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

success    a game that was given up is left out, or by option a failure; one with an unknown outcome is left out. A game
           without a question has no last one and is in neither of the two conditional shares (effective-questions,
           Table 1 and §4.2)
effective  the question excludes a candidate; a dialogue without a question has no effectiveness and is left out
           (effective-questions, §3.2 and Table 1)
referring  only one object of the image answers the question with yes, and all others with no (the same)

Items are questions; the values of a whole game are in the row of its last question.
"""

from dataclasses import replace

from voirdire.metrics.measure import Measure

CITATION = "effective-questions, §3.2"

TASK_SUCCESS = Measure.averaged(
    "task_success",
    "higher",
    of=("success",),
    description="share of games that end with the right guess",
    citation="effective-questions, Table 1",
    leads=1,
    share=True,
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

EFFECTIVENESS = Measure.averaged(
    "effectiveness",
    "higher",
    description="share of a game's questions that exclude a candidate, mean over games",
    citation=CITATION,
    leads=2,
    share=True,
)
EFFECTIVENESS_SUCCESS = EFFECTIVENESS.named(
    "effectiveness_success",
    where=("success", True),
    description="effectiveness of the games that end in success",
)
EFFECTIVENESS_FAILURE = EFFECTIVENESS.named(
    "effectiveness_failure",
    where=("success", False),
    description="effectiveness of the games that end in failure",
)
EFFECTIVENESS_MICRO = EFFECTIVENESS.named(
    "effectiveness_micro",
    of=("effective",),
    label="effective, of all questions",
    description="share of all questions that exclude a candidate",
)
LAST_EFFECTIVE = Measure.averaged(
    "last_effective",
    "higher",
    of=("effective",),
    where=("last", True),
    label="last question effective",
    description="share of games whose last question excludes a candidate",
    citation=CITATION,
    share=True,
)


def at_turn(turn: int) -> Measure:
    """`effectiveness@3`: the share of effective questions at turn 3."""
    return replace(EFFECTIVENESS_MICRO, key=EFFECTIVENESS.key.at(turn), where=("turn", turn))


REFERRING = Measure.averaged(
    "referring",
    "neither",
    label="referring to the target",
    description="share of all questions that are true of the target alone",
    citation=CITATION,
    share=True,
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
