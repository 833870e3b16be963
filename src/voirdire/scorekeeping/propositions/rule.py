"""What a rule is: its name, what it reads, a pattern in words, what it makes of a round, examples as its tests."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from voirdire.scorekeeping.propositions.english import sentence
from voirdire.scorekeeping.propositions.polarity import Polarity, polarity
from voirdire.text.tagging import Tagger, Token

__all__ = ["NOTHING", "Derived", "Example", "Outcome", "Pair", "Rule", "Turn", "normal", "polar", "said"]


# `is the goat old too` is denied without the `too`.
_TOO = re.compile(r"(?:,? (?:too|also|as well|either|at all|currently))+$")


def normal(text: str) -> str:
    """Lower case, one space between words, straight quotes, no mark at the end."""
    lower = text.lower().translate({0x2019: "'", 0x2018: "'", 0x60: "'", 0x201C: '"', 0x201D: '"'})
    return " ".join(re.sub(r"\s*[?.!,]+\s*$|(?<!\w),+", "", lower).split())


@dataclass(frozen=True)
class Turn:
    """A round as the rules read it.

    question  as it was asked
    resolved  the same after coreference
    answer    as it was given
    """

    question: str
    resolved: str
    answer: str
    tagger: Tagger = field(repr=False, compare=False)

    @cached_property
    def question_tokens(self) -> list[Token]:
        return self.tagger.tag(self.question)

    @cached_property
    def resolved_tokens(self) -> list[Token]:
        return self.tagger.tag(self.resolved)

    @cached_property
    def answer_tokens(self) -> list[Token]:
        return self.tagger.tag(self.answer)

    @cached_property
    def polarity(self) -> Polarity | None:
        return polarity(self.answer)


def turn(question: str, answer: str, tagger: Tagger, resolved: str | None = None) -> Turn:
    """A round from texts of any case."""
    asked, after = (_TOO.sub("", normal(text)) for text in (question, question if resolved is None else resolved))
    return Turn(asked, after, normal(answer), tagger)


@dataclass(frozen=True, slots=True)
class Pair:
    """What the round entails, what contradicts it, and the polarity of the answer where the question is a polar one."""

    entailment: str
    contradiction: str
    qa_fact: Polarity | None = None


@dataclass(frozen=True, slots=True)
class Derived:
    """What a rule that matches makes of a round: a pair, or nothing and the reason why."""

    pair: Pair | None
    reason: str = ""


NOTHING = Derived(None, "the answer says neither yes nor no")


def polar(turn: Turn, affirmed: str, denied: str) -> Derived:
    """The pair of a polar question: what a `yes` affirms and what a `no` does."""
    yes, no = sentence(affirmed), sentence(denied)
    if turn.polarity == "positive":
        return Derived(Pair(yes, no, "positive"))
    return Derived(Pair(no, yes, "negative")) if turn.polarity == "negative" else NOTHING


def said(entailment: str, contradiction: str) -> Derived:
    """The pair of a question that is no polar one."""
    return Derived(Pair(sentence(entailment), sentence(contradiction)))


@dataclass(frozen=True, slots=True)
class Example:
    """A round and what the rule makes of it.

    yields    the entailment and the contradiction; None where it makes nothing of the round
    matches   whether the rule matches at all
    resolved  the question after coreference, where that is another
    """

    question: str
    answer: str
    yields: tuple[str, str] | None = None
    matches: bool = True
    resolved: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; `apply` returns None for a round that it does not match."""

    name: str
    reads: Literal["caption", "question", "question after coreference", "answer", "question or answer"]
    pattern: str
    apply: Callable[[Turn], Derived | None]
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a round: the rule that matched, if one did, what it yields, and why not, if it does not."""

    rule: str | None
    pair: Pair | None
    reason: str = ""
