"""The training of an oracle: Adam on the cross-entropy of the answers, as de Vries et al. trained theirs.

The order of an epoch's examples is drawn from the seed and the epoch's number, and one thread computes, so the same
games, options and machine give the same weights. After an epoch the error on the validation games is taken; the
weights of the epoch with the smallest one are kept, and training stops when it has not fallen for `patience` epochs.
"""

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import cross_entropy

from voirdire.engine.threads import one_thread
from voirdire.errors import UsageError
from voirdire.progress import Progress as Callback
from voirdire.progress import silent
from voirdire.questions.trained_oracle.examples import Examples
from voirdire.questions.trained_oracle.file import Epoch, TrainedOracle, TrainingOptions
from voirdire.questions.trained_oracle.network import Network, Sizes
from voirdire.questions.trained_oracle.prefixes import PrefixTree
from voirdire.questions.trained_oracle.progress import Progress
from voirdire.questions.trained_oracle.words import Vocabulary
from voirdire.runs.checkpoint import Checkpoint, read_checkpoint, write_checkpoint

__all__ = ["train_oracle"]

EVERY = 60.0
"""Seconds between two checkpoints."""
REPORT = 10
"""Batches between two reports."""
VALID_BATCH = 1024


def train_oracle(
    examples: Examples,
    valid: Examples | None = None,
    options: TrainingOptions | None = None,
    *,
    data: dict[str, str] | None = None,
    checkpoint: Path | None = None,
    every: float = EVERY,
    report: Callback = silent,
) -> TrainedOracle:
    """An oracle trained on `examples`, stopped early by its error on `valid`.

    data        the files that the examples came from: role to SHA-256
    checkpoint  where the state is kept, and taken up again where there is one
    every       seconds after which it is kept again
    report      told examples, over all epochs
    """
    options = options or TrainingOptions()
    if not len(examples):
        raise UsageError("there is no question to train on: no game was won, or the games have no questions")
    if valid is not None and not len(valid):
        raise UsageError("there is no question to validate on: no game was won, or the games have no questions")
    with one_thread():
        return _Training(examples, valid, options, data or {}, checkpoint, every).run(report)


class _Side(NamedTuple):
    """Examples and the tree of their questions."""

    examples: Examples
    tree: PrefixTree


class _Training:
    """One training, from its first weights or from where it was."""

    def __init__(
        self,
        examples: Examples,
        valid: Examples | None,
        options: TrainingOptions,
        data: dict[str, str],
        checkpoint: Path | None,
        every: float,
    ) -> None:
        self.options, self.data, self.checkpoint, self.every = options, data, checkpoint, every
        self.words = Vocabulary.of(examples.times(), options.min_count)
        self.train = _Side(examples, self._tree(examples))
        self.valid = None if valid is None else _Side(valid, self._tree(valid))
        crops = 0 if examples.crops is None else examples.crops.shape[1]
        sizes = Sizes(len(self.words), options.word, options.lstm, options.category, options.hidden, crops)
        self.crops = crops
        self.network = Network(sizes, options.seed)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=options.rate, fused=True)
        self.progress, self.kept = Progress(), time.monotonic()
        self.best: dict[str, npt.NDArray[np.float32]] = {}
        self.identity: dict[str, Any] = {
            **asdict(options),
            "examples": len(examples),
            "validation examples": None if valid is None else len(valid),
            "crops": crops,
            **{f"fingerprint of {role}": value for role, value in data.items()},
        }
        state = None if checkpoint is None else read_checkpoint(checkpoint, self.identity, Progress)
        if state is not None:
            self._take_up(state)

    def _tree(self, examples: Examples) -> PrefixTree:
        return PrefixTree([self.words.numbers(text) for text in examples.texts])

    def run(self, report: Callback) -> TrainedOracle:
        """All epochs that are left."""
        total = self.options.epochs * len(self.train.examples)
        report(self._done(), total)
        while not self._finished():
            order = np.random.default_rng([self.options.seed, self.progress.epoch]).permutation(
                len(self.train.examples)
            )
            batches = range(0, len(order), self.options.batch)
            self.adam.param_groups[0]["lr"] = self.options.rate * self.options.decay**self.progress.epoch
            for start in batches[self.progress.batch :]:
                self._step(order[start : start + self.options.batch])
                if self.progress.batch % REPORT == 0:
                    report(self._done(), total)
                self._keep()
            self._close_epoch()
            report(self._done(), total)
            self._keep()
        if self._done() < total:
            report(total, total)
        return TrainedOracle(
            self.options,
            self.words.words,
            self.best,
            self.progress.best,
            self.progress.history,
            len(self.train.examples),
            self.crops,
            self.data,
        )

    def _done(self) -> int:
        here = self.progress.epoch * len(self.train.examples)
        return here + min(self.progress.batch * self.options.batch, len(self.train.examples))

    def _finished(self) -> bool:
        epoch, best = self.progress.epoch, self.progress.best
        return epoch >= self.options.epochs or (self.valid is not None and epoch - best >= self.options.patience)

    def _scores(self, side: _Side, rows: npt.NDArray[np.int64]) -> torch.Tensor:
        examples = side.examples
        asked, place = np.unique(examples.question[rows], return_inverse=True)
        targets, target = np.unique(examples.target[rows], return_inverse=True)
        questions = self.network.of_questions(side.tree.levels(asked))[torch.from_numpy(place)]
        crops = None if examples.crops is None else examples.crops[targets]
        objects = self.network.of_objects(examples.category[targets], examples.spatial[targets], crops)
        return self.network.scores(questions, objects[torch.from_numpy(target)])

    def _step(self, rows: npt.NDArray[np.int64]) -> None:
        answers = torch.from_numpy(self.train.examples.answer[rows])
        self.adam.zero_grad()
        scores = self._scores(self.train, rows)
        loss = cross_entropy(scores, answers)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.options.clip)
        self.adam.step()
        was = self.progress
        wrong = int((scores.detach().argmax(dim=1) != answers).sum())
        self.progress = Progress(
            was.epoch,
            was.batch + 1,
            was.steps + 1,
            was.loss + loss.item() * len(rows),
            was.errors + wrong,
            was.best,
            was.history,
        )

    def _close_epoch(self) -> None:
        was, size = self.progress, len(self.train.examples)
        epoch = Epoch(was.loss / size, was.errors / size)
        better = True
        if self.valid is not None:
            epoch = Epoch(epoch.loss, epoch.error, *self._validate(self.valid))
            better = not was.best or _error(epoch) < _error(was.history[was.best - 1])
        if better:
            self.best = {name: array.copy() for name, array in self.network.arrays().items()}
        best = was.epoch + 1 if better else was.best
        self.progress = Progress(was.epoch + 1, 0, was.steps, 0.0, 0, best, (*was.history, epoch))

    def _validate(self, side: _Side) -> tuple[float, float]:
        """Mean loss and share of errors."""
        loss, wrong = 0.0, 0
        with torch.no_grad():
            for rows in _blocks(side.examples):
                answers = torch.from_numpy(side.examples.answer[rows])
                scores = self._scores(side, rows)
                loss += float(cross_entropy(scores, answers, reduction="sum"))
                wrong += int((scores.argmax(dim=1) != answers).sum())
        return loss / len(side.examples), wrong / len(side.examples)

    def _keep(self) -> None:
        """Keep the state, where it is time to."""
        if self.checkpoint is None or time.monotonic() - self.kept < self.every:
            return
        moments = [self.adam.state[parameter] for parameter in self.network.parameters()]
        names = [name for name, _ in self.network.named_parameters()]
        state = Checkpoint(
            self.progress,
            self.network.arrays(),
            {name: one["exp_avg"].numpy() for name, one in zip(names, moments, strict=True)},
            {name: one["exp_avg_sq"].numpy() for name, one in zip(names, moments, strict=True)},
            self.best,
        )
        write_checkpoint(self.checkpoint, self.identity, state)
        self.kept = time.monotonic()

    def _take_up(self, state: Checkpoint[Progress]) -> None:
        self.progress, self.best = state.progress, state.best
        self.network.set(state.weights)
        for name, parameter in self.network.named_parameters():
            self.adam.state[parameter] = {
                "step": torch.tensor(float(state.progress.steps)),
                "exp_avg": torch.from_numpy(state.first[name]),
                "exp_avg_sq": torch.from_numpy(state.second[name]),
            }


def _error(epoch: Epoch) -> float:
    return 1.0 if epoch.valid_error is None else epoch.valid_error


def _blocks(examples: Examples) -> Iterator[npt.NDArray[np.int64]]:
    """All examples in blocks, those with the same question together."""
    order = np.argsort(examples.question, kind="stable")
    for start in range(0, len(order), VALID_BATCH):
        yield order[start : start + VALID_BATCH]
