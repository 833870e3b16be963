"""What a rule is: its name, what it reads, a pattern in words, what it makes of a round, examples as its tests.

What an answer says of a polar question is told by how it starts; positive beginnings are tried first.

yes, there is one   positive
not at all          negative
not that i can see  none of these: what is not seen may be there
i can't tell        does not know
a little            none of these
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from voirdire.scorekeeping.propositions.english import sentence
from voirdire.text.tagging import Tagger, Token

__all__ = [
    "NOTHING",
    "Derived",
    "Example",
    "Exchange",
    "Pair",
    "Polarity",
    "Rule",
    "RuleOutcome",
    "is_unknown",
    "normal",
    "polar",
    "polarity",
    "read_exchange",
    "said",
]

Polarity = Literal["positive", "negative"]

_START = r"^(?:(?:well|um+|uh+|oh|ok|hmm+|actually|sorry|so|and|but|honestly|again|unfortunately)[ ,.]+)*"

_UNKNOWN = re.compile(
    _START
    + r"""(?:
      (?:i|you|we|one)?\ ?(?:can't|cannot|can\ not|cant|couldn't|could\ not|can\ hardly)\b
    | (?:i|you)\ (?:really\ |just\ |honestly\ )?(?:don't|do\ not|dont|didn't)\ (?:really\ )?(?:know|understand)
    | (?:i|you)\ (?:don't|do\ not|dont)\ have\ (?:any\ idea|a\ clue)
    | (?:don't|do\ not|dont)\ (?:really\ )?know
    | (?:i'm|i\ am|im)\ (?:really\ |just\ )?(?:not\ (?:\w+\ )?(?:sure|certain|positive|able)|unsure|unable|uncertain)
    | not\ (?:\w+\ )?(?:sure|certain|clear|able\ to|enough|positive|possible)
    | no\ (?:idea|clue|way\ to\ (?:tell|know))\b
    | (?:it\ is\ |it's\ |its\ |that\ is\ |that's\ |kind\ of\ |a\ little\ |a\ bit\ |very\ |too\ |really\ )*
      (?:hard|difficult|impossible|tough|unable|unclear|unknown|unsure|uncertain|indeterminable|blurry)\b
    | (?:i\ )?have\ no\ (?:idea|clue)
    | idk\b | \?+ | who\ knows
    | (?:he|she|it|they|the\ \w+|her|his)\b.*\b(?:facing\ away|too\ (?:far|blurry|dark|small))
    | too\ (?:far|blurry|dark|small|hard)
    )""",
    re.VERBOSE,
)

_POSITIVE = re.compile(
    _START
    + r"""(?:
      (?:yes+|yea+h*|yep+|yup+|ye|yess?w?|y|sure|correct|right|absolutely|definitely|certainly|indeed|affirmative|true
        |of\ course|exactly)\b(?!\ not)
    | (?:i|they|you)\ (?:think|believe|guess|suppose|assume|would\ (?:say|think|guess))\ (?:so|yes)
    | (?:i|they|you)\ (?:think|believe|guess)\ (?:it\ is|they\ are)\b(?!\ not)
    | (?:i'd|i\ would)\ (?:say|think|guess)\ (?:so|yes)
    | (?:it\ |they\ |he\ |she\ )?(?:looks?|seems?|appears?|sounds?)\ (?:so|that\ way|to\ be|like\ it)$
    | (?:it\ |they\ |he\ |she\ )?(?:looks?|seems?)\ like\ (?:they\ are|he\ is|she\ is)$
    | (?:it|they|he|she|there|i|you|we)\ (?:is|are|does|do|can|has|have|sure\ (?:is|does|do))(?:$|[,.])
    | 100\ percent | very\ much\ so | both\ are\b
    )""",
    re.VERBOSE,
)

# What is not seen may be there.
_UNSEEN = r"(?!\ (?:visible|seen|shown|in\ (?:(?:the|this)\ )?(?:view|sight|picture|photo|image|frame|shot))\b)"
_DENIED = r"(?:is|are|does|do|was|were|has|have|did)(?:\ not|n't)"
_NEGATIVE = re.compile(
    _START
    + rf"""(?:
      (?:no+|nope+|nah|na|n|non|none|np|noe|nothing|nobody|nowhere|neither|never|negative|zero|hardly|nor)(?![\w'-])
    | 0(?!\.?\w)
    | not(?!\ that\b){_UNSEEN}\b
    | (?:i\ )?(?:don't|do\ not|dont|didn't|did\ not)\ (?:really\ )?(?:think|believe|suppose)
    | there\ (?:are|is|were|was)(?:\ not|n't|\ no|\ none|\ nothing|\ 0|\ nobody)\b
    | there's\ (?:no|not|none|nothing)\b
    | (?:it|he|she|they|this|that|the\ \w+)(?:\ {_DENIED}|'s\ not|'re\ not)\b{_UNSEEN}
    | (?:isn't|aren't|doesn't|don't|wasn't|hasn't|haven't|won't)\b
    )""",
    re.VERBOSE,
)


def is_unknown(answer: str) -> bool:
    """Whether an answer starts with an expression of not knowing."""
    return bool(_UNKNOWN.match(answer))


def polarity(answer: str) -> Polarity | None:
    """Whether the answer says yes or no, if either."""
    if _POSITIVE.match(answer):
        return "positive"
    return "negative" if _NEGATIVE.match(answer) else None


# `is the goat old too` is denied without the `too`.
_TOO = re.compile(r"(?:,? (?:too|also|as well|either|at all|currently))+$")


def normal(text: str) -> str:
    """Lower case, one space between words, straight quotes, no mark at the end."""
    lower = text.lower().translate({0x2019: "'", 0x2018: "'", 0x60: "'", 0x201C: '"', 0x201D: '"'})
    return " ".join(re.sub(r"\s*[?.!,]+\s*$|(?<!\w),+", "", lower).split())


@dataclass(frozen=True)
class Exchange:
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


def read_exchange(question: str, answer: str, tagger: Tagger, resolved: str | None = None) -> Exchange:
    """A round from texts of any case."""
    asked, after = (_TOO.sub("", normal(text)) for text in (question, question if resolved is None else resolved))
    return Exchange(asked, after, normal(answer), tagger)


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


def polar(exchange: Exchange, affirmed: str, denied: str) -> Derived:
    """The pair of a polar question: what a `yes` affirms and what a `no` does."""
    yes, no = sentence(affirmed), sentence(denied)
    if exchange.polarity == "positive":
        return Derived(Pair(yes, no, "positive"))
    return Derived(Pair(no, yes, "negative")) if exchange.polarity == "negative" else NOTHING


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
    apply: Callable[[Exchange], Derived | None]
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What became of a round: the rule that matched, if one did, what it yields, and why not, if it does not."""

    rule: str | None
    pair: Pair | None
    reason: str = ""
