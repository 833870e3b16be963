"""Charts of exam 4: accuracy by turn, by polarity and the turn of the fact, by rule, and which classes are mistaken."""

from collections.abc import Sequence

from voirdire.section.charts import data_table, heat_map, interval_chart, line_chart
from voirdire.section.content import Chart
from voirdire.scorekeeping.section.probes import Probe
from voirdire.scorekeeping.section.tables import rule_table
from voirdire.section.phrases import percent
from voirdire.scorekeeping.probe_measures import TURN
from voirdire.scorekeeping.probe_names import POLARITIES, confusion_name, rule_names, turns_of

__all__ = ["confusion_chart", "rule_chart", "source_chart", "turn_charts"]


def turn_charts(probes: Sequence[Probe]) -> list[Chart]:
    """Figure 9, a chart a task: mean over dialogues of their accuracy at each turn."""
    charts = []
    for task in dict.fromkeys(probe.task.name for probe in probes):
        some = [probe for probe in probes if probe.task.name == task]
        turns = sorted({turn for probe in some for turn in turns_of(probe.details)})
        points = [probe.point(f"dialogue_accuracy@{turn}", turn) for turn in turns for probe in some]
        title = f"Accuracy by turn, {task}"
        says = "The accuracy of a dialogue's propositions after each turn, mean over dialogues; turn 0 is the caption. "
        says += "The paper's Figure 9."
        spec = line_chart(points, at="turn", value="accuracy (%)")
        table = data_table(f"scorekeeping-by-turn-{task.lower()}", title, points, series="states", at="turn")
        charts.append(Chart(title, spec, says, table))
    return charts


def source_chart(probe: Probe) -> Chart:
    """Figure 8: accuracy by polarity of the answer and by the turn at which the fact is said."""
    points = [
        probe.point(name, turn, polarity)
        for turn in turns_of(probe.details)
        for polarity in POLARITIES
        if probe.figure(name := f"accuracy[{polarity}, said at {turn}]").value is not None
    ]
    title = f"By polarity and by the turn of the fact: {probe.title}"
    says = (
        "Accuracy over all turns on propositions from positive and negative answers, and from answers that are neither "
        "(captions too), by the turn at which their fact is said. The paper's Figure 8."
    )
    table = data_table(f"scorekeeping-sources-{probe.model.key}", title, points, series="polarity", at="said at turn")
    return Chart(title, line_chart(points, at="said at turn", value="accuracy (%)", domain=(0, 100)), says, table)


def confusion_chart(probe: Probe) -> Chart:
    """Figure 3: of each class the share that is taken for each."""
    points = []
    for gold in probe.task.classes:
        for taken in probe.task.classes:
            name = confusion_name(probe.details, gold, taken)
            points.append(probe.point(name, taken, gold, percent(probe.figure(name).value, 1)))
    at = f"at turn {TURN}" if any(name.startswith("confusion@") for name in probe.details) else "at all turns"
    title = f"Confusion matrix, {at}: {probe.title}"
    says = (
        "Of the points of each class (rows), the share that is taken for each class (columns), in percent. The paper's "
        "Figure 3."
    )
    table = data_table(f"scorekeeping-confusion-{probe.model.key}", title, points, series="gold", at="predicted")
    return Chart(title, heat_map(points, rows="gold", columns="predicted", top=100), says, table)


def rule_chart(probes: Sequence[Probe]) -> Chart:
    """Accuracy by rule with its intervals."""
    rules = sorted({rule for probe in probes for rule in rule_names(probe.details)})
    points = [
        probe.point(name, rule) for rule in rules for probe in probes if (name := rule_names(probe.details).get(rule))
    ]
    title = "Accuracy by rule"
    says = "Accuracy over all turns on the propositions that each rule made."
    return Chart(title, interval_chart(points, value="accuracy (%)"), says, rule_table(probes, rules))
