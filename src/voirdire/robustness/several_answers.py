"""A reply that answers several questions, where the first was meant: which part of it is the answer to the first.

A model that is sent a question with others added may answer all of them. That is another matter than being distracted:
its first answer may well be right. A reply answers several questions where it is, or has, one of these:

    JSON        a list, or an object, of as many values as there were questions
    numbers     items numbered from 1, at least two and at most as many as there were questions, the first of few words
                beside the question: "1. yes 2. no". A longer list, or one of descriptions, lists things
    questions   two of the questions themselves, each with what follows it
    lines       as many lines as there were questions, the first of them no question
    sentences   as many as there were questions, or parts between commas or semicolons: each of few words, none of
                them a question, and one of them yes, no or a number

An object of JSON with one answer ("answer": "yes") has one, over however many lines it is written.

The first item, line or part is then the answer to the first question, without that question where it is repeated.
"""

import re
from collections.abc import Sequence
from typing import Any

from voirdire.bounded import Undecodable, decode

MOST = 4_000
"""Characters of a reply that are looked at."""
FEW = 6
"""The most words of a part of a sentence, or of a sentence, that is an answer among several."""
SENTENCE = 15
"""The most words of a numbered answer."""
ANSWER = ("answer", "response")
"""The names under which an answer stands in an object."""
_FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)
_ITEM = re.compile(r"(?:^|(?<=\s))[*_(]*(?:[qa]|question |answer )?(\d{1,2})[.):][*_]*\s+", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•]+|[aq]:)\s+", re.IGNORECASE)
_LABEL = re.compile(r"\n\W*(?:q|question)?\s*\d*\W*$", re.IGNORECASE)
_SHORT = re.compile(r"\b(?:yes|no|\d+)\b", re.IGNORECASE)
_SENTENCES, _PARTS = re.compile(r"(?<=[.!?])\s+"), re.compile(r"\s*[,;]\s*")
_OBJECT = re.compile(r"(?:```(?:json)?)?\s*\{", re.IGNORECASE)
_EDGES = " \t\n:–—-*_>\"'"


def first_of_several(text: str, questions: Sequence[str]) -> str | None:
    """The answer to the first of the questions; None where the reply does not answer several."""
    if len(questions) < 2:
        return None
    begin = text[:MOST].strip()
    others = () if _OBJECT.match(begin) else (_numbered, _behind_questions, _in_lines, _in_parts)
    for rule in (_in_json, *others):
        if (found := rule(begin, questions)) is not None:
            return _without_question(found, questions[0])
    return None


def _in_json(text: str, questions: Sequence[str]) -> str | None:
    fenced = _FENCE.search(text)
    try:
        value: Any = decode(fenced[1] if fenced else text, Any)
    except Undecodable:
        return None
    if isinstance(value, dict) and any(isinstance(value.get(name), str | int | float) for name in ANSWER):
        return None
    values = list(value.values()) if isinstance(value, dict) else value
    if isinstance(values, list) and len(values) == 1 and isinstance(values[0], list | dict):
        values = list(values[0].values()) if isinstance(values[0], dict) else values[0]
    if not isinstance(values, list) or len(values) != len(questions):
        return None
    first = values[0]
    if isinstance(first, dict):
        first = next((first[key] for key in ANSWER if key in first), None)
    if isinstance(first, bool):
        return "yes" if first else "no"
    return str(first) if isinstance(first, str | int | float) else None


def _numbered(text: str, questions: Sequence[str]) -> str | None:
    ends: list[tuple[int, int]] = []
    for match in _ITEM.finditer(text):
        if int(match[1]) == len(ends) + 1:
            ends.append((match.start(), match.end()))
    if not 2 <= len(ends) <= len(questions) or not _begins(text[: ends[0][0]]):
        return None
    first = text[ends[0][1] : ends[1][0]].strip(" \t\n,;")
    return first if 0 < len(_without_question(first, questions[0]).split()) <= SENTENCE else None


def _begins(before: str) -> bool:
    """Whether a list may begin after this: nothing, a line of its own, or what ends with a colon."""
    return not before.strip() or before.endswith("\n") or before.rstrip().endswith(":")


def _behind_questions(text: str, questions: Sequence[str]) -> str | None:
    found = [match for question in questions if (match := _search(question, text)) is not None]
    if len(found) < 2 or _search(questions[0], text) is None:
        return None
    _, end = found[0].span()
    following = [match.start() for match in found[1:] if match.start() >= end]
    between = _LABEL.sub("", text[end : min(following, default=end)]).strip(_EDGES)
    answer = _BULLET.sub("", between).strip(_EDGES)
    # What begins as another question does may be found in that one, too.
    return None if not answer or answer.endswith("?") else answer


def _search(question: str, text: str) -> re.Match[str] | None:
    words = re.findall(r"\w+", question)
    return re.search(r"\b" + r"\W+".join(map(re.escape, words)) + r"\b\??", text, re.IGNORECASE) if words else None


def _in_lines(text: str, questions: Sequence[str]) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and lines[0].rstrip(_EDGES).endswith("?"):
        return None
    return _BULLET.sub("", lines[0]).strip() if len(lines) == len(questions) else None


def _in_parts(text: str, questions: Sequence[str]) -> str | None:
    for border in (_SENTENCES, _PARTS):
        parts = border.split(text)
        short = all(len(part.split()) <= FEW and "?" not in part for part in parts)
        if len(parts) == len(questions) and short and any(map(_SHORT.search, parts)):
            return parts[0].strip()
    return None


def _without_question(found: str, question: str) -> str:
    match = _search(question, found)
    rest = found[match.end() :].strip(_EDGES) if match is not None else ""
    return rest or found
