"""The robustness exam in a report: does accuracy hold when related questions are added?"""

from collections.abc import Sequence

from voirdire.exams import EXAMS
from voirdire.section.content import Chart, Drill, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import grouped, headline, of_part, plain_table
from voirdire.robustness.section.charts import accuracy_chart, drop_chart, rankers_chart, types_chart
from voirdire.robustness.section.drill import asked_questions
from voirdire.robustness.section.findings import on_accuracy, on_rankers, on_score
from voirdire.robustness.section.slices import DROP, slices_of
from voirdire.robustness.section.tables import (
    accuracy_table,
    partition_table,
    question_types_table,
    rankers_table,
    scores_table,
    types_table,
)

__all__ = ["robustness_section"]

EXAM = "robustness"
PARTS = ("score", "accuracy", "rankers")
ACCURACY = "accuracy, official VQA definition"
HEADLINES = (
    ("accuracy", f"{ACCURACY}, clean questions", "%"),
    (DROP, "points lost when three related questions are added", "points"),
    ("r_score", "accuracy kept under noise, from 0 to 1", ""),
)


def robustness_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of the exam, whichever part they are of."""
    headlines: list[Headline] = []
    findings: list[Finding] = []
    contents: list[Table | Chart] = []
    drills: list[Drill] = []
    scored, plain, ranked = (of_part(models, part) for part in PARTS)
    if scored:
        contents.append(scores_table("robustness-scores", scored))
    groups = grouped(scored, ["data.annotations", "options.dataset"])
    for number, group in enumerate(groups, start=1):
        suffix = f"-{number}" if len(groups) > 1 else ""
        sliced = [(model, slices_of(model)) for model in group]
        contents += [
            accuracy_chart(f"robustness-accuracy-data{suffix}", group),
            drop_chart(f"robustness-drop-data{suffix}", group),
            *(partition_table(f"robustness-partitions-{model.key}", model, slices) for model, slices in sliced),
            types_chart(f"robustness-types-data{suffix}", sliced),
            types_table(f"robustness-types{suffix}", sliced),
        ]
        drills.append(asked_questions(f"robustness-questions{suffix}", group, context))
        for model, slices in sliced:
            findings += on_score(model, slices)
            headlines += [headline(model, measure, says, unit) for measure, says, unit in HEADLINES]
    for model in ranked:
        contents += [
            rankers_table(f"robustness-rankers-{model.key}", model),
            rankers_chart(f"robustness-rankers-data-{model.key}", model),
        ]
        findings += on_rankers(model)
    for number, group in enumerate(by_data := grouped(plain, ["data.annotations"]), start=1):
        suffix = f"-{number}" if len(by_data) > 1 else ""
        contents += [
            accuracy_table(f"robustness-plain{suffix}", group),
            question_types_table(f"robustness-plain-types{suffix}", group),
        ]
        drills.append(asked_questions(f"robustness-plain-questions{suffix}", group, context))
        for model in group:
            findings += on_accuracy(model)
            headlines.append(headline(model, "accuracy", ACCURACY, "%"))
    contents += [
        plain_table(f"robustness-{model.key}", f"{model.label}: {model.run.title}", model)
        for model in models
        if model.run.part not in PARTS
    ]
    asks = next(one.asks for one in EXAMS if one.name == EXAM)
    return Section(EXAM, "Robustness", asks, headlines, findings, contents, drills, ("vqa-robustness", "vqa"))
