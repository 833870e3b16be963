"""The items of a probe's run: one row a point of the scored dialogues, with what was predicted for it.

dialogue, index, turn, proposition, rule, polarity, turn_shared, true, shared, seen     the point
task, control, seed, gold, predicted, right                                            the prediction
words_right                  whether a classifier that knows the words alone is right
dialogue_accuracy            of the dialogue at this turn; in the row of its first proposition
shift_right, shift_only_right, truth_stable, opposites_agree    see `metrics.scoreboard`
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voirdire.metrics.scoreboard import opposites_agree, shifts, truth_stable
from voirdire.scorekeeping.probe.points import Points
from voirdire.scorekeeping.probe.sample import Control
from voirdire.scorekeeping.probe.tasks import Task

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Experiment", "item_frame", "opposites"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """Which probe: its task, its control and its seed."""

    task: Task
    control: Control
    seed: int

    @property
    def name(self) -> str:
        """As it is called in files and in messages: `TFxPS`, `TFxPS-random`."""
        return f"{self.task.name}-{self.control}" if self.control else self.task.name


def item_frame(
    points: Points,
    texts: tuple[str, ...],
    seen: npt.NDArray[np.bool_],
    experiment: Experiment,
    predicted: npt.NDArray[np.int64],
    words: npt.NDArray[np.int64],
) -> "pl.DataFrame":
    """The items of one probe; `seen` says of each sentence whether the probe learnt from it."""
    import polars as pl

    task = experiment.task
    at = points.proposition
    gold = task.label(points.point_true, points.point_shared)
    right = predicted == gold
    classes, rules = np.array(task.classes), np.array(points.rule)
    columns: dict[str, Any] = {
        "dialogue": points.point_dialogue,
        "index": points.index[at],
        "turn": points.turn,
        "proposition": [texts[place] for place in points.point_sentence.tolist()],
        "rule": rules[at].tolist(),
        "polarity": np.array(points.polarity)[at].tolist(),
        "turn_shared": points.turn_shared[at],
        "true": points.point_true,
        "shared": points.point_shared,
        "seen": seen[points.point_sentence],
        "task": [task.name] * len(points),
        "control": [experiment.control] * len(points),
        "seed": np.full(len(points), experiment.seed, np.int64),
        "gold": classes[gold].tolist(),
        "predicted": classes[predicted].tolist(),
        "right": right,
        "words_right": words == gold,
    }
    frame = pl.DataFrame(columns)
    made = {"dialogue_accuracy": _by_dialogue(points, right), **_scoreboard(points, task, predicted)}
    # NaN where there is none; yes and no as such.
    return frame.with_columns(
        pl.Series(name, values).fill_nan(None).cast(pl.Float64 if name == "dialogue_accuracy" else pl.Boolean)
        for name, values in made.items()
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


def _by_dialogue(points: Points, right: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """The mean over a dialogue's propositions at a turn; points of one turn of a dialogue are neighbours."""
    dialogue = points.point_dialogue
    starts = np.flatnonzero((np.diff(dialogue, prepend=-1) != 0) | (np.diff(points.turn, prepend=-1) != 0))
    counts = np.diff(np.append(starts, len(points)))
    means = np.full(len(points), np.nan)
    means[starts] = np.add.reduceat(right.astype(np.float64), starts) / counts
    return means


def _scoreboard(points: Points, task: Task, predicted: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.float64]]:
    board = np.full((len(points.dialogue), int(points.turn.max()) + 1), -1, np.int64)
    board[points.proposition, points.turn] = predicted
    # The last entry is what a turn that is not there says.
    shared, truth = (np.array([*signs, -1], np.int8)[board] for signs in (task.shared, task.truth))
    right, only = shifts(shared, points.turn_shared)
    says_shared = np.full(len(board), max(task.shared) >= 0)
    stable, told = truth_stable(truth)
    pairs = opposites(points)
    agree, both = opposites_agree(truth[pairs[:, 0]], truth[pairs[:, 1]])
    paired = np.full(board.shape, np.nan)
    paired[pairs[:, 0]] = np.where(both, agree, np.nan)
    first = points.turn == 0

    def of_propositions(values: npt.NDArray[np.bool_], cases: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        figures = np.where(cases, values, np.nan)
        return np.where(first, figures[points.proposition], np.nan)

    return {
        "shift_right": of_propositions(right, says_shared),
        "shift_only_right": of_propositions(only, says_shared),
        "truth_stable": of_propositions(stable, told),
        "opposites_agree": paired[points.proposition, points.turn],
    }
