"""The measures of predicted points, whoever predicts them, and what they are made of.

    accuracy@t              share of points of turn t that are right; turn 5 is the paper's, Table 2
    accuracy                over all turns, Table 7; also [positive], [negative] and [none] by the polarity of the
                            answer, by [rule], and by polarity and source turn together, Figure 8 ([positive, said
                            at 3])
    dialogue_accuracy@t     mean over dialogues of their accuracy at turn t, Figure 9
    confusion[g → p]        share of the points of class g that are taken for class p, at turn 5 as in Figure 3
    shift_right, …          see `metrics.scoreboard`
    accuracy…:asked         with the points of which nothing is known as wrong

A figure of a run of several tasks has its task in brackets: `accuracy@5[TFxPS]`. Intervals draw whole dialogues.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from voirdire.lazy import pl
from voirdire.metrics.accuracy import ACCURACY
from voirdire.metrics.measure import Key, Measure
from voirdire.metrics.scoreboard import OPPOSITES_AGREE, SHIFT_ONLY_RIGHT, SHIFT_RIGHT, TRUTH_STABLE
from voirdire.runs.estimate import Measures
from voirdire.runs.view import ASKED, Role, View, estimate_views
from voirdire.scorekeeping.points import ScoreTask
from voirdire.stats.aggregate import FloatArray

TURN = 5
"""At this turn about as many facts have been said as have not."""

UNIT = ("dialogue", "index", "turn")
"""A point; with several seeds each of its predictions is a row."""

POLARITIES = ("positive", "negative", "none")
SEEN = ("seen", "unseen")
"""Sentences that a probe learnt from, and others."""

RIGHT = replace(
    ACCURACY,
    of=("right",),
    description="share of points that are right",
    citation="scorekeeping, Table 2",
    leads=1,
)
BY_DIALOGUE = Measure.averaged(
    "dialogue_accuracy",
    "higher",
    description="accuracy of a dialogue at a turn, mean over dialogues",
    citation="scorekeeping, Figure 9",
    share=True,
)
CONFUSION = Measure.figure(
    "confusion",
    "neither",
    description="share of the points of one class that are taken for another",
    citation="scorekeeping, Figure 3",
    share=True,
)
POINT_MEASURES = (RIGHT, SHIFT_RIGHT, SHIFT_ONLY_RIGHT, TRUTH_STABLE, OPPOSITES_AGREE, BY_DIALOGUE, CONFUSION)
"""All measures that predicted points may have."""


def of_task(key: Key, task: str, control: str = "") -> Key:
    """`accuracy@5[TFxPS, random]`: the key of a figure in a run of all tasks."""
    return key.on(task, *([control] if control else []))


def by_dialogue_key(turn: int) -> Key:
    """`dialogue_accuracy@3`"""
    return BY_DIALOGUE.key.at(turn)


def source_key(polarity: str, turn: int) -> Key:
    """`accuracy[positive, said at 3]`"""
    return RIGHT.key.on(polarity, f"said at {turn}")


def rule_key(rule: str) -> Key:
    """`accuracy[there]`; with the word before the rule's name where another slice is called so, too."""
    return RIGHT.key.on(f"rule {rule}" if rule in (*POLARITIES, *SEEN) else rule)


def rules_of(items: "pl.DataFrame") -> list[str]:
    """The rules that the items' propositions come from, sorted."""
    rules: list[str] = sorted(items["rule"].unique())
    return rules


def turns_of(measures: Iterable[Key]) -> list[int]:
    """The turns for which there are figures."""
    return sorted(key.k for key in measures if key.measure == BY_DIALOGUE.key.measure and key.k is not None)


def confusion_turn(measures: Iterable[Key]) -> int | None:
    """The turn of the confusion matrix: 5, or None for all turns where no dialogue comes so far."""
    return next((key.k for key in measures if key.measure == CONFUSION.key.measure), None)


def confusion_key(gold: str, taken: str, turn: int | None) -> Key:
    """`confusion@5[true → false]`: one class taken for another, at a turn or at all."""
    return Key(CONFUSION.key.measure, turn, (f"{gold} → {taken}",))


def headline(task: ScoreTask) -> list[Measure]:
    """The measures by which models are compared; those that the task's classes say nothing of are left out."""
    says_shared, says_truth = max(task.shared) >= 0, max(task.truth) >= 0
    return [
        at_turn(RIGHT, TURN),
        RIGHT,
        *([SHIFT_RIGHT, SHIFT_ONLY_RIGHT] if says_shared else []),
        *([TRUTH_STABLE, OPPOSITES_AGREE] if says_truth else []),
    ]


def asked_figures(items: "pl.DataFrame", missing: "pl.DataFrame", seed: int) -> Measures:
    """The same on all points that were asked: the missing ones, of which there is no prediction, are wrong."""
    asked = pl.concat(
        [
            items.select(missing.columns),
            missing.match_to_schema(items.select(missing.columns).schema, integer_cast="upcast"),
        ]
    )
    measures = [measure.variant(ASKED) for measure in (at_turn(RIGHT, TURN), RIGHT)]
    return estimate_views((point_view(asked, measures),), seed=seed)


def task_views(
    items: "pl.DataFrame",
    task: ScoreTask,
    more: Sequence[Measure] = (),
    slices: Sequence[Measure] = (),
) -> tuple[View, View, View]:
    """All measures: those that read every item, those by rule, and the confusion at one turn.

    more    further measures of all items, which are no figures of a model
    slices  further slices of its accuracy
    """
    here = items.filter(pl.col("turn") == TURN)
    turn, at_one_turn = (TURN, here) if here.height else (None, items)
    table = items.with_columns(pl.format("{}, said at {}", "polarity", "turn_shared").alias("source"))
    turns = sorted(table["turn"].unique())
    by_dialogue = [at_turn(BY_DIALOGUE, turn) for turn in turns]
    by_source = [
        replace(RIGHT, key=source_key(polarity, turn_shared), where=("source", source))
        for polarity, turn_shared, source in _sources(table)
    ]
    every = [
        *slices,
        *(at_turn(RIGHT, turn) for turn in turns if turn != TURN),
        *by_dialogue,
        *(RIGHT.slice("polarity", kind) for kind in POLARITIES),
        *by_source,
    ]
    whole = point_view(table, [*headline(task), *more, *every], every, [*more, *by_dialogue, *by_source])
    rules = [replace(RIGHT, key=rule_key(rule), where=("rule", rule)) for rule in rules_of(table)]
    confusion = [_confusion(gold, predicted, turn) for gold in task.classes for predicted in task.classes]
    return whole, point_view(table, rules, rules), point_view(at_one_turn, confusion, aside=confusion)


def point_view(
    items: "pl.DataFrame", measures: Sequence[Measure], slices: Sequence[Measure] = (), aside: Sequence[Measure] = ()
) -> View:
    """A view of points; `aside` are no figures of a model, or none to compare by."""
    roles: dict[Key, Role] = {RIGHT.key: "headline", **{measure.key: "slice" for measure in slices}}
    roles |= {measure.key: "aside" for measure in aside}
    cuts = {RIGHT.key: ("rule", "turn", "polarity")} if RIGHT in measures else {}
    words = {"index": "proposition"}
    return View(items, tuple(measures), UNIT, "point", "dialogue", roles, given=("gold",), cuts=cuts, words=words)


def view_of_task(view: View, task: str) -> View:
    """The same with the task in brackets."""
    measures = tuple(replace(measure, key=of_task(measure.key, task)) for measure in view.measures)
    roles = {of_task(key, task): role for key, role in view.roles.items()}
    cuts = {of_task(key, task): columns for key, columns in view.cuts.items()}
    return replace(view, measures=measures, roles=roles, cuts=cuts)


def at_turn(measure: Measure, turn: int) -> Measure:
    """`accuracy@5`: the same at one turn."""
    return measure.at(turn, where=("turn", turn))


def _sources(table: "pl.DataFrame") -> list[tuple[str, int, str]]:
    columns = ("polarity", "turn_shared", "source")
    return table.select(columns).unique().sort("polarity", "turn_shared").rows()


def _confusion(gold: str, taken: str, turn: int | None) -> Measure:
    def statistic(predicted: npt.NDArray[np.str_]) -> FloatArray:
        return np.asarray(predicted == taken, np.float64)

    return replace(
        CONFUSION,
        key=confusion_key(gold, taken, turn),
        statistic=statistic,
        better="higher" if gold == taken else "lower",
        of=("predicted",),
        where=("gold", gold),
        description=f"share of the points of class {gold} that are taken for {taken}",
    )
