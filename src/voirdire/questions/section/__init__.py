"""The section of exam 3: what did each question contribute?

Runs of `questions score` give the paper's Table 1 and effectiveness by turn, with the games to look into; those of
`questions kinds` and `questions oracle-accuracy` its Table 2; agreement of oracles with people is beside them.
"""

from collections.abc import Sequence

from voirdire.exam import measures_of
from voirdire.metrics.effectiveness import (
    EFFECTIVENESS,
    EFFECTIVENESS_FAILURE,
    EFFECTIVENESS_MICRO,
    EFFECTIVENESS_SUCCESS,
    LAST_EFFECTIVE,
)
from voirdire.metrics.measure import Measure
from voirdire.metrics.referring import LAST_REFERRING, REFERRING, REFERRING_OTHER
from voirdire.metrics.task_success import SUCCESS_IF_NOT, SUCCESS_IF_REFERRING, TASK_SUCCESS
from voirdire.questions.exam import EXAM
from voirdire.questions.section.findings import kinds_findings, oracle_findings, score_findings
from voirdire.questions.section.games import games_drill
from voirdire.questions.section.oracles import (
    agreement_contents,
    agreement_headline,
    oracle_contents,
    oracle_drill,
)
from voirdire.questions.section.types import types_contents, types_drill
from voirdire.questions.views import EFFECTIVENESS_CORRECTED, INCOMPLETE, QUESTIONS, TARGET_DROPPED
from voirdire.section.charts import bar_chart, data_table, line_chart, point_of
from voirdire.section.content import Chart, Finding, Headline, Model, Row, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import headline, of_part, percent_cell, rounded

__all__ = ["questions_section"]

PARTS = ("score", "kinds", "oracle-accuracy", "agreement")

TABLE_1 = {
    "TS": TASK_SUCCESS,
    "effectiveness, all": EFFECTIVENESS,
    "failure": EFFECTIVENESS_FAILURE,
    "success": EFFECTIVENESS_SUCCESS,
    "last turn, effective": LAST_EFFECTIVE,
    "last turn, referring": LAST_REFERRING,
}
"""The paper's columns."""

FURTHER = (
    EFFECTIVENESS_MICRO,
    EFFECTIVENESS_CORRECTED,
    REFERRING,
    REFERRING_OTHER,
    SUCCESS_IF_REFERRING,
    SUCCESS_IF_NOT,
    TARGET_DROPPED,
    INCOMPLETE,
)


def questions_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of this exam, whichever part they are of."""
    scored, kinds, accuracies, agreements = (of_part(models, part) for part in PARTS)
    contents: list[Table | Chart] = []
    if scored:
        contents += [_table_1(scored), *_by_turn(scored), _last_turn(scored), _further(scored)]
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
        for measure in _leading(model)
        if measure.key in model.run.measures
    ]


def _leading(model: Model) -> list[Measure]:
    leading = (measure for measure in measures_of(model.run).values() if measure.leads)
    return sorted(leading, key=lambda measure: measure.leads)


def _findings(
    scored: Sequence[Model], kinds: Sequence[Model], accuracies: Sequence[Model], agreements: Sequence[Model]
) -> list[Finding]:
    return [
        *(one for model in scored for one in score_findings(model)),
        *(one for model in kinds for one in kinds_findings(model)),
        *(one for model in (*accuracies, *agreements) for one in oracle_findings(model)),
    ]


def _table_1(scored: Sequence[Model]) -> Table:
    rows: tuple[Row, ...] = tuple(
        (model.label, rounded(model, QUESTIONS.key), *(percent_cell(model, one.key) for one in TABLE_1.values()))
        for model in scored
    )
    note = (
        "Questions per game, task success, and the share of questions that exclude a candidate: of all games, and of "
        "those that end in failure or success; of the last turn, the share of effective questions and of those that "
        "are true of the target alone. In percent; the paper's Table 1."
    )
    return Table("questions-table-1", "Task success and effectiveness", ("model", "#Q", *TABLE_1), rows, note)


def _by_turn(scored: Sequence[Model]) -> list[Chart]:
    points = [
        point_of(model, key, key.k, scale=100)
        for model in scored
        for key, figure in model.run.measures.of(EFFECTIVENESS.key.measure).items()
        if key.k is not None and figure.value is not None
    ]
    if not points:
        return []
    points.sort(key=lambda point: int(point.at))
    title = "Effectiveness by turn"
    says = "Of the games that come so far, the share whose question at this turn excludes a candidate, turn by turn."
    spec = line_chart(points, at="turn", value="effective questions (%)", domain=(0, 100))
    return [Chart(title, spec, says, data_table("questions-by-turn", title, points, at="turn"))]


def _last_turn(scored: Sequence[Model]) -> Chart:
    columns = {"effective": LAST_EFFECTIVE, "referring to the target": LAST_REFERRING}
    points = [point_of(model, one.key, at, scale=100) for at, one in columns.items() for model in scored]
    title = "The last question"
    says = (
        "The share of games whose last question excludes a candidate, and of those whose last question is true of the "
        "target alone, as one that confirms a guess is."
    )
    return Chart(
        title,
        bar_chart(points, value="games (%)"),
        says,
        data_table("questions-last-turn", title, points, at="the last question is"),
    )


def _further(scored: Sequence[Model]) -> Table:
    shown = [one for one in FURTHER if any(one.key in model.run.measures for model in scored)]
    rows: tuple[Row, ...] = tuple((model.label, *(percent_cell(model, one.key) for one in shown)) for model in scored)
    note = "In percent. Games that were given up are in the last column and in no other figure."
    columns = ("model", *(one.label for one in shown))
    return Table("questions-further", "Referring questions, and what they are worth", columns, rows, note)
