"""The rules in the order in which they are tried, and what becomes of a round.

A round whose answer starts with an expression of not knowing is skipped. Otherwise the first rule that matches has it,
and where that yields nothing no other is tried.
"""

from voirdire.scorekeeping.propositions import (
    action,
    caption,
    color,
    existence,
    kind,
    people,
    place,
    predicate,
    weather,
)
from voirdire.scorekeeping.propositions import words as single
from voirdire.scorekeeping.propositions.polarity import is_unknown
from voirdire.scorekeeping.propositions.rule import Outcome, Rule, Turn

__all__ = ["NAMES", "RULES", "derive"]

RULES: tuple[Rule, ...] = (
    color.WHAT_COLOR,
    existence.CAN_YOU_SEE,
    existence.THERE,
    existence.ANY,
    kind.WHAT_KIND,
    weather.SUNNY,
    weather.CLOUDY,
    weather.DAYTIME,
    kind.IS_IT,
    weather.WEATHER,
    place.IS_INSIDE,
    place.IN_ANSWER,
    place.OUT_ANSWER,
    color.IMAGE_IN_COLOR,
    weather.DAYTIME_ANSWER,
    weather.SKY_ANSWER,
    people.MALE_FEMALE,
    people.NO_PEOPLE,
    predicate.IS_NOUN_ADJ,
    single.NOUN,
    predicate.NOUN_PREP_NOUN,
    action.NOUN_VERB,
    action.NOUN_VERB_NOUN,
    action.HAVE,
    action.LOOK_ADJ,
    predicate.NOUN_NOUN,
    action.WHAT_IS,
    single.ADJ_OR_ADJ,
    predicate.IS_NP_NP,
    action.LOOK_LIKE,
    predicate.VERB_PRON_ADJ,
    action.VERB_PRON_OBJ,
    predicate.PRON_PREP,
)
"""The rules of rounds."""

NAMES: tuple[str, ...] = (caption.NAME, *(rule.name for rule in RULES))
"""All 34 rules."""

NOT_KNOWING = "the answer starts with an expression of not knowing"
NO_RULE = "no rule matches"

# A noun for an answer is looked for when all else has failed.
_ATTEMPTS = (*((rule.name, rule.apply) for rule in RULES), (single.NOUN.name, single.noun_answer))


def derive(turn: Turn) -> Outcome:
    """What the rules make of a round, before filters."""
    if is_unknown(turn.answer):
        return Outcome(None, None, NOT_KNOWING)
    for name, apply in _ATTEMPTS:
        derived = apply(turn)
        if derived is not None:
            return Outcome(name, derived.pair, derived.reason)
    return Outcome(None, None, NO_RULE)
