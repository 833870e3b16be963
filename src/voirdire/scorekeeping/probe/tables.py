"""A probe's run as tables for a person: the paper's Table 2, its Figures 3, 8 and 9 in numbers, and the rules.

Figures are in percent, as the paper gives them. In Table 2 a star marks a control that the main task beats with
p < 0.01, an exclamation mark one that beats the main task.
"""

import re
from collections.abc import Sequence

from voirdire.runs import Estimate, Run
from voirdire.scorekeeping.probe.sample import CONTROLS
from voirdire.scorekeeping.probe.tasks import TASKS
from voirdire.scorekeeping.probe_measures import TURN
from voirdire.scorekeeping.probe_names import (
    ALPHA,
    POLARITIES,
    Measures,
    confusion_name,
    control_mark,
    of_task,
    rule_names,
    tested_measure,
    turns_of,
)

__all__ = ["ROWS", "detail_tables", "headline_only", "table_2"]

ROWS = {"": "main", "random": "random r", "null": "null r"}
"""What the paper's Table 2 calls real states and the controls."""
_HEADLINE = re.compile(rf"accuracy(@{TURN})?|words_accuracy(@{TURN})?|(shift|truth|opposites)_.*|accuracy\[(un)?seen\]")


def table_2(run: Run) -> str:
    """Accuracy at turn 5 and over all turns of every task, with real states and with both controls."""
    measures = run.measures
    blocks = []
    for name, title in ((f"accuracy@{TURN}", f"accuracy at turn {TURN}"), ("accuracy", "accuracy, all turns")):
        rows = [[f"{run.options['role']}  {title}", *TASKS]]
        for control in CONTROLS:
            cells = [_cell(measures, name, task, control) for task in TASKS]
            rows.append([f"   {ROWS[control]}", *cells])
        blocks.append(_aligned(rows))
    tested = f"* main is better, ! main is worse, p < {ALPHA} (paired permutation test of accuracy at turn {TURN})"
    return "\n\n".join([*blocks, tested])


def detail_tables(run: Run) -> str:
    """By turn, by polarity and source turn, by rule, and which classes are taken for which."""
    measures = run.measures
    turns = turns_of(measures)
    by_turn = [
        ["turn", *map(str, turns)],
        ["accuracy", *(_percent(measures.get(f"accuracy@{turn}")) for turn in turns)],
        ["mean over dialogues", *(_percent(measures.get(f"dialogue_accuracy@{turn}")) for turn in turns)],
    ]
    by_source = [["said at turn", *map(str, turns), "all"]]
    for polarity in POLARITIES:
        cells = [_percent(measures.get(f"accuracy[{polarity}, said at {turn}]")) for turn in turns]
        by_source.append([polarity, *cells, _percent(measures.get(f"accuracy[{polarity}]"))])
    classes = TASKS[str(run.options["task"])].classes
    at = f"at turn {TURN}, " if any(name.startswith("confusion@") for name in measures) else ""
    confusion = [[f"{at}gold ↓ predicted →", *classes]]
    for gold in classes:
        names = [confusion_name(measures, gold, taken) for taken in classes]
        confusion.append([gold, *(_percent(measures.get(name)) for name in names)])
    rules = [["rule", "accuracy", "points"]]
    rules += [[rule, _percent(measures[name]), f"{measures[name].n:,}"] for rule, name in rule_names(measures).items()]
    return "\n\n".join(_aligned(rows) for rows in (by_turn, by_source, confusion, rules))


def headline_only(measures: Measures) -> dict[str, Estimate]:
    """The measures that the other tables do not show."""
    return {name: figure for name, figure in measures.items() if _HEADLINE.fullmatch(name.split(":")[0])}


def _cell(measures: Measures, name: str, task: str, control: str) -> str:
    shown = _percent(measures.get(of_task(name, task, control)))
    spread = measures.get(f"{of_task(name, task, control)}:std")
    if spread is not None and spread.value is not None:
        shown += f" ± {100 * spread.value:.2f}"
    return shown + ((control_mark(measures, task, control) if name == tested_measure(measures, task) else "") or " ")


def _percent(figure: Estimate | None) -> str:
    return "–" if figure is None or figure.value is None else f"{100 * figure.value:.2f}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)
