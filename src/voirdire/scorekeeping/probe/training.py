"""Training of a probe, and what it predicts.

    minimise  1/N · Σ_i −log softmax(scores_i)[label_i]        Adam, gradients no longer than `clip`

The weights are those after the epoch with the best accuracy on the validation points, the first of them where several
are equal. Everything runs on one thread, so the same seed gives the same weights.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from msgspec.structs import replace as changed
from torch.nn.functional import cross_entropy

from voirdire.engine.threads import one_thread
from voirdire.progress import Progress as Told
from voirdire.progress import silent
from voirdire.runs.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from voirdire.scorekeeping.exam import TrainingOptions
from voirdire.scorekeeping.probe.head import Dropout
from voirdire.scorekeeping.probe.network import Network
from voirdire.scorekeeping.probe.options import Epoch
from voirdire.scorekeeping.probe.progress import Progress
from voirdire.scorekeeping.probe.sample import Sample

__all__ = ["TrainedProbe", "Training", "predict", "train_probe"]

EVERY = 60.0
"""Seconds between two checkpoints inside an epoch."""
REPORT = 10
"""Batches between two reports."""
ASKED = 4096
"""Points that are predicted at once; part of the definition, since the last bits of a product depend on its shape."""

Ended = Callable[[int, Epoch], None]
"""Told the number of an epoch, from 1, and how it went."""


def _unheard(number: int, epoch: Epoch) -> None:
    """Do nothing."""


@dataclass(frozen=True, eq=False)
class TrainedProbe:
    """A probe's weights; `epoch`, from 1, is the one after which they were taken."""

    network: Network
    epoch: int
    history: tuple[Epoch, ...]


def train_probe(
    sample: Sample,
    valid: Sample,
    classes: int,
    options: TrainingOptions | None = None,
    *,
    identity: dict[str, Any] | None = None,
    checkpoint: Path | None = None,
    every: float = EVERY,
    progress: Told = silent,
    ended: Ended = _unheard,
) -> TrainedProbe:
    """A probe trained on `sample`.

    identity    what else tells this training from others, such as the fingerprints of its files
    checkpoint  where the state is kept every so many seconds and after each epoch, and taken up again
    progress    told points, over all epochs
    """
    if not len(sample) or not len(valid):
        raise ValueError(f"sample, valid: {len(sample)} and {len(valid)} points; both must have some")
    with one_thread():
        training = Training(sample, classes, options or TrainingOptions())
        return _Run(training, valid, identity or {}, checkpoint, every, ended).run(progress)


def predict(network: Network, sample: Sample) -> npt.NDArray[np.int64]:
    """The class with the highest score for each point."""
    with one_thread():
        return _predict(network, sample)


def _predict(network: Network, sample: Sample) -> npt.NDArray[np.int64]:
    found = np.empty(len(sample), np.int64)
    with torch.no_grad():
        for start in range(0, len(sample), ASKED):
            rows = np.arange(start, min(start + ASKED, len(sample)))
            found[rows] = _scores(network, sample, rows).argmax(dim=1).numpy()
    return found


def _scores(
    network: Network, sample: Sample, rows: npt.NDArray[np.int64], dropout: Dropout | None = None
) -> torch.Tensor:
    """Scores of some points; each state and each sentence goes through the first layer once."""
    states, state = np.unique(sample.state[rows], return_inverse=True)
    sentences, sentence = np.unique(sample.sentence[rows], return_inverse=True)
    made: torch.Tensor = network(
        torch.from_numpy(sample.states[states]),
        torch.from_numpy(sample.sentences[sentences]),
        state.reshape(-1),
        sentence.reshape(-1),
        dropout,
    )
    return made


class Training:
    """The steps of a training, and all that the next one depends on."""

    def __init__(self, sample: Sample, classes: int, options: TrainingOptions) -> None:
        self.sample, self.options = sample, options
        sizes = sample.states.shape[1], sample.sentences.shape[1]
        self.network = Network(*sizes, classes, options.hidden, options.seed)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=options.rate, fused=True)
        self.progress = Progress()
        grouped = options.batches == "grouped"
        self._groups = _grouped(sample.group) if grouped else None

    def batches(self, epoch: int) -> Iterator[npt.NDArray[np.int64]]:
        """The points of each batch of an epoch that is left."""
        order = self._order(np.random.default_rng([self.options.seed, epoch]))
        size = self.options.batch
        for start in range(self.progress.batch * size, len(order), size):
            yield order[start : start + size]

    def _order(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        if self._groups is None:
            return rng.permutation(len(self.sample))
        rows, first = self._groups
        groups = rng.permutation(len(first) - 1)
        counts = np.diff(first)[groups]
        # Where each group begins in `rows`, less where it begins in the new order.
        ahead = np.repeat(first[groups] - (np.cumsum(counts) - counts), counts)
        return rows[ahead + np.arange(len(rows))]

    def dropout(self) -> Dropout | None:
        """What the next step leaves out."""
        if not self.options.dropout:
            return None
        key = np.random.SeedSequence([self.options.seed, self.progress.steps]).generate_state(1, np.uint64)
        return Dropout(self.options.dropout, int(key[0]))

    def step(self, rows: npt.NDArray[np.int64]) -> float:
        """One step on these points; returns their mean loss before it."""
        labels = torch.from_numpy(self.sample.label[rows])
        self.adam.zero_grad()
        scores = _scores(self.network, self.sample, rows, self.dropout())
        loss = cross_entropy(scores, labels)
        loss.backward()  # type: ignore[no-untyped-call]
        _clip([parameter.grad for parameter in self.network.parameters()], self.options.clip)
        self.adam.step()
        was, mean = self.progress, loss.item()
        self.progress = changed(
            was,
            batch=was.batch + 1,
            steps=was.steps + 1,
            loss=was.loss + mean * len(rows),
            right=was.right + int((scores.detach().argmax(dim=1) == labels).sum()),
        )
        return mean

    def state(self, best: dict[str, npt.NDArray[np.float32]]) -> Checkpoint[Progress]:
        """All that the next step depends on."""
        names = [name for name, _ in self.network.named_parameters()]
        moments = [self.adam.state[parameter] for parameter in self.network.parameters()]
        first = {name: one["exp_avg"].numpy() for name, one in zip(names, moments, strict=True)}
        second = {name: one["exp_avg_sq"].numpy() for name, one in zip(names, moments, strict=True)}
        return Checkpoint(self.progress, self.network.arrays(), first, second, best)

    def take_up(self, state: Checkpoint[Progress]) -> None:
        """Go on from there."""
        self.progress = state.progress
        self.network.set(state.weights)
        for name, parameter in self.network.named_parameters():
            self.adam.state[parameter] = {
                "step": torch.tensor(float(state.progress.steps)),
                "exp_avg": torch.from_numpy(state.first[name]),
                "exp_avg_sq": torch.from_numpy(state.second[name]),
            }


class _Run:
    """All epochs of a training, from its first weights or from where it was."""

    def __init__(
        self,
        training: Training,
        valid: Sample,
        identity: dict[str, Any],
        checkpoint: Path | None,
        every: float,
        ended: Ended,
    ) -> None:
        self.training, self.valid, self.checkpoint, self.every, self.ended = training, valid, checkpoint, every, ended
        self.best: dict[str, npt.NDArray[np.float32]] = {}
        sizes = {"points": len(training.sample), "validation points": len(valid)}
        self.identity = {**asdict(training.options), **sizes, **identity}
        state = None if checkpoint is None else read_checkpoint(checkpoint, self.identity, Progress)
        if state is not None:
            training.take_up(state)
            self.best = state.best

    def run(self, told: Told) -> TrainedProbe:
        training, options = self.training, self.training.options
        size = len(training.sample)
        total = options.epochs * size
        for number, epoch in enumerate(training.progress.history, start=1):
            self.ended(number, epoch)
        told(self._done(), total)
        kept = time.monotonic()
        while training.progress.epoch < options.epochs:
            for rows in training.batches(training.progress.epoch):
                training.step(rows)
                if training.progress.batch % REPORT == 0:
                    told(self._done(), total)
                if self.checkpoint is not None and time.monotonic() - kept >= self.every:
                    write_checkpoint(self.checkpoint, self.identity, training.state(self.best))
                    kept = time.monotonic()
            self._close_epoch()
            told(self._done(), total)
            if self.checkpoint is not None:
                write_checkpoint(self.checkpoint, self.identity, training.state(self.best))
                kept = time.monotonic()
        training.network.set(self.best)
        return TrainedProbe(training.network, training.progress.best, training.progress.history)

    def _done(self) -> int:
        at, options, size = self.training.progress, self.training.options, len(self.training.sample)
        return at.epoch * size + min(at.batch * options.batch, size)

    def _close_epoch(self) -> None:
        training, was, size = self.training, self.training.progress, len(self.training.sample)
        right = _predict(training.network, self.valid) == self.valid.label
        epoch = Epoch(was.loss / size, was.right / size, float(right.mean()))
        better = not was.best or epoch.valid_accuracy > was.history[was.best - 1].valid_accuracy
        if better:
            self.best = {name: array.copy() for name, array in training.network.arrays().items()}
        best = was.epoch + 1 if better else was.best
        training.progress = Progress(was.epoch + 1, 0, was.steps, 0.0, 0, best, (*was.history, epoch))
        self.ended(was.epoch + 1, epoch)


def _clip(gradients: list[torch.Tensor | None], longest: float) -> None:
    """Scale all gradients together, if they are longer than that; torch's own function goes through them always."""
    made = [gradient for gradient in gradients if gradient is not None]
    length = float(torch.stack([torch.linalg.vector_norm(gradient) for gradient in made]).norm())
    # The small number is torch's, against division by zero.
    scale = longest / (length + 1e-6)
    if scale < 1:
        for gradient in made:
            gradient.mul_(scale)


def _grouped(group: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The points, those of a group together, and where each group begins; the last entry is the number of points."""
    rows = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[rows], prepend=group[rows[0]] - 1))
    return rows, np.append(starts, len(rows))
