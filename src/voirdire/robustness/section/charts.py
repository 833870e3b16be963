"""The charts of the robustness exam: accuracy and its drop by partition, the drop by answer type, rankers."""

from collections.abc import Sequence

from voirdire.section.charts import Point, data_table, interval_chart, line_chart, point_of
from voirdire.section.content import Chart, Model
from voirdire.section.context import CONTROL
from voirdire.robustness.section.names import ANSWER_TYPES, column, conditions_of, rankers_of
from voirdire.robustness.section.slices import ANSWERS, DROP, Slices

__all__ = ["accuracy_chart", "drop_chart", "rankers_chart", "types_chart"]

PARTITIONS_ONLY = "datum.at != 'clean' && datum.at != 'random'"
ACROSS = "partition, from the most similar questions to the least"


def _at(condition: str) -> str:
    if not condition:
        return "clean"
    return "random" if condition == CONTROL else condition.removeprefix("partition")


def accuracy_chart(name: str, models: Sequence[Model]) -> Chart:
    """Figure 5, accuracy: without noise, by partition, and with random questions."""
    conditions = ("", *conditions_of(models))
    points = [
        point_of(model, column("accuracy", condition), _at(condition))
        for condition in conditions
        for model in models
        if column("accuracy", condition) in model.run.measures
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
        point_of(model, column("drop", condition), _at(condition))
        for condition in conditions_of(models)
        for model in models
        if column("drop", condition) in model.run.measures
    ]
    title = "Accuracy lost by partition"
    return Chart(
        title,
        line_chart(points, at=ACROSS, value="points lost", joined=PARTITIONS_ONLY, line=(0, "nothing lost")),
        "How many points of accuracy are lost with each partition against the clean questions, with 95 % intervals.",
        data_table(name, title, points, at="partition"),
    )


def types_chart(name: str, models: Sequence[tuple[Model, Slices]]) -> Chart:
    """What is lost with partition 1, by answer type and over all."""
    kinds = [kind for kind in ANSWER_TYPES if any((DROP, ANSWERS, kind) in slices for _, slices in models)]
    points = [
        Point(model.label, kind, figure.value, figure.low, figure.high, model.key)
        for kind in kinds
        for model, slices in models
        if (figure := slices.get((DROP, ANSWERS, kind))) is not None
    ]
    points += [point_of(model, DROP, "all") for model, _ in models]
    title = "Accuracy lost by answer type"
    return Chart(
        title,
        interval_chart(points, value="points lost with partition 1", at="answer type", line=(0, "")),
        "How many points of accuracy are lost with the three most similar questions, by type of answer.",
        data_table(name, title, points, at="answer type"),
    )


def rankers_chart(name: str, model: Model) -> Chart:
    """Figures 6 and 9: accuracy by partition, a line a ranker."""
    points = [
        point_of(model, f"accuracy[{ranker}]:partition{number}", str(number), ranker)
        for ranker, numbers in rankers_of(model).items()
        for number in sorted(numbers)
    ]
    title = f"Accuracy by partition and ranker: {model.label}"
    clean = model.figure("accuracy").value
    line = None if clean is None else (clean, f"clean: {clean:.2f}")
    return Chart(
        title,
        line_chart(points, at=ACROSS, value="accuracy (%)", line=line),
        "One model's accuracy by partition under each ranker; where a ranker orders by noise, its line falls.",
        data_table(name, title, points, series="ranker", at="partition"),
    )
