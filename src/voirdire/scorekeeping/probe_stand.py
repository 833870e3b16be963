"""What all probes of a run share: points, tables of states and sentences, and what the words alone predict."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.models.schedule import Epoch
from voirdire.reports import Report, silent
from voirdire.scorekeeping.leaks import words_only
from voirdire.scorekeeping.probe.material import Parts
from voirdire.scorekeeping.probe.options import ProbeTraining
from voirdire.scorekeeping.probe.points import Points, SentenceNumbers, points_of
from voirdire.scorekeeping.probe.sample import ProbeSample, controlled, scaling_of
from voirdire.scorekeeping.probe.tasks import Task
from voirdire.scorekeeping.probe_items import Experiment, item_frame
from voirdire.scorekeeping.probe_measures import TURN
from voirdire.text.encoders import Encoder

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TEST", "Stand", "Told", "fingerprints"]

Told = Callable[[Experiment, str, float], None]
"""Told a probe, the name of a figure of it, and the figure, as soon as it is known."""

TRAIN, VALID, TEST = range(3)
PIECE = 1024
"""Sentences between two reports."""


class Stand:
    """Where probes are trained and asked.

    standardise  give each number of the states and of the embeddings mean 0 and standard deviation 1, as the training
                 points have them; controls take the place of states that were scaled so
    embedding    told how many distinct sentences have their vector
    """

    def __init__(self, parts: Parts, encoder: Encoder, standardise: bool = False, embedding: Report = silent) -> None:
        self.parts, self.standardise = parts, standardise
        materials = (parts.train, parts.valid, parts.test)
        known = SentenceNumbers()
        self.points = [points_of(one.propositions.dialogues.items(), one.lengths, known) for one in materials]
        self.texts = known.texts()
        self.turns = parts.train.states.states.shape[1]
        # Parts that were dealt out share one table.
        tables = {id(one.states): one.states.states.reshape(-1, one.states.states.shape[2]) for one in materials}
        self._sentences = _embed(self.texts, encoder, embedding)
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

    def empty_classes(self, task: Task, at: int) -> list[str]:
        """The classes of a task that have no point in a part."""
        counts = np.bincount(self._labels(at, task), minlength=len(task.classes))
        return [name for name, count in zip(task.classes, counts.tolist(), strict=True) if not count]

    def check_classes(self, task: Task) -> None:
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
        checkpoints: Path | None,
        report: Report,
        told: Told,
    ) -> "pl.DataFrame":
        """Train one probe and let it predict; its items."""
        from voirdire.scorekeeping.probe.training import predict, train_probe

        def ended(number: int, epoch: Epoch) -> None:
            assert epoch.valid_error is not None
            told(experiment, f"validation accuracy after epoch {number}", 1 - epoch.valid_error)

        task = experiment.task
        trained = train_probe(
            controlled(self._sample(TRAIN, task), experiment.control, experiment.seed),
            self._sample(VALID, task),
            len(task.classes),
            replace(options, seed=experiment.seed),
            identity={"task": task.name, "control": experiment.control, "standardise": self.standardise, **identity},
            checkpoint=None if checkpoints is None else checkpoints / f"{experiment.name}-{experiment.seed}.npz",
            report=report,
            ended=ended,
        )
        predicted = predict(trained.network, self._sample(TEST, task))
        words = self._words_only(task)
        frame = item_frame(self.points[TEST], self.texts, self.seen, experiment, predicted, words)
        here = frame.filter(frame["turn"] == TURN)
        told(experiment, f"accuracy@{TURN}" if here.height else "accuracy", _mean(here if here.height else frame))
        return frame

    def _labels(self, at: int, task: Task) -> npt.NDArray[np.int64]:
        return task.label(self.points[at].point_true, self.points[at].point_shared)

    def _sample(self, at: int, task: Task) -> ProbeSample:
        points = self.points[at]
        return ProbeSample(
            self._tables[at],
            self._sentences,
            points.rows(self.turns),
            points.point_sentence,
            self._labels(at, task),
            points.point_dialogue,
        )

    def _words_only(self, task: Task) -> npt.NDArray[np.int64]:
        if task.name not in self._words:
            train, test = self.train.point_sentence, self.points[TEST].point_sentence
            self._words[task.name] = words_only(self.texts, train, self._labels(TRAIN, task), test)
        return self._words[task.name]


def _embed(texts: tuple[str, ...], encoder: Encoder, report: Report) -> npt.NDArray[np.float32]:
    """One row a sentence; each is encoded once."""
    table = np.empty((len(texts), encoder.dimension), np.float32)
    for start in range(0, len(texts), PIECE):
        report(start, len(texts))
        table[start : start + PIECE] = encoder.encode(texts[start : start + PIECE])
    report(len(texts), len(texts))
    return table


def _mean(items: "pl.DataFrame") -> float:
    return float(items["right"].to_numpy().mean())


def fingerprints(parts: Parts) -> dict[str, str]:
    """Every file that was read, once: role to SHA-256."""
    found: dict[str, str] = {}
    for one in (parts.train, parts.valid, parts.test):
        for role, value in (("propositions", one.propositions.fingerprint), ("states", one.states.fingerprint)):
            if value and value not in found.values():
                found[role if one.name == "train" else f"{one.name} {role}"] = value
    return found
