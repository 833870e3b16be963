"""The training of a probe, and what it predicts: see `voirdire.models.trainer` for its loop.

The weights are those after the epoch with the best accuracy on the validation points, the first of them where several
are equal. Order and dropout come from the seed, the epoch and the step, so that the next step depends on the state
alone; a training that had ended is not run again.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from voirdire.engine.threads import one_thread
from voirdire.models import Epoch
from voirdire.models.trainer import EVERY, Ended, ignore_epoch, train
from voirdire.progress import Progress, silent
from voirdire.scorekeeping.exam import ProbeTraining
from voirdire.scorekeeping.probe.network import Dropout, ProbeNetwork
from voirdire.scorekeeping.probe.sample import ProbeSample

ASKED = 4096
"""Points that are predicted at once; part of the definition, since the last bits of a product depend on its shape."""

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrainedProbe:
    """A probe's network; `epoch`, from 1, is the one after which its weights were taken."""

    network: ProbeNetwork
    epoch: int
    history: tuple[Epoch, ...]


def train_probe(
    sample: ProbeSample,
    valid: ProbeSample,
    classes: int,
    options: ProbeTraining | None = None,
    *,
    identity: dict[str, Any] | None = None,
    checkpoint: Path | None = None,
    every: float = EVERY,
    progress: Progress = silent,
    ended: Ended = ignore_epoch,
) -> TrainedProbe:
    """A probe trained on `sample`.

    identity    what else identifies this training, such as the fingerprints of its files
    checkpoint  where the state is kept every so many seconds and after each epoch, and taken up again
    progress    counts points, over all epochs
    ended       called after each epoch
    """
    if not len(sample) or not len(valid):
        raise ValueError(f"`sample` and `valid` must have points, got {len(sample)} and {len(valid)}")
    options = options or ProbeTraining()
    learner = ProbeLearner(sample, valid, classes, options)
    whole = {**options.plain(), "points": len(sample), "validation points": len(valid), **(identity or {})}
    network = train(
        learner, options.schedule(), identity=whole, checkpoint=checkpoint, every=every, progress=progress, ended=ended
    )
    learner.network.set(network.weights)
    return TrainedProbe(learner.network, network.epoch, network.history)


def predict(network: ProbeNetwork, sample: ProbeSample) -> npt.NDArray[np.int64]:
    """The class with the highest score for each point."""
    with one_thread(), torch.no_grad():
        return _predicted(network, sample)


def _predicted(network: ProbeNetwork, sample: ProbeSample) -> npt.NDArray[np.int64]:
    predicted = np.empty(len(sample), np.int64)
    for start in range(0, len(sample), ASKED):
        rows = np.arange(start, min(start + ASKED, len(sample)))
        predicted[rows] = _scores(network, sample, rows).argmax(dim=1).numpy()
    return predicted


def _scores(network: ProbeNetwork, sample: ProbeSample, rows: Rows, dropout: Dropout | None = None) -> Tensor:
    """Scores of some points; each state and each sentence goes through the first layer once."""
    states, state = np.unique(sample.state[rows], return_inverse=True)
    sentences, sentence = np.unique(sample.sentence[rows], return_inverse=True)
    scores: Tensor = network(
        torch.from_numpy(sample.states[states]),
        torch.from_numpy(sample.sentences[sentences]),
        state.reshape(-1),
        sentence.reshape(-1),
        dropout,
    )
    return scores


class ProbeLearner:
    """A probe's network with the points that it learns from and those that choose its epoch."""

    def __init__(self, sample: ProbeSample, valid: ProbeSample, classes: int, options: ProbeTraining) -> None:
        self.sample, self.valid, self.options = sample, valid, options
        sizes = sample.states.shape[1], sample.sentences.shape[1]
        self.network = ProbeNetwork(*sizes, classes, options.hidden, options.seed, options.layers)
        self._groups = _grouped(sample.group) if options.batches == "grouped" else None

    def __len__(self) -> int:
        return len(self.sample)

    def order(self, rng: np.random.Generator) -> Rows:
        """The points of an epoch: in any order, or in groups that are in any order."""
        if self._groups is None:
            return rng.permutation(len(self.sample))
        rows, first = self._groups
        groups = rng.permutation(len(first) - 1)
        counts = np.diff(first)[groups]
        # Where each group begins in `rows`, less where it begins in the new order.
        ahead = np.repeat(first[groups] - (np.cumsum(counts) - counts), counts)
        return rows[ahead + np.arange(len(rows))]

    def dropout(self, step: int) -> Dropout | None:
        """What the step of this number leaves out."""
        if not self.options.dropout:
            return None
        key = np.random.SeedSequence([self.options.seed, step]).generate_state(1, np.uint64)
        return Dropout(self.options.dropout, int(key[0]))

    def scores(self, rows: Rows, step: int) -> tuple[Tensor, Tensor]:
        """Scores of some points in a step, and their classes."""
        labels = torch.from_numpy(self.sample.label[rows])
        return _scores(self.network, self.sample, rows, self.dropout(step)), labels

    def validate(self) -> tuple[float | None, float | None]:
        """The share of the validation points that are predicted wrongly; the loss is not taken."""
        return None, float((_predicted(self.network, self.valid) != self.valid.label).mean())


def _grouped(group: npt.NDArray[np.int64]) -> tuple[Rows, Rows]:
    """The points, those of a group together, and where each group begins; the last entry is the number of points."""
    rows = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[rows], prepend=group[rows[0]] - 1))
    return rows, np.append(starts, len(rows))
