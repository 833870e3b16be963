"""The section of exam 3: what did each question contribute?

Runs of `questions score` give the paper's Table 1 and effectiveness by turn, with the games to look into; those of
`questions kinds` and `questions oracle-accuracy` its Table 2; agreement of oracles with people is beside them.
"""

from collections.abc import Sequence

from voirdire.exam import measures_of
from voirdire.questions.exam import EXAM
from voirdire.questions.section.findings import kinds_findings, oracle_findings, score_findings
from voirdire.questions.section.kinds_and_oracles import (
    agreement_contents,
    agreement_headline,
    oracle_contents,
    oracle_drill,
    types_contents,
    types_drill,
)
from voirdire.questions.section.score import games_drill, score_contents
from voirdire.section.content import Chart, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import headline, of_part

__all__ = ["questions_section"]

PARTS = ("score", "kinds", "oracle-accuracy", "agreement")


def questions_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of this exam, whichever part they are of."""
    scored, kinds, accuracies, agreements = (of_part(models, part) for part in PARTS)
    contents: list[Table | Chart] = []
    if scored:
        contents += score_contents(scored)
    if kinds or accuracies:
        contents += types_contents(kinds, accuracies)
    contents += oracle_contents(accuracies) if accuracies else []
    contents += agreement_contents(agreements) if agreements else []
    drills = [
        *([games_drill(scored, context)] if scored else []),
        *([types_drill(kinds)] if kinds else []),
        *([oracle_drill(accuracies)] if accuracies else []),
    ]
    return Section(
        exam=EXAM.name,
        title=EXAM.title,
        asks=EXAM.question,
        headlines=[*_headlines((*scored, *accuracies)), *map(agreement_headline, agreements)],
        findings=_findings(scored, kinds, accuracies, agreements),
        contents=contents,
        drills=drills,
    )


def _headlines(models: Sequence[Model]) -> list[Headline]:
    """The figures that lead their part, each with what it is."""
    return [
        headline(model, measure.key, measure.description, measure.unit)
        for model in models
        for measure in sorted(measures_of(model.run).values(), key=lambda measure: measure.leads)
        if measure.leads and measure.key in model.run.measures
    ]


def _findings(
    scored: Sequence[Model], kinds: Sequence[Model], accuracies: Sequence[Model], agreements: Sequence[Model]
) -> list[Finding]:
    return [
        *(finding for model in scored for finding in score_findings(model)),
        *(finding for model in kinds for finding in kinds_findings(model)),
        *(finding for model in (*accuracies, *agreements) for finding in oracle_findings(model)),
    ]
