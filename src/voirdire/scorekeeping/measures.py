"""The items and measures of predicted points, whoever predicts them: a probe, or a model that is asked.

    accuracy@t              share of points of turn t that are right; turn 5 is the paper's, Table 2
    accuracy                over all turns, Table 7; also [positive], [negative] and [none] by the polarity of the
                            answer, by [rule], and by polarity and source turn together, Figure 8 ([positive, said
                            at 3])
    dialogue_accuracy@t     mean over dialogues of their accuracy at turn t, Figure 9
    confusion[g → p]        share of the points of class g that are taken for class p, at turn 5 as in Figure 3
    shift_right, …          see `metrics.scoreboard`
    accuracy…:asked         with the points of which nothing is known as wrong

A figure of a run of several tasks has its task in brackets: `accuracy@5[TFxPS]`. Intervals draw whole dialogues.

An item has these columns:

    dialogue, index, turn, proposition, rule, polarity, turn_shared, true, shared     the point
    task, gold, predicted, right                                                      the prediction
    dialogue_accuracy            of the dialogue at this turn; in the row of its first proposition
    shift_right, shift_only_right, truth_stable, opposites_agree    see `metrics.scoreboard`

A point of which nothing was predicted is no item. What is said of a whole row of the scoreboard is said where all turns
of the proposition were predicted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.exam import read_run
from voirdire.lazy import pl
from voirdire.metrics.accuracy import ACCURACY
from voirdire.metrics.measure import Key, Measure
from voirdire.metrics.scoreboard import (
    OPPOSITES_AGREE,
    SHIFT_ONLY_RIGHT,
    SHIFT_RIGHT,
    TRUTH_STABLE,
    opposites_agree,
    shifts,
    truth_stable,
)
from voirdire.runs import Run
from voirdire.runs.estimate import Measures
from voirdire.runs.view import ASKED, Role, View, estimate_views
from voirdire.scorekeeping.points import Points, ScoreTask
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


NOTHING = -1
"""The class of a point of which nothing was predicted."""
NEEDED = ("dialogue", "index", "turn", "proposition", "task", "gold", "predicted")
"""Columns without which a run predicts no points."""


def item_frame(
    points: Points, texts: tuple[str, ...], task: ScoreTask, predicted: npt.NDArray[np.int64], **more: Any
) -> "pl.DataFrame":
    """The items of one task.

    texts      the sentences in their places
    predicted  int64[n], classes; NOTHING where a point has none
    more       further columns, an entry per point
    """
    known = predicted != NOTHING
    gold = task.label(points.point_true, points.point_shared)
    right = predicted == gold
    at, classes = points.proposition, np.array(task.classes)
    columns: dict[str, Any] = {
        "dialogue": points.point_dialogue,
        "index": points.index[at],
        "turn": points.turn,
        "proposition": [texts[place] for place in points.point_sentence.tolist()],
        "rule": np.array(points.rule)[at].tolist(),
        "polarity": np.array(points.polarity)[at].tolist(),
        "turn_shared": points.turn_shared[at],
        "true": points.point_true,
        "shared": points.point_shared,
        "task": [task.name] * len(points),
        "gold": classes[gold].tolist(),
        "predicted": classes[predicted].tolist(),
        "right": right,
        **more,
    }
    statistics = {"dialogue_accuracy": _by_dialogue(points, right, known), **_scoreboard(points, task, predicted)}
    # NaN where there is none; yes and no as such.
    return (
        pl.DataFrame(columns)
        .with_columns(
            pl.Series(name, values).fill_nan(None).cast(pl.Float64 if name == "dialogue_accuracy" else pl.Boolean)
            for name, values in statistics.items()
        )
        .filter(known)
    )


def points_frame(points: Points, right: npt.NDArray[np.bool_]) -> "pl.DataFrame":
    """Points with nothing but whether they are right."""
    return pl.DataFrame(
        {
            "dialogue": points.point_dialogue,
            "index": points.index[points.proposition],
            "turn": points.turn,
            "right": right,
        }
    )


def opposites(points: Points) -> npt.NDArray[np.int64]:
    """The entailments, and right after each its contradiction: (pairs, 2) places of propositions."""
    first = np.flatnonzero((points.index[:-1] % 2 == 0) & (points.dialogue[1:] == points.dialogue[:-1]))
    rules = np.array(points.rule)
    pair = (
        (points.true[first] != points.true[first + 1])
        & (points.turn_shared[first] == points.turn_shared[first + 1])
        & (rules[first] == rules[first + 1])
    )
    return np.column_stack([first[pair], first[pair] + 1])


def _by_dialogue(points: Points, right: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """The mean over a dialogue's propositions at a turn; points of one turn of a dialogue are neighbours."""
    dialogue, turn = points.point_dialogue[known], points.turn[known]
    starts = np.flatnonzero((np.diff(dialogue, prepend=-1) != 0) | (np.diff(turn, prepend=-1) != 0))
    counts = np.diff(np.append(starts, len(dialogue)))
    means = np.full(len(points), np.nan)
    if len(starts):
        means[np.flatnonzero(known)[starts]] = np.add.reduceat(right[known].astype(np.float64), starts) / counts
    return means


def _scoreboard(
    points: Points, task: ScoreTask, predicted: npt.NDArray[np.int64]
) -> dict[str, npt.NDArray[np.float64]]:
    board = np.full((len(points.dialogue), int(points.turn.max()) + 1), NOTHING, np.int64)
    board[points.proposition, points.turn] = predicted
    whole = np.ones(len(board), np.bool_)
    whole[points.proposition[predicted == NOTHING]] = False
    # The last entry is what a turn that is not there says.
    shared, truth = (np.array([*signs, -1], np.int8)[board] for signs in (task.shared, task.truth))
    right, only = shifts(shared, points.turn_shared)
    says_shared = np.full(len(board), max(task.shared) >= 0)
    stable, has_truth = truth_stable(truth)
    pairs = opposites(points)
    agree, both = opposites_agree(truth[pairs[:, 0]], truth[pairs[:, 1]])
    paired = np.full(board.shape, np.nan)
    paired[pairs[:, 0]] = np.where(both, agree, np.nan)
    first = points.turn == 0

    def of_propositions(values: npt.NDArray[np.bool_], cases: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        figures = np.where(cases & whole, values, np.nan)
        return np.where(first, figures[points.proposition], np.nan)

    return {
        "shift_right": of_propositions(right, says_shared),
        "shift_only_right": of_propositions(only, says_shared),
        "truth_stable": of_propositions(stable, has_truth),
        "opposites_agree": paired[points.proposition, points.turn],
    }


def read_named(folder: str) -> tuple[str, Run]:
    """A run, and the folder by which it is called."""
    return folder, read_run(folder)


def check_points(run: Run, name: str) -> None:
    """Refuse a run that predicts no points; `name` is what it is called."""
    if run.exam != "scorekeeping" or any(column not in run.items.columns for column in NEEDED):
        raise UsageError(
            f"{name}: a run of `{run.title}`, which predicts no points; `scorekeeping probe` and `judge` do"
        )


def predictions(run: Run, name: str) -> "pl.DataFrame":
    """The items of a run that predicts points; without a control and a seed where no probe predicts them."""
    check_points(run, name)
    lacking: dict[str, Any] = {"control": "", "seed": None}
    return run.items.with_columns(
        pl.lit(value).alias(column) for column, value in lacking.items() if column not in run.items.columns
    )
