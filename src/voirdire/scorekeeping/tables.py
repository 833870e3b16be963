"""Predicted points as tables for a person: the paper's Figures 3, 8 and 9 in numbers, and the rules; in percent."""

from collections.abc import Sequence

from voirdire.runs import Estimate
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.measures import (
    POLARITIES,
    RIGHT,
    by_dialogue_key,
    confusion_key,
    confusion_turn,
    rule_key,
    source_key,
    turns_of,
)
from voirdire.scorekeeping.tasks import ScoreTask
from voirdire.tables import aligned


def detail_tables(measures: Measures, task: ScoreTask, rules: Sequence[str]) -> str:
    """By turn, by polarity and source turn, by rule, and which classes are taken for which."""
    turns = turns_of(measures)
    by_turn = [
        ["turn", *map(str, turns)],
        ["accuracy", *(percent(measures.figure(RIGHT.key.at(turn))) for turn in turns)],
        ["mean over dialogues", *(percent(measures.figure(by_dialogue_key(turn))) for turn in turns)],
    ]
    by_source = [["said at turn", *map(str, turns), "all"]]
    for polarity in POLARITIES:
        cells = [percent(measures.figure(source_key(polarity, turn))) for turn in turns]
        by_source.append([polarity, *cells, percent(measures.figure(RIGHT.key.on(polarity)))])
    turn = confusion_turn(measures)
    confusion = [[f"{'' if turn is None else f'at turn {turn}, '}gold ↓ predicted →", *task.classes]]
    for gold in task.classes:
        cells = [percent(measures.figure(confusion_key(gold, taken, turn))) for taken in task.classes]
        confusion.append([gold, *cells])
    by_rule = [["rule", "accuracy", "points"]]
    for rule in rules:
        figure = measures.figure(rule_key(rule))
        by_rule.append([rule, percent(figure), f"{figure.n:,}"])
    return "\n\n".join(map(joined, (by_turn, by_source, confusion, by_rule)))


def percent(figure: Estimate) -> str:
    """A share in percent, or a dash."""
    return "–" if figure.value is None else f"{100 * figure.value:.2f}"


def joined(rows: Sequence[Sequence[str]]) -> str:
    """The lines of a table whose first row is its head."""
    return "\n".join(aligned(rows[0], rows[1:], rule=False))
