"""What is there to be seen: can_you_see, there, any_."""

import re

from voirdire.scorekeeping.propositions.phrases import Thing, thing
from voirdire.scorekeeping.propositions.rule import Derived, Example, Rule, Turn, polar

__all__ = ["ANY", "CAN_YOU_SEE", "THERE", "there_is"]

_NO_THING = Derived(None, "what follows names no thing")
_SEE = re.compile(r"(?:can|do|could) (?:you|u|we) (?:actually |also |even |still )?see |see (?=any |a |an |the )")
_THERE = re.compile(r"(is|are) there ")
_ANY = re.compile(r"any (?!other\b|of\b|idea\b)")


def _after(pattern: re.Pattern[str], turn: Turn) -> Thing | None:
    """What follows the beginning of the question after coreference."""
    match = pattern.match(turn.resolved)
    assert match is not None
    return thing(turn.tagger.tag(turn.resolved[match.end() :]))


def can_you_see(turn: Turn) -> Derived | None:
    if not _SEE.match(turn.resolved):
        return None
    found = _after(_SEE, turn)
    if found is None:
        return _NO_THING
    return polar(turn, f"one can see {found.seen()}", f"one cannot see {found.unseen()}")


def there_is(found: Thing, verb: str = "") -> tuple[str, str]:
    """That there is such a thing, and that there is none; `verb` is taken where the thing's form leaves it open."""
    be = "are" if found.plural else "is"
    if verb and found.unclear:
        be = verb
    return f"there {be} {found.seen()}", f"there {be} {found.absent()}"


def there(turn: Turn) -> Derived | None:
    match = _THERE.match(turn.resolved)
    if match is None:
        return None
    found = _after(_THERE, turn)
    return _NO_THING if found is None else polar(turn, *there_is(found, match[1]))


def any_(turn: Turn) -> Derived | None:
    if not _ANY.match(turn.resolved):
        return None
    found = thing(turn.resolved_tokens)
    return _NO_THING if found is None else polar(turn, *there_is(found, "are"))


CAN_YOU_SEE = Rule(
    "can_you_see",
    "question after coreference",
    "can you see X, do you see X: one can see X / one cannot see any X",
    can_you_see,
    (
        Example("can you see a ladder", "yes", ("one can see a ladder.", "one cannot see any ladder.")),
        Example("do you see the lamp", "no", ("one cannot see any lamp.", "one can see a lamp.")),
        Example("do you see any goats", "no goats", ("one cannot see any goats.", "one can see goats.")),
        Example(
            "can you see owls in the barn",
            "yes 2",
            ("one can see owls in the barn.", "one cannot see any owls in the barn."),
        ),
        Example(
            "can you see his face",
            "yes",
            ("one can see the clown's face.", "one cannot see the clown's face."),
            resolved="can you see the clown's face",
        ),
        Example("can you see the remote", "no", ("one cannot see any remote.", "one can see a remote.")),
        Example("can you see anyone else", "no"),
        Example("can you see owls or bats", "no"),
        Example("can you see kites", "i see a balloon"),
        Example("can you see if the oven is on", "yes"),
        Example("what can you see", "a ladder", matches=False),
        Example("is there a ladder", "yes", matches=False),
    ),
)

THERE = Rule(
    "there",
    "question after coreference",
    "is there X, are there X: there is X / there is no X",
    there,
    (
        Example("are there any turnips", "yes", ("there are turnips.", "there are no turnips.")),
        Example("is there a pond in the yard", "no", ("there is no pond in the yard.", "there is a pond in the yard.")),
        Example("is there tall corn", "0", ("there is no tall corn.", "there is tall corn.")),
        Example("is there anyone on the pier", "no"),
        Example("are there many boats", "nope", ("there are not many boats.", "there are many boats.")),
        Example("is there clouds", "yes", ("there are clouds.", "there are no clouds.")),
        Example("are there lots of boats", "no", ("there are not lots of boats.", "there are lots of boats.")),
        Example(
            "is there writing on the gate", "yes", ("there is writing on the gate.", "there is no writing on the gate.")
        ),
        Example("is there a human", "no", ("there is no human.", "there is a human.")),
        Example("are there any leaves", "yes", ("there are leaves.", "there are no leaves.")),
        Example("are there hens", "a duck"),
        Example("is there more", "yes"),
        Example("how many hens are there", "2", matches=False),
        Example("is the hen there", "no", matches=False),
    ),
)

ANY = Rule(
    "any_",
    "question after coreference",
    "any X, but not any other X: there are X / there are no X",
    any_,
    (
        Example("any boats", "no", ("there are no boats.", "there are boats.")),
        Example("any flags on the mast", "yes, 2", ("there are flags on the mast.", "there are no flags on the mast.")),
        Example("any moonlight", "yes", ("there is a moonlight.", "there is no moonlight.")),
        Example("any snow", "not at all", ("there is no snow.", "there is snow.")),
        Example("any boats", "a canoe"),
        Example("any other boats", "no", matches=False),
        Example("any of the boats", "no", matches=False),
        Example("are there any boats", "no", matches=False),
    ),
)
