"""The one trainer: steps on the cross-entropy of labels, or on a learner's own loss; it goes on where it was killed.

    minimise  1/N · Σ_i −log softmax(scores_i)[label_i]        gradients no longer than `clip`

What is trained is a `Learner`: it gives its network, its examples and their scores, and validates itself. The order of
an epoch's examples is drawn from the seed and the epoch's number, and one thread computes, so the same examples,
options and machine give the same weights. The weights are those after the epoch with the smallest error on the
validation examples, the first of them where several are equal; without such examples, those after the last epoch.

A checkpoint is one file of numbers and text alone: the weights, the optimiser's moments, how far the training is and
the best weights so far. That is all that the next step depends on beside the seed, so a training that was killed ends
with the same weights as one that was not. A damaged one gives a warning, and the training begins anew. A training whose
loss or weights are no longer finite ends with an error.
"""

import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from msgspec.structs import replace as changed
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from voirdire.engine.threads import one_thread
from voirdire.errors import CacheWarning, InputError, Problem, UsageError
from voirdire.formats.files import open_source
from voirdire.models import Epoch, TrainingSchedule
from voirdire.models.array_file import read_arrays, write_arrays
from voirdire.models.optimisers import clamp_gradients, clip_each, make_optimiser, read_moments, set_moments
from voirdire.progress import Progress, silent

EVERY = 60.0
"""Seconds between two checkpoints inside an epoch."""
BRIEF = 1.0
"""Seconds of work that are not worth a checkpoint, which costs some hundredths of one."""
BATCHES = 10
"""Batches between two reports of progress."""
FORMAT = 3
ARRAYS = ("weights", "first", "second", "best")

Rows = npt.NDArray[np.int64]
Weights = dict[str, npt.NDArray[np.float32]]
Ended = Callable[[int, Epoch], None]
"""Gets the number of an epoch, from 1, and how it went."""
Watch = Callable[[float, float], None]
"""Gets the mean loss of an epoch so far, and the optimiser's step."""


def ignore_epoch(number: int, epoch: Epoch) -> None:
    """Do nothing."""


def ignore_loss(loss: float, rate: float) -> None:
    """Do nothing."""


class Trainable(nn.Module):
    """A network whose weights come and go as arrays."""

    def arrays(self) -> Weights:
        """All weights by name."""
        return {name: value.detach().cpu().numpy() for name, value in self.state_dict().items()}

    def set(self, arrays: Weights) -> None:
        """Take all weights from arrays."""
        self.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})

    def clip_gradients(self, longest: float) -> None:
        """Scale all gradients together, if they are longer than that."""
        if longest:
            torch.nn.utils.clip_grad_norm_(self.parameters(), longest)


class Learner(Protocol):
    """What is trained; its length is the number of its examples."""

    @property
    def network(self) -> Trainable:
        """The network."""

    def __len__(self) -> int: ...

    def order(self, rng: np.random.Generator) -> Rows:
        """The examples of an epoch, as many as there are, in their order; what an epoch draws is drawn here."""

    def scores(self, rows: Rows, step: int) -> tuple[Tensor, Tensor]:
        """Scores (n, classes) of n examples in the step of this number, from 0, and their labels (n)."""

    def validate(self) -> tuple[float | None, float | None]:
        """Mean loss, where it is taken, and share of errors on the validation examples, where there are any."""


@runtime_checkable
class OwnLoss(Protocol):
    """A learner that is not trained on the cross-entropy of its scores."""

    def loss(self, rows: Rows, step: int) -> tuple[Tensor, int]:
        """The mean loss of some examples in the step of this number, from 0, and how many of them are right."""


class Position(msgspec.Struct, frozen=True):
    """How far a training is.

    epoch, batch  the next batch, both from 0
    steps         steps so far
    loss, right   sums over the examples of this epoch so far
    best          the epoch, from 1, with the smallest error on the validation examples; 0 before the first
    """

    epoch: int = 0
    batch: int = 0
    steps: int = 0
    loss: float = 0.0
    right: int = 0
    best: int = 0
    history: tuple[Epoch, ...] = ()


class Checkpoint(msgspec.Struct, frozen=True):
    """Everything that a training goes on from; arrays by the names of the weights.

    first, second  the optimiser's moments
    best           the weights of the best epoch so far; none before the first
    """

    position: Position
    weights: Weights
    first: Weights
    second: Weights
    best: Weights


@dataclass(frozen=True, eq=False)
class Trained:
    """The weights that are kept; `epoch`, from 1, is the one after which they were taken."""

    weights: Weights
    epoch: int
    history: tuple[Epoch, ...]


class Trainer:
    """The steps of a training, and all that the next one depends on."""

    def __init__(self, learner: Learner, schedule: TrainingSchedule) -> None:
        self.learner, self.schedule = learner, schedule
        self.optimiser = make_optimiser(learner.network, schedule)
        self.position = Position()
        self.best: Weights = {}

    @property
    def total(self) -> int:
        """Examples of all epochs."""
        return self.schedule.epochs * len(self.learner)

    @property
    def done(self) -> int:
        """Examples so far."""
        at, size = self.position, len(self.learner)
        return at.epoch * size + min(at.batch * self.schedule.batch, size)

    @property
    def finished(self) -> bool:
        """Whether no epoch or step is left, or the error has not fallen for too long."""
        at, patience = self.position, self.schedule.patience
        patient = patience is None or at.epoch - self._lowest < patience
        return at.epoch >= self.schedule.epochs or self._no_step_left or not patient

    @property
    def _no_step_left(self) -> bool:
        return self.schedule.steps is not None and self.position.steps >= self.schedule.steps

    @property
    def _lowest(self) -> int:
        """The epoch, from 1, with the smallest error."""
        errors = [epoch.valid_error for epoch in self.position.history if epoch.valid_error is not None]
        return errors.index(min(errors)) + 1 if errors else self.position.epoch

    @property
    def rate(self) -> float:
        """The optimiser's next step."""
        return self.schedule.rate_at(self.position.epoch, self.position.steps)

    def batches(self, epoch: int) -> Iterator[Rows]:
        """The examples of each batch of an epoch that is left."""
        order = self.learner.order(np.random.default_rng([self.schedule.seed, epoch]))
        size = self.schedule.batch
        for start in range(self.position.batch * size, len(order), size):
            if self._no_step_left:
                return
            yield order[start : start + size]

    def step(self, rows: Rows) -> float:
        """One step on these examples; returns their mean loss before it."""
        was = self.position
        self.optimiser.param_groups[0]["lr"] = self.rate
        self.optimiser.zero_grad()
        loss, right = self._loss(rows)
        loss.backward()  # type: ignore[no-untyped-call]
        self._limit_gradients()
        self.optimiser.step()
        mean = loss.item()
        if not math.isfinite(mean):
            raise _diverged(was, f"the loss is {mean}")
        self.position = changed(
            was,
            batch=was.batch + 1,
            steps=was.steps + 1,
            loss=was.loss + mean * len(rows),
            right=was.right + right,
        )
        return mean

    def _loss(self, rows: Rows) -> tuple[Tensor, int]:
        if isinstance(self.learner, OwnLoss):
            return self.learner.loss(rows, self.position.steps)
        scores, labels = self.learner.scores(rows, self.position.steps)
        return cross_entropy(scores, labels), int((scores.detach().argmax(dim=1) == labels).sum())

    def _limit_gradients(self) -> None:
        schedule, network = self.schedule, self.learner.network
        if schedule.clamp:
            clamp_gradients(network, schedule.clamp)
        if schedule.clip_each and schedule.clip:
            clip_each(network, schedule.clip)
        else:
            network.clip_gradients(schedule.clip)

    def close_epoch(self) -> Epoch:
        """Validate after the last batch of an epoch, and keep the weights if they are the best so far."""
        was = self.position
        size = min(was.batch * self.schedule.batch, len(self.learner))
        with torch.no_grad():
            epoch = Epoch(was.loss / size, (size - was.right) / size, *self.learner.validate())
        if bad := _not_finite(self.learner.network.arrays()):
            raise _diverged(was, f"the weights {bad} are not finite")
        last = self.schedule.keep == "last"
        better = last or not was.best or _is_better(epoch, was.history[was.best - 1])
        if better:
            self.best = {name: array.copy() for name, array in self.learner.network.arrays().items()}
        best = was.epoch + 1 if better else was.best
        self.position = Position(was.epoch + 1, steps=was.steps, best=best, history=(*was.history, epoch))
        return epoch

    def state(self) -> Checkpoint:
        """All that the next step depends on."""
        network, name = self.learner.network, self.schedule.optimiser
        first, second = (
            {weight: moment.cpu().numpy() for weight, moment in read_moments(self.optimiser, name, network, at).items()}
            for at in (0, 1)
        )
        return Checkpoint(self.position, network.arrays(), first, second, self.best)

    def take_up(self, state: Checkpoint) -> None:
        """Go on from there."""
        self.position, self.best = state.position, state.best
        network = self.learner.network
        network.set(state.weights)
        first, second = (
            {weight: torch.from_numpy(moment) for weight, moment in moments.items()}
            for moments in (state.first, state.second)
        )
        set_moments(self.optimiser, self.schedule.optimiser, network, state.position.steps, first, second)


def _not_finite(arrays: Weights) -> str:
    """The name of the first array with a number that is not finite; empty where there is none."""
    return next((name for name, array in arrays.items() if not np.isfinite(array).all()), "")


def _diverged(at: Position, what: str) -> UsageError:
    return UsageError(
        f"the training has diverged: {what} in epoch {at.epoch + 1}, after {at.steps + 1:,} steps. "
        "Give a smaller rate, and look for huge numbers in the features."
    )


def _is_better(epoch: Epoch, best: Epoch) -> bool:
    return epoch.valid_error is None or best.valid_error is None or epoch.valid_error < best.valid_error


def train(
    learner: Learner,
    schedule: TrainingSchedule,
    *,
    identity: dict[str, Any] | None = None,
    checkpoint: Path | None = None,
    every: float = EVERY,
    progress: Progress = silent,
    ended: Ended = ignore_epoch,
    watch: Watch = ignore_loss,
) -> Trained:
    """All epochs of a training, from its first weights or from where it was.

    identity    what distinguishes this training from others, such as its options and the fingerprints of its files
    checkpoint  where the state is kept every so many seconds and after epochs that are not brief, and resumed from
    progress    gets the number of examples, over all epochs
    ended       gets each epoch, those before a checkpoint again
    watch       gets loss and step whenever `progress` is called inside an epoch
    """
    trainer, identity = Trainer(learner, schedule), identity or {}
    state = None if checkpoint is None else read_checkpoint(checkpoint, identity)
    if state is not None:
        trainer.take_up(state)
    kept = time.monotonic()

    def keep(after: float) -> None:
        nonlocal kept
        if checkpoint is not None and time.monotonic() - kept >= after:
            write_checkpoint(checkpoint, identity, trainer.state())
            kept = time.monotonic()

    for number, epoch in enumerate(trainer.position.history, start=1):
        ended(number, epoch)
    progress(trainer.done, trainer.total)
    with one_thread():
        while not trainer.finished:
            for rows in trainer.batches(trainer.position.epoch):
                trainer.step(rows)
                if trainer.position.batch % BATCHES == 0:
                    at = trainer.position
                    watch(at.loss / (trainer.done - at.epoch * len(learner)), trainer.rate)
                    progress(trainer.done, trainer.total)
                keep(every)
            epoch = trainer.close_epoch()
            ended(trainer.position.epoch, epoch)
            progress(trainer.done, trainer.total)
            keep(0.0 if trainer.finished else min(every, BRIEF))
    if trainer.done < trainer.total:
        progress(trainer.total, trainer.total)
    return Trained(trainer.best, trainer.position.best, trainer.position.history)


class _About(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    identity: dict[str, Any]
    position: Position


def write_checkpoint(path: Path, identity: dict[str, Any], state: Checkpoint) -> None:
    """Keep the state, whole or not at all; `identity` says which training it is of."""
    arrays = {f"{kind}/{name}": array for kind in ARRAYS for name, array in getattr(state, kind).items()}
    write_arrays(path, _About(FORMAT, identity, state.position), arrays)


def read_checkpoint(path: Path, identity: dict[str, Any]) -> Checkpoint | None:
    """The state of the same training, None where there is none or a damaged one; that of another one is an error."""
    if not path.exists():
        return None
    source, hint = open_source(path), f"To begin anew, remove {path}."
    try:
        about, arrays = read_arrays(source, _About, "the state of a training", "")
        if bad := _not_finite(arrays):
            raise source.fail("", bad, "a number that is not finite", "finite numbers")
    except InputError as error:
        warnings.warn(f"{path} is damaged ({error.problems[0]}); the training begins anew", CacheWarning, stacklevel=2)
        return None
    if about.format != FORMAT:
        raise InputError(str(path), [Problem("", "about.format", str(about.format), str(FORMAT), hint)])
    # As the file has it: a tuple comes back as a list.
    wanted = msgspec.json.decode(msgspec.json.encode(identity))
    other = [name for name in {**wanted, **about.identity} if wanted.get(name) != about.identity.get(name)]
    if other:
        raise UsageError(
            f"{path} is the state of another training: {other[0]} was {about.identity.get(other[0])}, now it is "
            f"{wanted.get(other[0])}. Give the same files and options to go on with it. {hint}"
        )
    by_kind: dict[str, Weights] = {kind: {} for kind in ARRAYS}
    for key, array in arrays.items():
        kind, _, name = key.partition("/")
        if kind in by_kind:
            by_kind[kind][name] = array
    return Checkpoint(about.position, **by_kind)
