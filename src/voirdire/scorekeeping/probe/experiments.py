"""Probes one after the other: what they share, what each predicts, and the items of a run.

An item is a point of the scored dialogues, with what was predicted for it; beside the columns of `point_items`:

seen           whether the probe learnt from the sentence
control, seed  which probe it is
words_right    whether a classifier that knows the words alone is right
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.engine.shared_files import SharedFile, write_array
from voirdire.errors import InputError, Problem
from voirdire.lazy import pl
from voirdire.models import Epoch
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.runs.limit import Drawn
from voirdire.scorekeeping.exam import ProbeTraining
from voirdire.scorekeeping.measures import RIGHT, TURN, item_frame, points_frame
from voirdire.scorekeeping.points import Points, ScoreTask, SentenceNumbers, points_of
from voirdire.scorekeeping.probe.sample import Control, ProbeSample, controlled, scaling_of, words_only
from voirdire.scorekeeping.probe.splits import Splits
from voirdire.text.encoders import Encoder
from voirdire.text.tokens import words

TRAIN, VALID, TEST = range(3)
PIECE = 1024
"""Sentences between two reports."""
COLUMNS = (
    *("dialogue", "index", "turn", "proposition", "rule", "polarity", "turn_shared", "true", "shared", "seen", "task"),
    *("control", "seed", "gold", "predicted", "right", "words_right", "dialogue_accuracy"),
    *("shift_right", "shift_only_right", "truth_stable", "opposites_agree"),
)
"""Of the items, in their order."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """Which probe: its task, its control and its seed."""

    task: ScoreTask
    control: Control
    seed: int

    @property
    def name(self) -> str:
        """As it is called in files and in messages: `TFxPS`, `TFxPS-random`."""
        return f"{self.task.name}-{self.control}" if self.control else self.task.name

    @property
    def about(self) -> str:
        """As it is called in lines for a reader."""
        return f"{self.name}, seed {self.seed}"


class ProbeRunner:
    """Trains probes and lets them predict.

    standardise  give each number of the states and of the embeddings mean 0 and standard deviation 1, as the training
                 points have them; controls take the place of states that were scaled so
    progress     counts distinct sentences that have their vector
    drawn        the scored dialogues that a limit takes. Sentences of the others have vectors, too: these depend on the
                 batch in which they are made, and training on them
    """

    def __init__(
        self,
        parts: Splits,
        encoder: Encoder,
        standardise: bool = False,
        progress: Progress = silent,
        drawn: Drawn | None = None,
    ) -> None:
        self.parts, self.standardise = parts, standardise
        all_data = (parts.train, parts.valid, parts.test)
        known = SentenceNumbers()
        self.points = [points_of(part.propositions.dialogues.items(), part.lengths, known) for part in all_data]
        if drawn is not None and drawn.partial:
            every = np.array(parts.test.dialogues, np.int64)
            test = parts.test.only(parts.test.name, every[drawn.keeps(every)])
            self.parts = replace(parts, test=test)
            self.points[TEST] = points_of(test.propositions.dialogues.items(), test.lengths, known)
        self.texts = known.texts()
        self.turns = parts.train.states.states.shape[1]
        # Splits that were dealt out share one table.
        tables = {id(part.states): part.states.states.reshape(-1, part.states.states.shape[2]) for part in all_data}
        self._sentences = _embed(self.texts, encoder, progress)
        if standardise:
            scaling = scaling_of(tables[id(parts.train.states)], self.train.rows(self.turns))
            tables = {key: scaling.apply(table) for key, table in tables.items()}
            self._sentences = scaling_of(self._sentences, self.train.sentence).apply(self._sentences)
        self._tables = [tables[id(data.states)] for data in all_data]
        self.seen = np.zeros(len(self.texts), np.bool_)
        self.seen[self.train.sentence] = True
        self._words: dict[str, npt.NDArray[np.int64]] = {}

    @property
    def train(self) -> Points:
        """The points that probes learn from."""
        return self.points[TRAIN]

    def empty_classes(self, task: ScoreTask, at: int) -> list[str]:
        """The classes of a task that have no point in a part."""
        counts = np.bincount(self._labels(at, task), minlength=len(task.classes))
        return [name for name, count in zip(task.classes, counts.tolist(), strict=True) if not count]

    def overlap(self, at: int) -> tuple[float, int, float, int]:
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
        return points_frame(points, np.zeros(len(points), np.bool_))

    def check_classes(self, task: ScoreTask) -> None:
        """Refuse training points that leave a class empty."""
        expected = f"points of each class of {task.name}"
        hint = "Take propositions that are true and false, of several turns, or another task."
        problems = [
            Problem("", "", f"no point of the class {name!r}", expected, hint)
            for name in self.empty_classes(task, TRAIN)
        ]
        if problems:
            raise InputError(self.parts.train.called[0], problems)

    def worker(self, folder: Path, steps: "ProbeSteps") -> "ProbeWorker":
        """What workers need to train probes; the tables are laid out in `folder` for all of them."""
        files: dict[int, SharedFile] = {}
        for table in (*self._tables, self._sentences):
            if id(table) not in files:
                files[id(table)] = SharedFile(folder / f"{len(files)}.npy")
                write_array(files[id(table)].path, [table], table.shape, table.dtype)
        bare = copy(self)
        bare._tables, bare._sentences = [], np.empty(0, np.float32)
        return ProbeWorker(bare, tuple(files[id(table)] for table in self._tables), files[id(self._sentences)], steps)

    def opened(self, tables: Sequence[SharedFile], sentences: SharedFile) -> "ProbeRunner":
        """In a worker: the runner with its tables."""
        whole, arrays = copy(self), {file: np.asarray(file.array()) for file in (*tables, sentences)}
        whole._tables, whole._sentences = [arrays[file] for file in tables], arrays[sentences]
        return whole

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

        identity  what identifies its training, beside the options
        work      a folder in which it keeps its state
        progress  counts points, over all epochs
        stages    receives the accuracy on the validation points after each epoch
        """
        from voirdire.scorekeeping.probe.network import predict, train_probe

        def ended(number: int, epoch: Epoch) -> None:
            assert epoch.valid_error is not None
            stages.note(f"{about}: validation accuracy after epoch {number} {1 - epoch.valid_error:.4f}")

        task, about = experiment.task, experiment.about
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
        frame = _items(self.points[TEST], self.texts, self.seen, experiment, predicted, by_words)
        chosen = self._sample(VALID, task)
        return frame, points_frame(self.points[VALID], predict(trained.network, chosen) == chosen.label)

    @staticmethod
    def summary(experiment: Experiment, frame: "pl.DataFrame") -> str:
        """The accuracy of a probe, in a line."""
        here = frame.filter(frame["turn"] == TURN)
        key, some = (RIGHT.key.at(TURN), here) if here.height else (RIGHT.key, frame)
        return f"{experiment.about}: {key} {float(some['right'].to_numpy().mean()):.4f}"

    def _labels(self, at: int, task: ScoreTask) -> npt.NDArray[np.int64]:
        return task.label(self.points[at].point_true, self.points[at].point_shared)

    def _sample(self, at: int, task: ScoreTask) -> ProbeSample:
        points = self.points[at]
        return ProbeSample(
            self._tables[at],
            self._sentences,
            points.rows(self.turns),
            points.point_sentence,
            self._labels(at, task),
            points.point_dialogue,
        )

    def _words_only(self, task: ScoreTask) -> npt.NDArray[np.int64]:
        if task.name not in self._words:
            train, test = self.train.point_sentence, self.points[TEST].point_sentence
            self._words[task.name] = words_only(self.texts, train, self._labels(TRAIN, task), test)
        return self._words[task.name]


@dataclass(frozen=True)
class ProbeSteps:
    """How probes are trained: the options by seed, what identifies their trainings, and where these are kept."""

    options: Callable[[int], ProbeTraining]
    identity: dict[str, Any]
    work: Path | None


@dataclass(frozen=True)
class ProbeWorker:
    """What a worker needs; called in the worker, it makes the function from a probe to what it predicts."""

    runner: ProbeRunner
    tables: tuple[SharedFile, ...]
    sentences: SharedFile
    steps: ProbeSteps

    def __call__(self) -> "Callable[[Experiment], tuple[pl.DataFrame, pl.DataFrame]]":
        """In a worker: one that does not see where trainings are kept does without."""
        runner, steps = self.runner.opened(self.tables, self.sentences), self.steps
        work = steps.work if steps.work is not None and steps.work.is_dir() else None
        return lambda experiment: runner.run(experiment, steps.options(experiment.seed), steps.identity, work)


def _embed(texts: tuple[str, ...], encoder: Encoder, progress: Progress) -> npt.NDArray[np.float32]:
    """One row per sentence; each is encoded once."""
    table = np.empty((len(texts), encoder.dimension), np.float32)
    for start in range(0, len(texts), PIECE):
        progress(start, len(texts))
        table[start : start + PIECE] = encoder.encode(texts[start : start + PIECE])
    progress(len(texts), len(texts))
    return table


def fingerprints(parts: Splits) -> dict[str, str]:
    """Every file that was read, once: role to SHA-256."""
    prints: dict[str, str] = {}
    for part in (parts.train, parts.valid, parts.test):
        for role, value in (("propositions", part.propositions.fingerprint), ("states", part.states.fingerprint)):
            if value and value not in prints.values():
                prints[role if part.name == "train" else f"{part.name} {role}"] = value
    return prints


def _items(
    points: Points,
    texts: tuple[str, ...],
    seen: npt.NDArray[np.bool_],
    experiment: Experiment,
    predicted: npt.NDArray[np.int64],
    words: npt.NDArray[np.int64],
) -> "pl.DataFrame":
    """The items of one probe; `seen` says of each sentence whether the probe learnt from it."""
    task = experiment.task
    frame = item_frame(
        points,
        texts,
        task,
        predicted,
        seen=seen[points.point_sentence],
        control=[experiment.control] * len(points),
        seed=np.full(len(points), experiment.seed, np.int64),
        words_right=words == task.label(points.point_true, points.point_shared),
    )
    return frame.select(COLUMNS)
