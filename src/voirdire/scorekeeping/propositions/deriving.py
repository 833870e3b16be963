"""The rules in the order in which they are tried, and what becomes of a round.

A round whose answer starts with an expression of not knowing is skipped. Otherwise the first rule that matches has it,
and where that yields nothing no other is tried. What a rule yields may be dropped then. `explain_round` explains
one round: how it is read, which rule has it, and what that makes of it.
"""

from dataclasses import dataclass
from typing import Any

from voirdire.exam import Outcome
from voirdire.progress import UNSEEN, Stages
from voirdire.scorekeeping.exam import ExplainOptions
from voirdire.scorekeeping.propositions import action, attributes, existence, predicate, surroundings
from voirdire.scorekeeping.propositions.rewriting import rewrite
from voirdire.scorekeeping.propositions.rule import Exchange, Rule, RuleOutcome, is_unknown, normal, read_exchange
from voirdire.scorekeeping.propositions.selection import why_dropped
from voirdire.scorekeeping.propositions.wording import Wording, worded
from voirdire.text.coreference import Resolver
from voirdire.text.coreference import resolver as find_resolver
from voirdire.text.tagging import Tagger
from voirdire.text.tagging import tagger as find_tagger

RULES: tuple[Rule, ...] = (
    attributes.WHAT_COLOR,
    existence.CAN_YOU_SEE,
    existence.THERE,
    existence.ANY,
    attributes.WHAT_KIND,
    surroundings.SUNNY,
    surroundings.CLOUDY,
    surroundings.DAYTIME,
    attributes.IS_IT,
    surroundings.WEATHER,
    surroundings.IS_INSIDE,
    surroundings.IN_ANSWER,
    surroundings.OUT_ANSWER,
    attributes.IMAGE_IN_COLOR,
    surroundings.DAYTIME_ANSWER,
    surroundings.SKY_ANSWER,
    existence.MALE_FEMALE,
    existence.NO_PEOPLE,
    predicate.IS_NOUN_ADJ,
    existence.NOUN,
    predicate.NOUN_PREP_NOUN,
    action.NOUN_VERB,
    action.NOUN_VERB_NOUN,
    action.HAVE,
    action.LOOK_ADJ,
    predicate.NOUN_NOUN,
    action.WHAT_IS,
    predicate.ADJ_OR_ADJ,
    predicate.IS_NP_NP,
    existence.NOUN_ANSWER,
    action.LOOK_LIKE,
    predicate.VERB_PRON_ADJ,
    action.VERB_PRON_OBJ,
    action.NOUN_VERB_RESOLVED,
    predicate.PRON_PREP,
    action.WHAT_IS_RESOLVED,
)
"""The rules of rounds."""

NAMES: tuple[str, ...] = (existence.CAPTION, *dict.fromkeys(rule.name for rule in RULES))
"""All 34 rules."""

NOT_KNOWING = "the answer starts with an expression of not knowing"
NO_RULE = "no rule matches"


def derive(exchange: Exchange, wording: Wording = "authors") -> RuleOutcome:
    """What becomes of one round: the rule that matches and what it yields, or why there is nothing."""
    if is_unknown(exchange.answer):
        return RuleOutcome(None, None, NOT_KNOWING)
    for rule in RULES:
        derived = rule.apply(exchange)
        if derived is None:
            continue
        if derived.pair is None:
            return RuleOutcome(rule.name, None, derived.reason, pattern=rule.pattern)
        pair = worded(derived.pair, wording, exchange.tagger)
        return RuleOutcome(rule.name, pair, "", why_dropped(derived.pair), rule.pattern)
    return RuleOutcome(None, None, NO_RULE)


def explain(question: str, answer: str, tagger: Tagger, resolved: str | None = None) -> RuleOutcome:
    """What becomes of one round, from texts."""
    return derive(read_exchange(question, answer, tagger, resolved))


@dataclass(frozen=True)
class Explained:
    """What became of a round.

    resolved  the question after coreference
    tagged    the question with parts of speech: word/TAG
    """

    question: str
    resolved: str
    answer: str
    tagged: str
    outcome: RuleOutcome

    def __str__(self) -> str:
        lines = [f"question  {self.question}", f"answer    {self.answer}"]
        if self.resolved != self.question:
            lines.append(f"after     {self.resolved}")
        lines.append(f"tags      {self.tagged}")
        lines.append(
            f"rule      {self.outcome.rule or 'none'}" + (f" ({self.outcome.pattern})" if self.outcome.rule else "")
        )
        if self.outcome.pair is None:
            return "\n".join([*lines, f"yields    nothing: {self.outcome.reason}"])
        pair = self.outcome.pair
        lines += [f"true      {pair.entailment}", f"false     {pair.contradiction}"]
        lines.append(f"polarity  {pair.qa_fact or 'none, the question is no polar one'}")
        if self.outcome.dropped:
            lines.append(f"dropped   for {self.outcome.dropped}: it is not among a dialogue's propositions")
        return "\n".join(lines)

    def plain(self) -> dict[str, Any]:
        """The same for programs."""
        pair = self.outcome.pair
        return {
            "question": self.question,
            "resolved": self.resolved,
            "answer": self.answer,
            "tagged": self.tagged,
            "rule": self.outcome.rule,
            "entailment": pair and pair.entailment,
            "contradiction": pair and pair.contradiction,
            "qa_fact": pair and pair.qa_fact,
            "reason": self.outcome.reason or None,
            "dropped": self.outcome.dropped or None,
        }


def explain_part(options: ExplainOptions, stages: Stages = UNSEEN) -> Outcome:
    """Explain what becomes of a round."""
    tagger, resolver = find_tagger(options.tagger), find_resolver(options.resolver)
    explained = explain_round(options, tagger, resolver)
    return Outcome((str(explained),), explained.plain())


def explain_round(options: ExplainOptions, tagger: Tagger, resolver: Resolver) -> Explained:
    """What becomes of a round that is asked after a caption; `resolved` is taken for what the resolver would say."""
    question, answer, resolved = options.question, options.answer, options.resolved
    if not resolved:
        after = rewrite(options.caption, [(normal(question), normal(answer))], tagger, resolver)
        resolved, _ = after.rounds[0]
    tokens = tagger.tag(normal(question))
    tagged = " ".join(f"{token.text}/{token.pos}" for token in tokens)
    outcome = derive(read_exchange(question, answer, tagger, resolved, options.colours), options.wording)
    return Explained(normal(question), normal(resolved), normal(answer), tagged, outcome)
