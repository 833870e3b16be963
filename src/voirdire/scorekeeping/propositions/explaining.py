"""One round by itself: how it is read, which rule has it, and what that makes of it."""

from dataclasses import dataclass
from typing import Any

from voirdire import exam
from voirdire.progress import UNSEEN, Stages
from voirdire.scorekeeping.exam import ExplainOptions
from voirdire.scorekeeping.propositions.making import explain
from voirdire.scorekeeping.propositions.order import RULES
from voirdire.scorekeeping.propositions.rule import Outcome, normal
from voirdire.scorekeeping.propositions.shape import codes
from voirdire.scorekeeping.rewriting import rewrite
from voirdire.text.coreference import Resolver
from voirdire.text.coreference import resolver as find_resolver
from voirdire.text.tagging import Tagger
from voirdire.text.tagging import tagger as find_tagger

__all__ = ["Explained", "explain_part", "explain_round"]


@dataclass(frozen=True)
class Explained:
    """What became of a round.

    resolved  the question after coreference
    tagged    the question with parts of speech: word/TAG
    shape     the same as one letter per word, which the patterns read
    """

    question: str
    resolved: str
    answer: str
    tagged: str
    shape: str
    outcome: Outcome

    def __str__(self) -> str:
        rule = next((one for one in RULES if one.name == self.outcome.rule), None)
        lines = [f"question  {self.question}", f"answer    {self.answer}"]
        if self.resolved != self.question:
            lines.append(f"after     {self.resolved}")
        lines += [f"tags      {self.tagged}", f"shape     {self.shape}"]
        lines.append(f"rule      {self.outcome.rule or 'none'}" + (f" ({rule.pattern})" if rule else ""))
        if self.outcome.pair is None:
            return "\n".join([*lines, f"yields    nothing: {self.outcome.reason}"])
        pair = self.outcome.pair
        lines += [f"true      {pair.entailment}", f"false     {pair.contradiction}"]
        return "\n".join([*lines, f"polarity  {pair.qa_fact or 'none, the question is no polar one'}"])

    def plain(self) -> dict[str, Any]:
        """The same for programs."""
        pair = self.outcome.pair
        return {
            "question": self.question,
            "resolved": self.resolved,
            "answer": self.answer,
            "tagged": self.tagged,
            "shape": self.shape,
            "rule": self.outcome.rule,
            "entailment": pair and pair.entailment,
            "contradiction": pair and pair.contradiction,
            "qa_fact": pair and pair.qa_fact,
            "reason": self.outcome.reason or None,
        }


def explain_part(options: ExplainOptions, stages: Stages = UNSEEN) -> exam.Outcome:
    """What becomes of a round, told."""
    tagger, resolver = find_tagger(options.tagger), find_resolver(options.resolver)
    told = explain_round(options.caption, options.question, options.answer, tagger, resolver)
    return exam.Outcome((str(told),), told.plain())


def explain_round(caption: str, question: str, answer: str, tagger: Tagger, resolver: Resolver) -> Explained:
    """What becomes of a round that is asked after a caption."""
    after = rewrite(caption, [(normal(question), normal(answer))], tagger, resolver)
    resolved, _ = after.rounds[0]
    tokens = tagger.tag(normal(question))
    tagged = " ".join(f"{token.text}/{token.pos}" for token in tokens)
    outcome = explain(question, answer, tagger, resolved)
    return Explained(normal(question), normal(resolved), normal(answer), tagged, codes(tokens), outcome)
