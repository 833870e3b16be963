"""The measures of a probe's run, found by what they are of: a task and its control, a turn, a rule, two classes.

A measure of a run of all tasks has its task, and its control if there is one, in brackets. `control_mark` says how real
states did beside a control: `*` where they are better with p < 0.01, `!` where they are worse.
"""

import re
from collections.abc import Mapping

from voirdire.runs import Estimate
from voirdire.scorekeeping.probe_measures import TURN

__all__ = [
    "ALPHA",
    "POLARITIES",
    "Measures",
    "confusion_name",
    "control_mark",
    "of_task",
    "rule_names",
    "tested_measure",
    "turns_of",
]

ALPHA = 0.01
POLARITIES = ("positive", "negative", "none")

Measures = Mapping[str, Estimate]


def of_task(measure: str, task: str, control: str = "") -> str:
    """`accuracy@5[TFxPS, random]:std`: the name of a measure in a run of all tasks; the slice is before the variant."""
    base, colon, variant = measure.partition(":")
    return f"{base}[{task}, {control}]{colon}{variant}" if control else f"{base}[{task}]{colon}{variant}"


def tested_measure(measures: Measures, task: str) -> str:
    """What real states and controls are compared by: accuracy at turn 5, or over all turns where none comes so far."""
    at = measures.get(of_task(f"accuracy@{TURN}", task))
    return "accuracy" if at is None or at.value is None else f"accuracy@{TURN}"


def control_mark(measures: Measures, task: str, control: str) -> str:
    """Whether the measure that is tested differs from that with a control, and which way; empty where it does not."""
    name = tested_measure(measures, task)
    p = measures.get(of_task("permutation_p", task, control))
    main, other = measures.get(of_task(name, task)), measures.get(of_task(name, task, control))
    if p is None or p.value is None or p.value >= ALPHA or main is None or other is None:
        return ""
    return "*" if (main.value or 0) > (other.value or 0) else "!"


def turns_of(measures: Measures) -> list[int]:
    """The turns for which there are figures."""
    return sorted({int(name.split("@")[1]) for name in measures if name.startswith("dialogue_accuracy@")})


def rule_names(measures: Measures) -> dict[str, str]:
    """Each rule with its measure, which has the word before the rule's name where another slice is called so too."""
    others = {f"accuracy[{kind}]" for kind in (*POLARITIES, "seen", "unseen")}
    names = [name for name in measures if re.fullmatch(r"accuracy\[[^,]+\]", name) and name not in others]
    return {name[len("accuracy[") : -1].removeprefix("rule "): name for name in names}


def confusion_name(measures: Measures, gold: str, taken: str) -> str:
    """The measure of one class taken for another: at turn 5, or at all turns where there is no turn 5."""
    ending = f"[{gold} → {taken}]"
    at = f"confusion@{TURN}{ending}"
    return at if at in measures else f"confusion{ending}"
