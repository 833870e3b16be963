"""Single words: noun_, adj_or_adj."""

import re

from voirdire.scorekeeping.propositions.caption import RELATIONAL
from voirdire.scorekeeping.propositions.color import COLOURS
from voirdire.scorekeeping.propositions.english import is_plural, with_article
from voirdire.scorekeeping.propositions.phrases import definite
from voirdire.scorekeeping.propositions.predicate import UNDECIDED, one_of_two
from voirdire.scorekeeping.propositions.rule import Derived, Example, Rule, Turn, polar, said
from voirdire.scorekeeping.propositions.shape import NP, codes, find

__all__ = ["ADJ_OR_ADJ", "NOUN", "noun_answer"]

# What these ask for is no thing that can be there.
_NO_THING = re.compile(
    r"\b(?:season|time|month|year|day|colou?rs?|gender|sex|shape|size|brand|race|name|age|style|hand)\b"
)


def _there_is(noun: str) -> tuple[str, str]:
    be = "are" if is_plural(noun) else "is"
    return f"there {be} {with_article(noun, noun)}", f"there {be} no {noun}"


def noun_(turn: Turn) -> Derived | None:
    if codes(turn.question_tokens) != "N" or turn.question in COLOURS | RELATIONAL:
        return None
    return polar(turn, *_there_is(turn.question))


def noun_answer(turn: Turn) -> Derived | None:
    if codes(turn.answer_tokens) != "N" or not turn.question.startswith(("what", "which", "who")):
        return None
    if _NO_THING.search(turn.question) or turn.answer in COLOURS | RELATIONAL or turn.answer_tokens[0].pos != "NOUN":
        return None
    return said(*_there_is(turn.answer))


def adj_or_adj(turn: Turn) -> Derived | None:
    found = find(rf"(?P<b>B)(?P<s>{NP}|R)(?P<x>A*[JE])(?P<c>C)(?P<y>A*[JE])", turn.question_tokens)
    if found is None or found["c"] != "or":
        return None
    named = one_of_two(turn, found, "x", "y")
    if named is None:
        return UNDECIDED
    subject, be = definite(found.words("s"), found.codes["s"]), found["b"]
    return said(f"{subject} {be} {found[named]}", f"{subject} {be} not {found[named]}")


NOUN = Rule(
    "noun_",
    "question or answer",
    "the question, or after all other rules the answer to a what, is one noun: there is a X / there is no X",
    noun_,
    (
        Example("goats", "yes", ("there are goats.", "there are no goats.")),
        Example("ladder", "no", ("there is no ladder.", "there is a ladder.")),
        Example("water", "no", ("there is no water.", "there is water.")),
        Example("goats", "sheep"),
        Example("angry goats", "no", matches=False),
        Example("are there goats", "no", matches=False),
    ),
)
ADJ_OR_ADJ = Rule(
    "adj_or_adj",
    "question",
    "is/are + subject + adjective or adjective: of the two the one in the answer, the X is Y / is not Y",
    adj_or_adj,
    (
        Example("is the goat big or small", "small", ("the goat is small.", "the goat is not small.")),
        Example("are the doors open or closed", "they are open", ("the doors are open.", "the doors are not open.")),
        Example("is it new or old", "pretty old", ("it is old.", "it is not old.")),
        Example("is the goat big or small", "yes"),
        Example("is it wood or metal", "metal", matches=False),
        Example("is the goat big and small", "yes", matches=False),
    ),
)
