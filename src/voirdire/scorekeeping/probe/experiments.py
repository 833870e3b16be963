"""Probes one after the other: what they share, what each predicts, and the items of a run that are made of that.

An item is a point of the scored dialogues, with what was predicted for it:

dialogue, index, turn, proposition, rule, polarity, turn_shared, true, shared, seen     the point
task, control, seed, gold, predicted, right                                            the prediction
words_right                  whether a classifier that knows the words alone is right
dialogue_accuracy            of the dialogue at this turn; in the row of its first proposition
shift_right, shift_only_right, truth_stable, opposites_agree    see `metrics.scoreboard`
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import read_run
from voirdire.metrics.scoreboard import opposites_agree, shifts, truth_stable
from voirdire.models.schedule import Epoch
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.runs import Run
from voirdire.runs.limit import Drawn
from voirdire.scorekeeping.exam import ProbeTraining
from voirdire.scorekeeping.probe.leaks import words_only
from voirdire.scorekeeping.probe.material import Parts
from voirdire.scorekeeping.probe.measures import RIGHT, TURN
from voirdire.scorekeeping.probe.points import Points, SentenceNumbers, points_of
from voirdire.scorekeeping.probe.sample import Control, ProbeSample, controlled, scaling_of
from voirdire.scorekeeping.probe.tasks import ProbeTask
from voirdire.text.encoders import Encoder
from voirdire.text.tokens import words

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "TEST",
    "VALID",
    "Experiment",
    "ProbeStand",
    "check_points",
    "fingerprints",
    "item_frame",
    "opposites",
    "read_named",
]

TRAIN, VALID, TEST = range(3)
PIECE = 1024
"""Sentences between two reports."""
NEEDED = ("dialogue", "index", "turn", "proposition", "task", "control", "gold", "predicted")
"""Columns without which a run predicts no points."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """Which probe: its task, its control and its seed."""

    task: ProbeTask
    control: Control
    seed: int

    @property
    def name(self) -> str:
        """As it is called in files and in messages: `TFxPS`, `TFxPS-random`."""
        return f"{self.task.name}-{self.control}" if self.control else self.task.name


class ProbeStand:
    """Where probes are trained and asked.

    standardise  give each number of the states and of the embeddings mean 0 and standard deviation 1, as the training
                 points have them; controls take the place of states that were scaled so
    progress     told how many distinct sentences have their vector
    drawn        the scored dialogues that a limit takes. Sentences of the others have vectors, too: these depend on the
                 batch in which they are made, and training on them
    """

    def __init__(
        self,
        parts: Parts,
        encoder: Encoder,
        standardise: bool = False,
        progress: Progress = silent,
        drawn: Drawn | None = None,
    ) -> None:
        self.parts, self.standardise = parts, standardise
        materials = (parts.train, parts.valid, parts.test)
        known = SentenceNumbers()
        self.points = [points_of(one.propositions.dialogues.items(), one.lengths, known) for one in materials]
        if drawn is not None and drawn.partial:
            every = np.array(parts.test.dialogues, np.int64)
            test = parts.test.only(parts.test.name, every[drawn.keeps(every)])
            self.parts = replace(parts, test=test)
            self.points[TEST] = points_of(test.propositions.dialogues.items(), test.lengths, known)
        self.texts = known.texts()
        self.turns = parts.train.states.states.shape[1]
        # Parts that were dealt out share one table.
        tables = {id(one.states): one.states.states.reshape(-1, one.states.states.shape[2]) for one in materials}
        self._sentences = _embed(self.texts, encoder, progress)
        if standardise:
            scaling = scaling_of(tables[id(parts.train.states)], self.train.rows(self.turns))
            tables = {key: scaling.apply(table) for key, table in tables.items()}
            self._sentences = scaling_of(self._sentences, self.train.sentence).apply(self._sentences)
        self._tables = [tables[id(one.states)] for one in materials]
        self.seen = np.zeros(len(self.texts), np.bool_)
        self.seen[self.train.sentence] = True
        self._words: dict[str, npt.NDArray[np.int64]] = {}

    @property
    def train(self) -> Points:
        """The points that probes learn from."""
        return self.points[TRAIN]

    def empty_classes(self, task: ProbeTask, at: int) -> list[str]:
        """The classes of a task that have no point in a part."""
        counts = np.bincount(self._labels(at, task), minlength=len(task.classes))
        return [name for name, count in zip(task.classes, counts.tolist(), strict=True) if not count]

    def known(self, at: int) -> tuple[float, int, float, int]:
        """Of a part: the share of its different sentences that are among those of train, their number, and the same
        of its words."""
        sentences = np.unique(self.points[at].sentence).tolist()
        learnt = {word for place in np.unique(self.train.sentence).tolist() for word in words(self.texts[place])}
        used = {word for place in sentences for word in words(self.texts[place])}
        return float(self.seen[sentences].mean()), len(sentences), len(used & learnt) / len(used), len(used)

    def stateless(self) -> "pl.DataFrame | None":
        """The points of the scored dialogues that have no states, all wrong; None where each has, or where nothing says
        how many turns a dialogue has."""
        test = self.parts.test
        if not test.stateless or test.guessed:
            return None
        points = points_of(test.stateless.items(), test.lengths, SentenceNumbers())
        return _points_right(points, np.zeros(len(points), np.bool_))

    def check_classes(self, task: ProbeTask) -> None:
        """Refuse training points that leave a class empty."""
        expected = f"points of each class of {task.name}"
        hint = "Take propositions that are true and false, of several turns, or another task."
        problems = [
            Problem("", "", f"no point of the class {name!r}", expected, hint)
            for name in self.empty_classes(task, TRAIN)
        ]
        if problems:
            raise InputError(self.parts.train.called[0], problems)

    def run(
        self,
        experiment: Experiment,
        options: ProbeTraining,
        identity: dict[str, Any],
        work: Path | None = None,
        progress: Progress = silent,
        stages: Stages = UNSEEN,
    ) -> "tuple[pl.DataFrame, pl.DataFrame]":
        """Train one probe and let it predict; its items, and whether the validation points are right.

        identity  what tells its training from others, beside the options
        work      a folder in which it keeps its state
        progress  told points, over all epochs
        stages    told the accuracy on the validation points after each epoch, and that on the scored points
        """
        from voirdire.scorekeeping.probe.training import predict, train_probe

        def ended(number: int, epoch: Epoch) -> None:
            assert epoch.valid_error is not None
            stages.note(f"{about}: validation accuracy after epoch {number} {1 - epoch.valid_error:.4f}")

        task, about = experiment.task, f"{experiment.name}, seed {experiment.seed}"
        trained = train_probe(
            controlled(self._sample(TRAIN, task), experiment.control, experiment.seed),
            self._sample(VALID, task),
            len(task.classes),
            options,
            identity={"task": task.name, "control": experiment.control, "standardise": self.standardise, **identity},
            checkpoint=None if work is None else work / f"{experiment.name}-{experiment.seed}.npz",
            progress=progress,
            ended=ended,
        )
        predicted = predict(trained.network, self._sample(TEST, task))
        by_words = self._words_only(task)
        frame = item_frame(self.points[TEST], self.texts, self.seen, experiment, predicted, by_words)
        here = frame.filter(frame["turn"] == TURN)
        key, shown = (RIGHT.key.at(TURN), here) if here.height else (RIGHT.key, frame)
        stages.say(f"{about}: {key} {float(shown['right'].to_numpy().mean()):.4f}")
        chosen = self._sample(VALID, task)
        return frame, _points_right(self.points[VALID], predict(trained.network, chosen) == chosen.label)

    def _labels(self, at: int, task: ProbeTask) -> npt.NDArray[np.int64]:
        return task.label(self.points[at].point_true, self.points[at].point_shared)

    def _sample(self, at: int, task: ProbeTask) -> ProbeSample:
        points = self.points[at]
        return ProbeSample(
            self._tables[at],
            self._sentences,
            points.rows(self.turns),
            points.point_sentence,
            self._labels(at, task),
            points.point_dialogue,
        )

    def _words_only(self, task: ProbeTask) -> npt.NDArray[np.int64]:
        if task.name not in self._words:
            train, test = self.train.point_sentence, self.points[TEST].point_sentence
            self._words[task.name] = words_only(self.texts, train, self._labels(TRAIN, task), test)
        return self._words[task.name]


def _points_right(points: Points, right: npt.NDArray[np.bool_]) -> "pl.DataFrame":
    import polars as pl

    return pl.DataFrame(
        {
            "dialogue": points.point_dialogue,
            "index": points.index[points.proposition],
            "turn": points.turn,
            "right": right,
        }
    )


def _embed(texts: tuple[str, ...], encoder: Encoder, progress: Progress) -> npt.NDArray[np.float32]:
    """One row per sentence; each is encoded once."""
    table = np.empty((len(texts), encoder.dimension), np.float32)
    for start in range(0, len(texts), PIECE):
        progress(start, len(texts))
        table[start : start + PIECE] = encoder.encode(texts[start : start + PIECE])
    progress(len(texts), len(texts))
    return table


def fingerprints(parts: Parts) -> dict[str, str]:
    """Every file that was read, once: role to SHA-256."""
    found: dict[str, str] = {}
    for one in (parts.train, parts.valid, parts.test):
        for role, value in (("propositions", one.propositions.fingerprint), ("states", one.states.fingerprint)):
            if value and value not in found.values():
                found[role if one.name == "train" else f"{one.name} {role}"] = value
    return found


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


def _scoreboard(
    points: Points, task: ProbeTask, predicted: npt.NDArray[np.int64]
) -> dict[str, npt.NDArray[np.float64]]:
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


def read_named(folder: str) -> tuple[str, Run]:
    """A run, and the folder by which it is called."""
    return folder, read_run(folder)


def check_points(run: Run, name: str) -> None:
    """Refuse a run that predicts no points; `name` is what it is called."""
    if run.exam != "scorekeeping" or any(column not in run.items.columns for column in NEEDED):
        raise UsageError(f"{name}: a run of `{run.title}`, which predicts no points; `scorekeeping probe` does")
