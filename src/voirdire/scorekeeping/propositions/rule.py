"""What a rule is: its name, what it reads, a pattern in words, what it makes of a round, examples as its tests.

The rules are those of the paper's authors to the letter: what they match, in which order, and their words, awkward ones
too (`there is no boats`). What mends their English comes behind them (`wording`).

The polarity of an answer follows from how it starts; positive beginnings are tried first.

yes, there is one       positive
not in this photo       negative
i can't tell            does not know
a little                none of these
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from voirdire.scorekeeping.propositions.english import sentence
from voirdire.text.tagging import Tagger, Token

Polarity = Literal["positive", "negative"]
Colours = Literal["and", "or"]

# The authors' beginnings of answers, but for those that begin as another one of their list does: `yes it is`.
_POSITIVE = ("yes", "yeah", "yup", "i think so", "it is", "it looks like it", "looks like it", "correct", "right")
_NEGATIVE = ("no", "0", "i don't think so", "i don't see", "i do not see any", "can't see any")
_UNKNOWN = (
    *("can't tell", "i can't tell", "cannot tell", "i cannot tell", "can not tell", "hard to tell"),
    *("can't see", "i can't see", "i cannot see", "can not see", "i can not see", "not visible"),
    *("don't know", "i don't know", "unknown", "not sure", "i'm not sure", "maybe", "no way"),
)


def is_unknown(answer: str) -> bool:
    """Whether an answer starts with an expression of not knowing."""
    return answer.startswith(_UNKNOWN)


def polarity(answer: str) -> Polarity | None:
    """Whether the answer says yes or no, if either."""
    if answer.startswith(_POSITIVE):
        return "positive"
    return "negative" if answer.startswith(_NEGATIVE) else None


def normal(text: str) -> str:
    """Lower case, one space between words, straight quotes, no mark at the end."""
    lower = text.lower().translate({0x2019: "'", 0x2018: "'", 0x60: "'", 0x201C: '"', 0x201D: '"'})
    return " ".join(re.sub(r"\s*[?.!,]+\s*$", "", lower).split())


@dataclass(frozen=True)
class Exchange:
    """A round as the rules read it.

    question  as it was asked
    resolved  the same after coreference
    answer    as it was given
    colours   how the colours of `red or blue` are joined
    medium    what `is this in color` is about: an image, a photo or a picture
    """

    question: str
    resolved: str
    answer: str
    tagger: Tagger = field(repr=False, compare=False)
    colours: Colours = "and"
    medium: str = "image"

    @cached_property
    def question_tokens(self) -> list[Token]:
        return self.tagger.tag(self.question)

    @cached_property
    def answer_tokens(self) -> list[Token]:
        return self.tagger.tag(self.answer)

    @cached_property
    def tags(self) -> str:
        """The question's parts of speech; a name is a noun."""
        return " ".join("NOUN" if token.pos == "PROPN" else token.pos for token in self.question_tokens)

    @property
    def polarity(self) -> Polarity | None:
        return polarity(self.answer)

    def subject(self, first: str, last: str) -> str:
        """What the question after coreference has between its first words and its last ones."""
        return self.resolved.removeprefix(f"{first} ").removesuffix(f" {last}")


def read_exchange(
    question: str,
    answer: str,
    tagger: Tagger,
    resolved: str | None = None,
    colours: Colours = "and",
    medium: str = "image",
) -> Exchange:
    """A round from texts of any case."""
    after = question if resolved is None else resolved
    return Exchange(normal(question), normal(after), normal(answer), tagger, colours, medium)


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


NEITHER = Derived(None, "the answer says neither yes nor no")
NO_THING = Derived(None, "what follows names no thing")
OTHER_WORDS = Derived(None, "its words are not as many as its parts of speech")


def polar(exchange: Exchange, affirmed: str, denied: str) -> Derived:
    """The pair of a polar question: what a `yes` affirms and what a `no` does."""
    yes, no = sentence(affirmed), sentence(denied)
    if exchange.polarity == "positive":
        return Derived(Pair(yes, no, "positive"))
    return Derived(Pair(no, yes, "negative")) if exchange.polarity == "negative" else NEITHER


def stated(exchange: Exchange, subject: str, be: str, rest: str) -> Derived:
    """The pair of a polar question as a statement, and with `not` after its verb."""
    return polar(exchange, f"{subject} {be} {rest}", f"{subject} {be} not {rest}")


def nonpolar(entailment: str, contradiction: str) -> Derived:
    """The pair of a question that is no polar one."""
    return Derived(Pair(sentence(entailment), sentence(contradiction)))


Apply = Callable[[Exchange], Derived | None]


def tagged(make: Callable[[Exchange, list[str]], Derived | None], *sequences: str) -> Apply:
    """A rule for the questions that have one of these sequences of tags; `make` is given as many words."""

    def apply(exchange: Exchange) -> Derived | None:
        if exchange.tags not in sequences:
            return None
        words = exchange.question.split()
        return make(exchange, words) if len(words) == len(exchange.question_tokens) else OTHER_WORDS

    return apply


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
    """One rule; one of two patterns is two of one name.

    apply  returns None for a round that the rule does not match
    table  its examples, one per line; a line that begins with a bar goes on with the one before

           question | answer | entailment | contradiction
           question -> question after coreference | answer | entailment | contradiction
           question | answer | nothing               where it matches and makes nothing of the round
           question | answer | no match
    """

    name: str
    reads: Literal["question", "question after coreference", "answer"]
    pattern: str
    apply: Apply
    table: str

    @property
    def examples(self) -> tuple[Example, ...]:
        """The examples of the table."""
        examples = []
        for line in re.sub(r"\n\s*\|", " |", self.table.strip()).splitlines():
            asked, answer, *makes = (cell.strip() for cell in line.split("|"))
            question, _, resolved = asked.partition(" -> ")
            pair = (makes[0], makes[1]) if len(makes) == 2 else None
            examples.append(Example(question, answer, pair, makes != ["no match"], resolved or None))
        return tuple(examples)


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What became of a round: the rule that matched, if one did, what it yields, and why not, if it does not.

    dropped  why what it yields is not kept; empty where it is
    pattern  that of the rule
    """

    rule: str | None
    pair: Pair | None
    reason: str = ""
    dropped: str = ""
    pattern: str = ""
