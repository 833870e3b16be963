"""Inside or outside: is_inside, in_answer, out_answer."""

import re
from collections.abc import Callable

from voirdire.scorekeeping.propositions.rule import Derived, Example, Rule, Turn, polar, said

__all__ = ["IN_ANSWER", "IS_INSIDE", "OUT_ANSWER"]

_IS_INSIDE = re.compile(
    r"(?:is|was) (?:it|this|that|(?:the|this) (?:photo|picture|image|pic|photograph|scene|shot))"
    r"(?: (?:taken|located|set|shot|happening|being taken|photo|picture|image))* (?:a |an )?"
    r"(?P<where>inside|outside|indoors?|outdoors?)(?: (?:photo|picture|image|scene|shot|setting|photograph|pic|area))?"
)


def is_inside(turn: Turn) -> Derived | None:
    match = _IS_INSIDE.fullmatch(turn.question)
    if match is None:
        return None
    where = {"indoor": "indoors", "outdoor": "outdoors"}.get(match["where"], match["where"])
    return polar(turn, f"the image is {where}", f"the image is not {where}")


def _answered(*places: str) -> Callable[[Turn], Derived | None]:
    def apply(turn: Turn) -> Derived | None:
        if turn.answer not in places:
            return None
        return said(f"the image is {turn.answer}", f"the image is not {turn.answer}")

    return apply


def _pair(where: str) -> tuple[str, str]:
    return f"the image is {where}.", f"the image is not {where}."


IS_INSIDE = Rule(
    "is_inside",
    "question",
    "is this outdoors, is the picture taken inside: the image is outdoors / is not outdoors",
    is_inside,
    (
        Example("is this outdoors", "yes", _pair("outdoors")),
        Example("is the picture taken inside", "no", _pair("inside")[::-1]),
        Example("is this an indoor scene", "yes", _pair("indoors")),
        Example("is this outside", "in a barn"),
        Example("is this inside or outside", "inside", matches=False),
        Example("is the goat outside", "yes", matches=False),
    ),
)
IN_ANSWER = Rule(
    "in_answer",
    "answer",
    "the answer is inside or indoors: the image is inside / is not inside",
    _answered("inside", "indoors"),
    (
        Example("is this inside or outside", "inside", _pair("inside")),
        Example("where was it taken", "indoors", _pair("indoors")),
        Example("indoors or out", "Indoors.", _pair("indoors")),
        Example("is this inside or outside", "outside", matches=False),
        Example("is this inside or outside", "inside a barn", matches=False),
    ),
)
OUT_ANSWER = Rule(
    "out_answer",
    "answer",
    "the answer is outside or outdoors: the image is outside / is not outside",
    _answered("outside", "outdoors"),
    (
        Example("is this inside or outside", "outside", _pair("outside")),
        Example("where was it taken", "outdoors", _pair("outdoors")),
        Example("indoors or out", "Outdoors.", _pair("outdoors")),
        Example("is this inside or outside", "inside", matches=False),
        Example("is this inside or outside", "it is outside", matches=False),
    ),
)
