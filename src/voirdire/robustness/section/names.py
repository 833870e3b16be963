"""The conditions under which a model was asked: without noise, with each partition, with random questions."""

import re
from collections.abc import Iterable

from voirdire.section.content import Model
from voirdire.section.context import CONTROL

__all__ = ["ANSWER_TYPES", "NEAREST", "column", "condition_words", "conditions_of", "kinds_of", "rankers_of"]

NEAREST = "partition1"
"""The questions most like the main one: R_score is that of this partition."""

ANSWER_TYPES = ("other", "number", "yes/no")
"""In the order of the paper's tables."""

_CONDITION = re.compile(r"accuracy:(partition\d+|control)")
_RANKER = re.compile(r"accuracy\[(?P<ranker>.+)\]:partition(?P<number>\d+)")


def conditions_of(models: Iterable[Model]) -> list[str]:
    """The noisy conditions of any of the runs: partitions in their order, then the random questions."""
    names = {match[1] for model in models for name in model.run.measures if (match := _CONDITION.fullmatch(name))}
    return sorted(names, key=lambda name: (name == CONTROL, len(name), name))


def condition_words(condition: str) -> str:
    """`partition 1`, `random`; an empty name is that of the clean questions."""
    if not condition:
        return "clean"
    return "random" if condition == CONTROL else condition.replace("partition", "partition ")


def column(name: str, condition: str) -> str:
    """The column or measure of a condition: `accuracy`, `accuracy:partition1`, `answer:control`."""
    return f"{name}:{condition}" if condition else name


def kinds_of(models: Iterable[Model]) -> list[str]:
    """The answer types that questions have."""
    held = {kind for model in models for kind in model.run.items["answer_type"].unique().to_list()}
    return [kind for kind in ANSWER_TYPES if kind in held]


def rankers_of(model: Model) -> dict[str, list[int]]:
    """The rankers of a run and the numbers of their partitions."""
    found: dict[str, list[int]] = {}
    for name in model.run.measures:
        if match := _RANKER.fullmatch(name):
            found.setdefault(match["ranker"], []).append(int(match["number"]))
    return found
