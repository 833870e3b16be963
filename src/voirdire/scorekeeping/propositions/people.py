"""People in the answer: male/female, no_people."""

from voirdire.scorekeeping.propositions.rule import Derived, Example, Pair, Rule, Turn, said

__all__ = ["MALE_FEMALE", "NO_PEOPLE"]


def male_female(turn: Turn) -> Derived | None:
    word = turn.answer.removeprefix("a ")
    if word not in ("male", "female", "man", "woman"):
        return None
    return said(f"there is a {word}", f"there is no {word}")


def no_people(turn: Turn) -> Derived | None:
    if not turn.answer.startswith("no people"):
        return None
    return Derived(Pair("there are no people.", "there are people.", "negative"))


MALE_FEMALE = Rule(
    "male/female",
    "answer",
    "the answer is male, female, man or woman: there is a woman / there is no woman",
    male_female,
    (
        Example("is the rider male or female", "female", ("there is a female.", "there is no female.")),
        Example("who rides the camel", "a man", ("there is a man.", "there is no man.")),
        Example("what gender is the rider", "Woman.", ("there is a woman.", "there is no woman.")),
        Example("is the rider male or female", "child", matches=False),
        Example("is the rider male or female", "the rider is male", matches=False),
    ),
)
_PAIR = ("there are no people.", "there are people.")
NO_PEOPLE = Rule(
    "no_people",
    "answer",
    "the answer starts with no people: there are no people / there are people",
    no_people,
    (
        Example("how many people are there", "no people", _PAIR),
        Example("who is on the pier", "no people at all", _PAIR),
        Example("how crowded is it", "no people that i can see", _PAIR),
        Example("how many people are there", "2 people", matches=False),
        Example("how crowded is it", "not many people", matches=False),
    ),
)
