"""The measures of a probe's run.

    accuracy@t              share of points of turn t that are right; turn 5 is the paper's, Table 2
    accuracy                over all turns, Table 7; also [seen] and [unseen] sentences, [positive], [negative] and
                            [none] by the polarity of the answer, by [rule], and by polarity and source turn together
                            ([positive, said at 3], Figure 8)
    words_accuracy          of a classifier that knows the words alone, also @5
    dialogue_accuracy@t     mean over dialogues of their accuracy at turn t, Figure 9
    confusion[g → p]        share of the points of class g that are taken for class p, at turn 5 as in Figure 3
    shift_right, …          see `metrics.scoreboard`

Intervals draw whole dialogues.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.metrics.accuracy import ACCURACY
from voirdire.metrics.measure import Measure, identity, mean
from voirdire.metrics.scoreboard import OPPOSITES_AGREE, SHIFT_ONLY_RIGHT, SHIFT_RIGHT, TRUTH_STABLE
from voirdire.runs import Estimate
from voirdire.runs.view import Role, View, estimate_views
from voirdire.scorekeeping.probe.tasks import Task
from voirdire.stats.aggregate import FloatArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TURN", "headline", "headline_figures", "headline_views", "probe_figures", "probe_views"]

TURN = 5
"""At this turn about as many facts have been said as have not."""

UNIT = ("dialogue", "index", "turn")
"""A point; with several seeds each of its predictions is a row."""

RIGHT = replace(ACCURACY, of=("right",))
WORDS = replace(ACCURACY, name="words_accuracy", of=("words_right",), description="accuracy of the words alone")
BY_DIALOGUE = Measure(
    "dialogue_accuracy",
    identity,
    mean,
    "higher",
    of=("dialogue_accuracy",),
    description="accuracy of a dialogue at a turn, mean over dialogues",
    citation="scorekeeping, Figure 9",
)


def headline(task: Task) -> list[Measure]:
    """The measures by which probes are compared; those that the task's classes say nothing of are left out."""
    says_shared, says_truth = max(task.shared) >= 0, max(task.truth) >= 0
    return [
        at_turn(RIGHT, TURN),
        RIGHT,
        *([SHIFT_RIGHT, SHIFT_ONLY_RIGHT] if says_shared else []),
        *([TRUTH_STABLE, OPPOSITES_AGREE] if says_truth else []),
        at_turn(WORDS, TURN),
        WORDS,
    ]


def headline_views(items: "pl.DataFrame", task: Task) -> tuple[View]:
    """The headline measures of one probe's items, or of those of one task's probes with several seeds."""
    return (_view(items, headline(task)),)


def headline_figures(items: "pl.DataFrame", task: Task, seed: int) -> dict[str, Estimate]:
    """The figures of these."""
    return estimate_views(headline_views(items, task), seed=seed)


def probe_views(items: "pl.DataFrame", task: Task) -> tuple[View, View, View]:
    """All measures: those that read every item, those by rule, and the confusion at one turn."""
    import polars as pl

    here = items.filter(pl.col("turn") == TURN)
    at, shown = (f"@{TURN}", here) if here.height else ("", items)
    table = items.with_columns(
        pl.when("seen").then(pl.lit("seen")).otherwise(pl.lit("unseen")).alias("seen"),
        pl.format("{}, said at {}", "polarity", "turn_shared").alias("source"),
    )
    turns = sorted(table["turn"].unique())
    by_dialogue = [at_turn(BY_DIALOGUE, turn) for turn in turns]
    by_source = [RIGHT.slice("source", kind) for kind in _sources(table)]
    slices = [
        *(RIGHT.slice("seen", kind) for kind in ("seen", "unseen")),
        *(at_turn(RIGHT, turn) for turn in turns if turn != TURN),
        *by_dialogue,
        *(RIGHT.slice("polarity", kind) for kind in ("positive", "negative", "none")),
        *by_source,
    ]
    whole = _view(table, [*headline(task), *slices], slices, [*by_dialogue, *by_source])
    # Apart, because a rule may be called as a polarity is.
    taken = {measure.name for measure in whole.measures}
    rules = [_named(RIGHT.slice("rule", rule), rule, taken) for rule in sorted(table["rule"].unique())]
    confusion = [_confusion(gold, predicted, at) for gold in task.classes for predicted in task.classes]
    return whole, _view(table, rules, rules), _view(shown, confusion, aside=confusion)


def probe_figures(items: "pl.DataFrame", task: Task, seed: int) -> dict[str, Estimate]:
    """The figures of these."""
    return estimate_views(probe_views(items, task), seed=seed)


def _view(
    items: "pl.DataFrame", measures: Sequence[Measure], slices: Sequence[Measure] = (), aside: Sequence[Measure] = ()
) -> View:
    """A view of points; what the words alone give is no figure of a model."""
    roles: dict[str, Role] = {measure.name: "slice" for measure in slices}
    roles |= {measure.name: "aside" for measure in (*aside, *measures) if measure in aside or measure.of == WORDS.of}
    return View(items, tuple(measures), UNIT, "dialogue", {RIGHT.name: "headline", **roles}, given=("gold",))


def at_turn(measure: Measure, turn: int) -> Measure:
    """`accuracy@5`: the same at one turn."""
    return replace(measure, name=f"{measure.name}@{turn}", where=("turn", turn))


def _sources(table: "pl.DataFrame") -> list[str]:
    return (
        table.select("source", "polarity", "turn_shared").unique().sort("polarity", "turn_shared")["source"].to_list()
    )


def _named(measure: Measure, rule: str, taken: set[str]) -> Measure:
    return replace(measure, name=f"{RIGHT.name}[rule {rule}]") if measure.name in taken else measure


def _confusion(gold: str, taken: str, at: str) -> Measure:
    def statistic(predicted: npt.NDArray[np.str_]) -> FloatArray:
        return np.asarray(predicted == taken, np.float64)

    return Measure(
        f"confusion{at}[{gold} → {taken}]",
        statistic,
        mean,
        "higher" if gold == taken else "lower",
        of=("predicted",),
        where=("gold", gold),
        description=f"share of the points of class {gold} that are taken for {taken}",
        citation="scorekeeping, Figure 3",
    )
