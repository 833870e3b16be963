"""The section of exam 3: what did each question contribute?

Runs of `questions score` give the paper's Table 1 and effectiveness by turn, with the games to look into; those of
`questions kinds` and `questions oracle-accuracy` its Table 2; agreement of oracles with people is beside them.
"""

import re
from collections.abc import Sequence

from voirdire.exams import EXAMS
from voirdire.section.charts import bar_chart, data_table, line_chart, point_of
from voirdire.section.content import Cell, Chart, Finding, Headline, Model, Row, Section, Table, cell_of
from voirdire.section.context import Context
from voirdire.section.phrases import headline, of_part
from voirdire.questions.section.findings import kinds_findings, oracle_findings, score_findings
from voirdire.questions.section.games import games_drill
from voirdire.questions.section.oracles import agreement_contents, oracle_contents, oracle_drill, oracles_of
from voirdire.questions.section.types import types_contents, types_drill
from voirdire.section.phrases import percent_cell

__all__ = ["questions_section"]

PARTS = ("score", "kinds", "oracle-accuracy", "agreement")
COUNTED = {
    "task_success": "games that end with the right guess",
    "effectiveness": "a game's questions that exclude a candidate",
    "last_referring": "games whose last question is true of the target alone",
}
"""The figures of the first screen, in words."""

TABLE_1 = {
    "TS": "task_success",
    "effectiveness, all": "effectiveness",
    "failure": "effectiveness_failure",
    "success": "effectiveness_success",
    "last turn, effective": "last_effective",
    "last turn, referring": "last_referring",
}
FURTHER = {
    "effective, of all questions": "effectiveness_micro",
    "effectiveness, corrected for the oracle's errors": "effectiveness_corrected",
    "referring to the target": "referring",
    "referring to another object": "referring_other",
    "success if the last refers to the target": "success_if_referring",
    "success if not": "success_if_not",
    "target dropped": "target_dropped",
    "given up": "incomplete",
}
_TURN = re.compile(r"effectiveness@(\d+)")


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
        exam="questions",
        title="Questions",
        asks=next(exam.asks for exam in EXAMS if exam.name == "questions"),
        headlines=[*_headlines(scored), *_oracle_headlines(accuracies, agreements)],
        findings=_findings(scored, kinds, accuracies, agreements),
        contents=contents,
        drills=drills,
        cites=("effective-questions", "guesswhat"),
    )


def _headlines(scored: Sequence[Model]) -> list[Headline]:
    return [
        headline(model, measure, says)
        for model in scored
        for measure, says in COUNTED.items()
        if measure in model.run.measures
    ]


def _oracle_headlines(accuracies: Sequence[Model], agreements: Sequence[Model]) -> list[Headline]:
    says = "questions to which the oracle gives the answer that was recorded"
    found = [headline(one, "accuracy", says) for one in accuracies]
    for model in agreements:
        best = max(oracles_of(model), key=lambda oracle: model.figure(f"agreement[{oracle}]").value or 0)
        says = f"questions to which {best}, the best of the oracles, gives the human answer"
        found.append(headline(model, f"agreement[{best}]", says))
    return found


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
        (model.label, _questions(model), *(percent_cell(model, name) for name in TABLE_1.values())) for model in scored
    )
    note = (
        "Questions a game, task success, and the share of questions that exclude a candidate: of all games, and of "
        "those that end in failure or success; of the last turn, the share of effective questions and of those that "
        "are true of the target alone. In percent; the paper's Table 1."
    )
    return Table("questions-table-1", "Task success and effectiveness", ("model", "#Q", *TABLE_1), rows, note)


def _questions(model: Model) -> Cell:
    value = model.figure("questions").value
    return cell_of(model, "questions", None if value is None else f"{value:.2f}")


def _by_turn(scored: Sequence[Model]) -> list[Chart]:
    points = [
        point_of(model, name, int(found[1]), scale=100)
        for model in scored
        for name in model.run.measures
        if (found := _TURN.fullmatch(name)) and model.run.measures[name].value is not None
    ]
    if not points:
        return []
    points.sort(key=lambda point: int(point.at))
    title = "Effectiveness by turn"
    says = "Of the games that come so far, the share whose question at this turn excludes a candidate, turn by turn."
    spec = line_chart(points, at="turn", value="effective questions (%)", domain=(0, 100))
    return [Chart(title, spec, says, data_table("questions-by-turn", title, points, at="turn"))]


def _last_turn(scored: Sequence[Model]) -> Chart:
    columns = {"effective": "last_effective", "referring to the target": "last_referring"}
    points = [point_of(model, name, at, scale=100) for at, name in columns.items() for model in scored]
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
    shown = {title: name for title, name in FURTHER.items() if any(name in model.run.measures for model in scored)}
    rows: tuple[Row, ...] = tuple(
        (model.label, *(percent_cell(model, name) for name in shown.values())) for model in scored
    )
    note = "In percent. Games that were given up are in the last column and in no other figure."
    return Table("questions-further", "Referring questions, and what they are worth", ("model", *shown), rows, note)
