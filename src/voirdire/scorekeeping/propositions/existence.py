"""What is there to be seen: can_you_see, there, any_, noun_, male/female, no_people."""

import re

from voirdire.scorekeeping.propositions.caption import RELATIONAL
from voirdire.scorekeeping.propositions.color import COLOURS
from voirdire.scorekeeping.propositions.english import NounPhrase, article, codes, is_plural, noun_phrase, with_article
from voirdire.scorekeeping.propositions.rule import Derived, Exchange, Pair, Rule, nonpolar, polar

_NO_THING = Derived(None, "what follows names no thing")
_SEE = re.compile(r"(?:can|do|could) (?:you|u|we) (?:actually |also |even |still )?see |see (?=any |a |an |the )")
_THERE = re.compile(r"(is|are) there ")
_ANY = re.compile(r"any (?!other\b|of\b|idea\b)")
# What these ask for is no thing that can be there.
_NOT_THERE = re.compile(
    r"\b(?:season|time|month|year|day|colou?rs?|gender|sex|shape|size|brand|race|name|age|style|hand)\b"
)


def _after(pattern: re.Pattern[str], exchange: Exchange) -> NounPhrase | None:
    """What follows the beginning of the question after coreference."""
    match = pattern.match(exchange.resolved)
    assert match is not None
    return noun_phrase(exchange.tagger.tag(exchange.resolved[match.end() :]))


def can_you_see(exchange: Exchange) -> Derived | None:
    if not _SEE.match(exchange.resolved):
        return None
    found = _after(_SEE, exchange)
    if found is None:
        return _NO_THING
    return polar(exchange, f"one can see {found.seen()}", f"one cannot see {found.unseen()}", there=True)


def _there_is(found: NounPhrase, verb: str = "") -> tuple[str, str]:
    """That there is such a thing, and that there is none; `verb` is taken where the thing's form leaves it open."""
    be = "are" if found.plural else "is"
    if verb and found.unclear:
        be = verb
    return f"there {be} {found.seen()}", f"there {be} {found.absent()}"


def there(exchange: Exchange) -> Derived | None:
    match = _THERE.match(exchange.resolved)
    if match is None:
        return None
    found = _after(_THERE, exchange)
    return _NO_THING if found is None else polar(exchange, *_there_is(found, match[1]), there=True)


def any_(exchange: Exchange) -> Derived | None:
    if not _ANY.match(exchange.resolved):
        return None
    found = noun_phrase(exchange.resolved_tokens)
    if found is None:
        return _NO_THING
    yes, no = _there_is(found, "are")
    if not (found.plural or found.fixed or found.unclear):
        # Any singular has its article here, as in the published propositions: there is a sunshine.
        yes = f"there is {article(found.text)} {found.text}"
    return polar(exchange, yes, no, there=True)


def _noun_is_there(noun: str) -> tuple[str, str]:
    be = "are" if is_plural(noun) else "is"
    return f"there {be} {with_article(noun, noun)}", f"there {be} no {noun}"


def noun_(exchange: Exchange) -> Derived | None:
    if codes(exchange.question_tokens) != "N" or exchange.question in COLOURS | RELATIONAL:
        return None
    return polar(exchange, *_noun_is_there(exchange.question), there=True)


def noun_answer(exchange: Exchange) -> Derived | None:
    if codes(exchange.answer_tokens) != "N" or not exchange.question.startswith(("what", "which", "who")):
        return None
    if (
        _NOT_THERE.search(exchange.question)
        or exchange.answer in COLOURS | RELATIONAL
        or exchange.answer_tokens[0].pos != "NOUN"
    ):
        return None
    return nonpolar(*_noun_is_there(exchange.answer))


def male_female(exchange: Exchange) -> Derived | None:
    word = exchange.answer.removeprefix("a ")
    if word not in ("male", "female", "man", "woman"):
        return None
    return nonpolar(f"there is a {word}", f"there is no {word}")


def no_people(exchange: Exchange) -> Derived | None:
    if not exchange.answer.startswith("no people"):
        return None
    return Derived(Pair("there are no people.", "there are people.", "negative"))


CAN_YOU_SEE = Rule(
    "can_you_see",
    "question after coreference",
    "can you see X, do you see X: one can see X / one cannot see any X",
    can_you_see,
    """
    can you see a ladder | yes | one can see a ladder. | one cannot see any ladder.
    do you see the lamp | no | one cannot see any lamp. | one can see a lamp.
    do you see any goats | no goats | one cannot see any goats. | one can see goats.
    can you see owls in the barn | yes 2 | one can see owls in the barn. | one cannot see any owls in the barn.
    can you see his face -> can you see the clown's face | yes
        | one can see the clown's face. | one cannot see the clown's face.
    can you see the remote | no | one cannot see any remote. | one can see a remote.
    can you see a ladder | not in this photo | one cannot see any ladder. | one can see a ladder.
    do you see owls | i do not see any | one cannot see any owls. | one can see owls.
    can you see anyone else | no | nothing
    can you see owls or bats | no | nothing
    can you see kites | i see a balloon | nothing
    can you see if the oven is on | yes | nothing
    what can you see | a ladder | no match
    is there a ladder | yes | no match
    """,
)
THERE = Rule(
    "there",
    "question after coreference",
    "is there X, are there X: there is X / there is no X",
    there,
    """
    are there any turnips | yes | there are turnips. | there are no turnips.
    is there a pond in the yard | no | there is no pond in the yard. | there is a pond in the yard.
    is there tall corn | 0 | there is no tall corn. | there is tall corn.
    is there anyone on the pier | no | nothing
    are there many boats | nope | there are not many boats. | there are many boats.
    is there clouds | yes | there are clouds. | there are no clouds.
    are there lots of boats | no | there are not lots of boats. | there are lots of boats.
    is there writing on the gate | yes | there is writing on the gate. | there is no writing on the gate.
    is there a human | no | there is no human. | there is a human.
    are there any leaves | yes | there are leaves. | there are no leaves.
    are there hens | not that i can see | there are no hens. | there are hens.
    is there a pond | it is not visible | there is no pond. | there is a pond.
    are there hens | i don't see hens | there are no hens. | there are hens.
    are there hens | i don't see the moon | nothing
    is there a good pond | not bad | nothing
    are there hens | a duck | nothing
    is there more | yes | nothing
    how many hens are there | 2 | no match
    is the hen there | no | no match
    """,
)
ANY = Rule(
    "any_",
    "question after coreference",
    "any X, but not any other X: there are X / there are no X",
    any_,
    """
    any boats | no | there are no boats. | there are boats.
    any flags on the mast | yes, 2 | there are flags on the mast. | there are no flags on the mast.
    any moonlight | yes | there is a moonlight. | there is no moonlight.
    any snow | not at all | there is no snow. | there is a snow.
    any boats | a canoe | nothing
    any other boats | no | no match
    any of the boats | no | no match
    are there any boats | no | no match
    """,
)
NOUN = Rule(
    "noun_",
    "question or answer",
    "the question, or after all other rules the answer to a what, is one noun: there is a X / there is no X",
    noun_,
    """
    goats | yes | there are goats. | there are no goats.
    ladder | no | there is no ladder. | there is a ladder.
    water | no | there is no water. | there is water.
    goats | sheep | nothing
    angry goats | no | no match
    are there goats | no | no match
    """,
)
MALE_FEMALE = Rule(
    "male/female",
    "answer",
    "the answer is male, female, man or woman: there is a woman / there is no woman",
    male_female,
    """
    is the rider male or female | female | there is a female. | there is no female.
    who rides the camel | a man | there is a man. | there is no man.
    what gender is the rider | Woman. | there is a woman. | there is no woman.
    is the rider male or female | child | no match
    is the rider male or female | the rider is male | no match
    """,
)
NO_PEOPLE = Rule(
    "no_people",
    "answer",
    "the answer starts with no people: there are no people / there are people",
    no_people,
    """
    how many people are there | no people | there are no people. | there are people.
    who is on the pier | no people at all | there are no people. | there are people.
    how crowded is it | no people that i can see | there are no people. | there are people.
    how many people are there | 2 people | no match
    how crowded is it | not many people | no match
    """,
)
