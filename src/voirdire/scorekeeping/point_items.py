"""The items of a run that predicts points, whoever predicts them: a probe, or a model that is asked.

dialogue, index, turn, proposition, rule, polarity, turn_shared, true, shared     the point
task, gold, predicted, right                                                      the prediction
dialogue_accuracy            of the dialogue at this turn; in the row of its first proposition
shift_right, shift_only_right, truth_stable, opposites_agree    see `metrics.scoreboard`

A point of which nothing was predicted is no item. What is said of a whole row of the scoreboard is said where all turns
of the proposition were predicted.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.exam import read_run
from voirdire.lazy import pl
from voirdire.metrics.scoreboard import opposites_agree, shifts, truth_stable
from voirdire.runs import Run
from voirdire.scorekeeping.points import Points, ScoreTask

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
