"""The robustness exam in a report: does accuracy hold when related questions are added?"""

from collections.abc import Sequence

from voirdire.robustness.exam import EXAM
from voirdire.robustness.section.charts import accuracy_chart, drop_chart, rankers_chart, types_chart
from voirdire.robustness.section.conditions import asked_questions, of_one_noise
from voirdire.robustness.section.drill import question_drill
from voirdire.robustness.section.findings import on_accuracy, on_rankers, on_score, unheard
from voirdire.robustness.section.tables import (
    accuracy_table,
    partition_table,
    question_types_table,
    rankers_table,
    scores_table,
    types_table,
)
from voirdire.robustness.views import ACCURACY, ANSWER_TYPE, DROP, NEAREST, QUESTION_TYPE, R_SCORE, drops_by_type
from voirdire.section.content import Chart, Drill, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import grouped, headline, of_part, plain_table

__all__ = ["robustness_section"]

PARTS = ("score", "accuracy", "rankers")
NOISY = "accuracy under noise"
HEADLINES = (
    (ACCURACY.key.under(NEAREST), "with the three most similar questions, partition 1, added", "", NOISY),
    (ACCURACY.key, "official VQA accuracy on the questions as they are", "", "accuracy, clean"),
    (DROP.key.under(NEAREST), DROP.description, "", ""),
    (R_SCORE.key, R_SCORE.description, "", ""),
)
"""What stands on the first screen. Accuracy under noise decides who leads: who does not listen loses nothing by it."""


def robustness_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of the exam, whichever part they are of."""
    headlines: list[Headline] = []
    findings: list[Finding] = []
    contents: list[Table | Chart] = []
    drills: list[Drill] = []
    asked = asked_questions(context)
    scored, plain, ranked = (of_part(models, part) for part in PARTS)
    if scored:
        contents.append(scores_table("robustness-scores", scored))
    groups = [one for group in grouped(scored, ["data.annotations", "options.dataset"]) for one in of_one_noise(group)]
    for number, group in enumerate(groups, start=1):
        suffix = f"-{number}" if len(groups) > 1 else ""
        by_answer, by_question = (
            [(model, drops_by_type(model.run, facet)) for model in group] for facet in (ANSWER_TYPE, QUESTION_TYPE)
        )
        contents += [
            accuracy_chart(f"robustness-accuracy-data{suffix}", group),
            drop_chart(f"robustness-drop-data{suffix}", group),
            *(partition_table(f"robustness-partitions-{model.key}", model) for model in group),
            types_chart(f"robustness-types-data{suffix}", by_answer),
            types_table(f"robustness-types{suffix}", by_question),
        ]
        drills.append(question_drill(f"robustness-questions{suffix}", group, asked))
        for model, figures in by_answer:
            findings += on_score(model, figures)
            headlines += [
                headline(model, key, says, unit, name, "" if key.measure == ACCURACY.key.measure else unheard(model))
                for key, says, unit, name in HEADLINES
                if key in model.run.measures
            ]
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
        drills.append(question_drill(f"robustness-plain-questions{suffix}", group, asked))
        for model in group:
            findings += on_accuracy(model)
            headlines.append(headline(model, ACCURACY.key, ACCURACY.description, ACCURACY.unit))
    contents += [
        plain_table(f"robustness-{model.key}", f"{model.label}: {model.run.title}", model)
        for model in models
        if model.run.part not in PARTS
    ]
    return Section(EXAM.name, EXAM.title, EXAM.question, headlines, findings, contents, drills)
