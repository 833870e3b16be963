"""What a rule is: its name, what it reads, a pattern in words, what it makes of a round, examples as its tests.

The polarity of an answer follows from how it starts; positive beginnings are tried first.

yes, there is one       positive
it is partly open       positive, where `open` is what was asked for
not at all              negative
not that i can see      negative
not in this photo       negative where it is asked what is there; else none of these
i can't tell            does not know
not bad, a little       none of these
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

# What is not seen may still be old, or asleep.
_HIDDEN = r"\ (?:visible|seen|shown|in\ (?:(?:the|this|my)\ )?(?:view|sight|picture|photo|image|frame|shot))\b"
_DENIED = r"(?:is|are|does|do|was|were|has|have|did)(?:\ not|n't)"
_SUBJECT = r"(?:it|he|she|they|this|that|the\ \w+)"
_NOT_SEEING = r"(?:don't|do\ not|dont|didn't|did\ not)\ (?:really\ |actually\ )?see"
_NEGATIVE = re.compile(
    _START
    + rf"""(?:
      (?:no+|nope+|nah|na|n|non|none|np|noe|nothing|nobody|nowhere|neither|never|negative|zero|hardly|nor)(?![\w'-])
    | 0(?!\.?\w)
    | not(?!{_HIDDEN}|\ (?:too\ |so\ |that\ |half\ )?bad\b)\b
    | (?:i\ )?(?:don't|do\ not|dont|didn't|did\ not)\ (?:really\ |actually\ )?(?:think|believe|suppose)\b
    | (?:i\ )?{_NOT_SEEING}\ (?:any|one|1|it|them|that|those|this)\b
    | there\ (?:are|is|were|was)(?:\ not|n't|\ no|\ none|\ nothing|\ 0|\ nobody)\b
    | there's\ (?:no|not|none|nothing)\b
    | {_SUBJECT}(?:\ {_DENIED}|'s\ not|'re\ not)\b(?!{_HIDDEN})
    | (?:isn't|aren't|doesn't|don't|wasn't|hasn't|haven't|won't)\b
    )""",
    re.VERBOSE,
)
_UNSEEN = re.compile(_START + rf"(?:not|{_SUBJECT}(?:\ {_DENIED}|'s\ not|'re\ not)){_HIDDEN}", re.VERBOSE)
_SEES_NO = re.compile(_START + rf"(?:i\ )?{_NOT_SEEING}\ (?P<what>.+)", re.VERBOSE)
_AFFIRMS = re.compile(
    r"(?:it|he|she|they|that|those|the \w+)(?: (?:is|are|was|were|looks?|seems?|appears?)|'s|'re) (?P<said>.+)"
)
_THE = frozenset({"the", "any", "and", "with", "this", "that"})
# What an answer may add to the words of its question and still affirm them.
_DEGREES = frozenset({"all", "fairly", "halfway", "mostly", "partially", "partly", "pretty", "quite", "rather"}) | {
    *("really", "slightly", "so", "somewhat", "to", "be", "very", "a", "bit", "little", "kind", "of"),
}
_WITHOUT = re.compile(
    _START
    + rf"""(?:
      (?:no|0|zero|not\ (?:a|an|any))
    | (?:i\ )?{_NOT_SEEING}
    | there(?:\ is|\ are|'s|\ was|\ were)?\ ?(?:not|n't|isn't|aren't|no|0)
    )\ (?P<thing>(?!(?:the|this|that|these|those|it|he|she|they|you|i|we)\b)(?:[\w'-]+\ ){{0,3}}?[\w'-]+)
    (?=$|[ ]?[,.;!]|\ (?:in|on|at|here|there|that|just|only|visible|shown|to|but|with|present)\b)""",
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


def denies(answer: str, noun: str) -> bool:
    """Whether an answer says that a thing is not there at all: `no goat in the picture`, `i don't see any goats`."""
    match = _WITHOUT.match(answer)
    if match is None:
        return False
    thing = match["thing"].split()
    return "of" not in thing and thing[-1].removesuffix("s") == noun.removesuffix("s")


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
    colours   how the colours of `red or blue` are joined
    """

    question: str
    resolved: str
    answer: str
    tagger: Tagger = field(repr=False, compare=False)
    colours: Colours = "and"

    @property
    def changed(self) -> bool:
        """Whether coreference replaced a pronoun of the question."""
        return self.resolved != self.question

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
        return polarity(self.answer) or ("positive" if self._echoed() else None)

    @cached_property
    def presence(self) -> Polarity | None:
        """The polarity where it is asked what is there: what is not in view is not there to be seen."""
        if self.polarity:
            return self.polarity
        hidden, unseen = _UNSEEN.match(self.answer), _SEES_NO.match(self.answer)
        # `are there owls`: i don't see owls; but of owls `i don't see the moon` says nothing.
        asked = {word.removesuffix("s") for word in self.question.split() if len(word) > 2}
        same = unseen and any(word.removesuffix("s") in asked for word in unseen["what"].split() if word not in _THE)
        return "negative" if hidden or same else None

    def _echoed(self) -> bool:
        """Whether the answer affirms in the words of the question: `is the gate open`, `it is partly open`."""
        match, asked = _AFFIRMS.fullmatch(self.answer), self.question.split()
        if match is None or asked[0] not in ("is", "are", "was", "were") or "or" in asked:
            return False
        words = match["said"].split()
        return words[-1] == asked[-1] and not set(words) - {*asked, *_DEGREES}


def read_exchange(
    question: str, answer: str, tagger: Tagger, resolved: str | None = None, colours: Colours = "and"
) -> Exchange:
    """A round from texts of any case."""
    asked, after = (_TOO.sub("", normal(text)) for text in (question, question if resolved is None else resolved))
    return Exchange(asked, after, normal(answer), tagger, colours)


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
ABSENT = Derived(None, "the answer says that there is no such thing")


def polar(exchange: Exchange, affirmed: str, denied: str, *, of: str = "", there: bool = False) -> Derived:
    """The pair of a polar question: what a `yes` affirms and what a `no` does.

    of     the noun that the question says something of, which may turn out not to be there
    there  whether it asks for what is there to be seen
    """
    yes, no = sentence(affirmed), sentence(denied)
    if of and denies(exchange.answer, of):
        return ABSENT
    answered = exchange.presence if there else exchange.polarity
    if answered == "positive":
        return Derived(Pair(yes, no, "positive"))
    return Derived(Pair(no, yes, "negative")) if answered == "negative" else NOTHING


def nonpolar(entailment: str, contradiction: str) -> Derived:
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
    """One rule.

    apply  returns None for a round that the rule does not match
    table  its examples, one per line; a line that begins with a bar goes on with the one before

           question | answer | entailment | contradiction
           question -> question after coreference | answer | entailment | contradiction
           question | answer | nothing               where it matches and makes nothing of the round
           question | answer | no match
    """

    name: str
    reads: Literal["caption", "question", "question after coreference", "answer", "question or answer"]
    pattern: str
    apply: Callable[[Exchange], Derived | None]
    table: str

    @property
    def examples(self) -> tuple[Example, ...]:
        """The examples of the table."""
        found = []
        for line in re.sub(r"\n\s*\|", " |", self.table.strip()).splitlines():
            asked, answer, *makes = (cell.strip() for cell in line.split("|"))
            question, _, resolved = asked.partition(" -> ")
            pair = (makes[0], makes[1]) if len(makes) == 2 else None
            found.append(Example(question, answer, pair, makes != ["no match"], resolved or None))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What became of a round: the rule that matched, if one did, what it yields, and why not, if it does not.

    dropped  why what it yields is not kept; empty where it is
    """

    rule: str | None
    pair: Pair | None
    reason: str = ""
    dropped: str = ""
