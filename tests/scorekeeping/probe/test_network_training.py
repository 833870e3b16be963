"""Training: beside a plain module, repeatable, taken up again after a kill, and what it learns."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from probe_dialogues import Table, material
from torch.nn.functional import cross_entropy

from voirdire.engine.threads import one_thread
from voirdire.errors import UsageError
from voirdire.models.trainer import Trainer
from voirdire.scorekeeping.exam import ProbeTraining
from voirdire.scorekeeping.points import TASKS, SentenceNumbers, points_of
from voirdire.scorekeeping.probe.network import Dropout, ProbeLearner, predict, train_probe
from voirdire.scorekeeping.probe.sample import ProbeSample, controlled

pytestmark = pytest.mark.slow

SMALL = ProbeTraining(epochs=3, batch=128, rate=1e-2, hidden=32)
PS = TASKS["PS"]


@pytest.fixture(autouse=True)
def _every_epoch_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.models.trainer.BRIEF", 0.0)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def sample_of(count: int, seed: int, task: str = "PS", blind: bool = False) -> ProbeSample:
    made, known = material(count, seed, blind=blind), SentenceNumbers()
    points = points_of(made.propositions.dialogues.items(), made.lengths, known)
    return ProbeSample(
        made.states.states.reshape(-1, made.states.states.shape[2]),
        Table().encode(known.texts()),
        points.rows(11),
        points.point_sentence,
        TASKS[task].label(points.point_true, points.point_shared),
        points.point_dialogue,
    )


def trainer_of(sample: ProbeSample, classes: int, options: ProbeTraining) -> Trainer:
    return Trainer(ProbeLearner(sample, sample, classes, options), options.schedule())


def plain_losses(sample: ProbeSample, options: ProbeTraining, classes: int, steps: int) -> list[float]:
    """The loss of each step of a chain of torch's layers, with our first weights, order and dropout."""
    learner = ProbeLearner(sample, sample, classes, options)
    plain = learner.network.sequential()
    adam = torch.optim.Adam(plain.parameters(), lr=options.rate)
    table = np.concatenate([sample.states[sample.state], sample.sentences[sample.sentence]], axis=1)
    losses = []
    for step, rows in zip(range(steps), Trainer(learner, options.schedule()).batches(0), strict=False):
        mask = torch.ones(len(rows), options.hidden)
        dropout = learner.dropout(step)
        assert isinstance(dropout, Dropout)
        dropout.apply(mask)
        hidden = plain[1](plain[0](torch.from_numpy(table[rows])))
        loss = cross_entropy(plain[3](hidden * mask), torch.from_numpy(sample.label[rows]))
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), options.clip)
        adam.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("batches", ["shuffled", "grouped"])
def test_the_loss_curve_is_that_of_the_plain_module(batches: str) -> None:
    sample, options = sample_of(40, 0, "TFxPS"), replace(SMALL, batches=batches, clip=0.05)
    training = trainer_of(sample, 4, options)
    ours = [training.step(rows) for rows in training.batches(0)]
    assert len(ours) == 28
    assert np.allclose(ours, plain_losses(sample, options, 4, 28), atol=1e-4)


def test_grouped_batches_hold_whole_dialogues_and_every_point_once() -> None:
    sample = sample_of(30, 1)
    shuffled = ProbeSample(
        *(getattr(sample, name) for name in ("states", "sentences")),
        *(
            getattr(sample, name)[np.random.default_rng(0).permutation(len(sample))]
            for name in ("state", "sentence", "label", "group")
        ),
    )
    training = trainer_of(shuffled, 2, replace(SMALL, batches="grouped"))
    first, second = (np.concatenate(list(training.batches(epoch))) for epoch in (0, 1))
    for order in (first, second):
        assert sorted(order.tolist()) == list(range(len(sample)))
        groups = shuffled.group[order]
        assert np.count_nonzero(np.diff(groups)) == 29
    assert shuffled.group[first].tolist() != shuffled.group[second].tolist()
    plain = trainer_of(shuffled, 2, SMALL)
    order = np.concatenate(list(plain.batches(0)))
    assert sorted(order.tolist()) == list(range(len(sample)))
    assert np.count_nonzero(np.diff(shuffled.group[order])) > 1000


def test_the_same_seed_gives_the_same_weights() -> None:
    sample, valid = sample_of(30, 0), sample_of(10, 1)
    first, same = (train_probe(sample, valid, 2, SMALL) for _ in range(2))
    for name, array in first.network.arrays().items():
        assert np.array_equal(array, same.network.arrays()[name])
    assert first.history == same.history
    other = train_probe(sample, valid, 2, replace(SMALL, seed=1))
    assert not np.array_equal(first.network.arrays()["output.weight"], other.network.arrays()["output.weight"])


def test_the_best_epoch_on_valid_is_kept() -> None:
    sample, valid = sample_of(40, 0, blind=True), sample_of(40, 1)
    told: list[int] = []
    options = replace(SMALL, epochs=6)
    found = train_probe(sample, valid, 2, options, ended=lambda number, _: told.append(number))
    assert told == [1, 2, 3, 4, 5, 6]
    errors = [epoch.valid_error for epoch in found.history]
    assert found.epoch == 1 + errors.index(min(errors))
    assert (predict(found.network, valid) != valid.label).mean() == min(errors)


def test_states_that_hold_the_score_are_read_and_controls_are_not() -> None:
    sample, valid = sample_of(150, 0), sample_of(40, 1)
    options = replace(SMALL, epochs=12, hidden=64)
    error = {}
    for control in ("", "null"):
        found = train_probe(controlled(sample, control, 0), valid, 2, options)  # type: ignore[arg-type]
        error[control] = min(epoch.valid_error for epoch in found.history)
    assert error[""] < 0.03
    assert error["null"] > 0.25


def test_grouped_batches_learn_as_much_here() -> None:
    sample, valid = sample_of(150, 0), sample_of(40, 1)
    options = replace(SMALL, epochs=12, hidden=64, batches="grouped")
    assert min(epoch.valid_error for epoch in train_probe(sample, valid, 2, options).history) < 0.05


# Trains with a checkpoint after each step, and dies in the middle of the second epoch.
KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], os.path.dirname(sys.argv[1])]
from test_network_training import SMALL, sample_of
from voirdire.scorekeeping.probe.network import train_probe

def die(done, total):
    if done > 1.4 * total / 3:
        os.kill(os.getpid(), signal.SIGKILL)

train_probe(sample_of(30, 0), sample_of(10, 1), 2, SMALL, checkpoint=Path(sys.argv[2]), every=0.0, progress=die)
"""


def test_a_killed_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    done = subprocess.run([sys.executable, "-c", KILLED, str(Path(__file__).parent), str(path)], check=False)
    assert done.returncode == -9
    assert path.exists()
    sample, valid = sample_of(30, 0), sample_of(10, 1)
    told: list[tuple[int, int]] = []
    resumed = train_probe(sample, valid, 2, SMALL, checkpoint=path, progress=lambda *at: told.append(at))
    assert told[0][0] > len(sample)
    assert told[-1] == (3 * len(sample), 3 * len(sample))
    whole = train_probe(sample, valid, 2, SMALL)
    for name, array in whole.network.arrays().items():
        assert np.array_equal(array, resumed.network.arrays()[name])
    assert resumed.history == whole.history
    # What had ended is not run again.
    again = train_probe(sample, valid, 2, SMALL, checkpoint=path)
    assert again.history == whole.history
    assert np.array_equal(again.network.arrays()["output.weight"], whole.network.arrays()["output.weight"])


def test_the_state_of_another_training_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    sample, valid = sample_of(10, 0), sample_of(5, 1)
    train_probe(sample, valid, 2, SMALL, checkpoint=path, identity={"states": "aa"})
    with pytest.raises(UsageError, match=r"another training: seed was 0, now it is 1\..*remove"):
        train_probe(sample, valid, 2, replace(SMALL, seed=1), checkpoint=path, identity={"states": "aa"})
    with pytest.raises(UsageError, match="states was aa, now it is bb"):
        train_probe(sample, valid, 2, SMALL, checkpoint=path, identity={"states": "bb"})


def test_options_that_cannot_be() -> None:
    bad = {"epochs": 0, "rate": 0.0, "clip": float("inf"), "dropout": 1.0, "batches": "sorted", "seed": -1}
    for name, value in bad.items():
        with pytest.raises(UsageError, match=name):
            ProbeTraining(**{name: value})
    empty = sample_of(5, 0)
    with pytest.raises(ValueError, match="0 and"):
        train_probe(replace(empty, label=empty.label[:0]), empty, 2)


def test_options_are_plain_values() -> None:
    assert json.loads(json.dumps(ProbeTraining().__dict__))["batch"] == 512
    assert (ProbeTraining().epochs, ProbeTraining().rate, ProbeTraining().clip) == (30, 1e-3, 1.0)
