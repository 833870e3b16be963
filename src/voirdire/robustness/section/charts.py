"""The charts of the robustness exam: accuracy and its drop by partition, the drop by answer type, rankers."""

from collections.abc import Sequence

from voirdire.robustness.section.conditions import NUMBERS, conditions_of, kinds_of, rankers_of
from voirdire.robustness.views import ACCURACY, DROP, NEAREST
from voirdire.runs.estimate import Measures
from voirdire.section.charts import Point, data_table, interval_chart, line_chart, point_of
from voirdire.section.content import Chart, Model

PARTITIONS_ONLY = "datum.at != 'clean' && datum.at != 'random'"
ACROSS = "partition, from the most similar questions to the least"


def _at(condition: str) -> str:
    if not condition:
        return "clean"
    return str(NUMBERS[condition]) if condition in NUMBERS else "random"


def accuracy_chart(name: str, models: Sequence[Model]) -> Chart:
    """Figure 5, accuracy: without noise, by partition, and with random questions."""
    points = [
        point_of(model, key, _at(condition))
        for condition in ("", *conditions_of(models))
        for model in models
        if (key := ACCURACY.key.under(condition)) in model.run.measures
    ]
    title = "Accuracy by partition"
    return Chart(
        title,
        line_chart(points, at=ACROSS, value="accuracy (%)", joined=PARTITIONS_ONLY),
        "Accuracy on the clean questions, with three questions of each partition added, and with random ones; "
        "95 % intervals.",
        data_table(name, title, points, at="partition"),
    )


def drop_chart(name: str, models: Sequence[Model]) -> Chart:
    """Figure 5, accuracy decrement; its intervals are paired, so they say whether anything is lost."""
    points = [
        point_of(model, key, _at(condition))
        for condition in conditions_of(models)
        for model in models
        if (key := DROP.key.under(condition)) in model.run.measures
    ]
    title = "Accuracy lost by partition"
    return Chart(
        title,
        line_chart(points, at=ACROSS, value="points lost", joined=PARTITIONS_ONLY, line=(0, "nothing lost")),
        "How many points of accuracy are lost with each partition against the clean questions, with 95 % intervals.",
        data_table(name, title, points, at="partition"),
    )


def types_chart(name: str, models: Sequence[tuple[Model, Measures]]) -> Chart:
    """What is lost with partition 1, by answer type and over all; each model with its drops by answer type."""
    lost = DROP.key.under(NEAREST)
    points = [
        Point(model.label, kind, figure.value, figure.low, figure.high, model.key)
        for kind in kinds_of([model for model, _ in models])
        for model, figures in models
        if (figure := figures.get(lost.on(kind))) is not None
    ]
    points += [point_of(model, lost, "all") for model, _ in models]
    title = "Accuracy lost by answer type"
    return Chart(
        title,
        interval_chart(points, value="points lost with partition 1", at="answer type", line=(0, "")),
        "How many points of accuracy are lost with the three most similar questions, by type of answer.",
        data_table(name, title, points, at="answer type"),
    )


def rankers_chart(name: str, model: Model) -> Chart:
    """Figures 6 and 9: accuracy by partition, a line per ranker."""
    points = [
        point_of(model, key, _at(key.condition), ", ".join(ranker.slice))
        for ranker, keys in rankers_of(model).items()
        for key in keys
    ]
    title = f"Accuracy by partition and ranker: {model.label}"
    clean = model.figure(ACCURACY.key).value
    line = None if clean is None else (clean, f"clean: {clean:.2f}")
    return Chart(
        title,
        line_chart(points, at=ACROSS, value="accuracy (%)", line=line),
        "One model's accuracy by partition under each ranker; where a ranker orders by noise, its line falls.",
        data_table(name, title, points, series="ranker", at="partition"),
    )
