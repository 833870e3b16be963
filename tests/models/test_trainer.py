"""The trainer by itself: its schedule, which weights it keeps, when it stops, and how it goes on from a checkpoint."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from voirdire.errors import CacheWarning, InputError, UsageError
from voirdire.formats.files import open_source
from voirdire.models import Epoch, OptimiserName, TrainingSchedule
from voirdire.models.array_file import read_arrays, write_arrays
from voirdire.models.optimisers import make_optimiser
from voirdire.models.trainer import Trainable, Trained, Trainer, _About, read_checkpoint, train

SCHEDULE = TrainingSchedule(epochs=4, batch=8, rate=0.05, clip=1.0, seed=3)


@pytest.fixture(autouse=True)
def _every_epoch_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.models.trainer.BRIEF", 0.0)


class Line(Trainable):
    """Two scores from three numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.output = nn.Linear(3, 2)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.zero_()


class Signs:
    """Points of which the first number says the class; the errors on validation points are given."""

    def __init__(self, errors: list[float] | None = None) -> None:
        rng = np.random.default_rng(0)
        self.points = rng.normal(size=(50, 3)).astype(np.float32)
        self.network = Line()
        self.errors = None if errors is None else iter(errors)
        self.steps: list[int] = []

    def __len__(self) -> int:
        return len(self.points)

    def order(self, rng: np.random.Generator) -> np.ndarray:
        return rng.permutation(len(self))

    def scores(self, rows: np.ndarray, step: int) -> tuple[Tensor, Tensor]:
        self.steps.append(step)
        points = torch.from_numpy(self.points[rows])
        return self.network.output(points), (points[:, 0] > 0).long()

    def validate(self) -> tuple[float | None, float | None]:
        assert not torch.is_grad_enabled()
        return None, None if self.errors is None else next(self.errors)


def same(first: Trained, second: Trained) -> bool:
    return all(np.array_equal(first.weights[name], second.weights[name]) for name in first.weights)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epochs", 0, "`epochs` must be at least 1, got 0"),
        ("batch", -2, "`batch` must be at least 1, got -2"),
        ("patience", 0, "`patience` must be at least 1, got 0"),
        ("rate", 0.0, r"`rate` must be above 0, got 0\.0"),
        ("rate", float("nan"), "`rate` must be a finite number, got nan"),
        ("clip", float("inf"), "`clip` must be a finite number, got inf"),
        ("decay", 1.5, r"`decay` must be at most 1, got 1\.5"),
        ("seed", -1, "`seed` must be at least 0, got -1"),
    ],
)
def test_a_schedule_that_cannot_be(name: str, value: float, message: str) -> None:
    given = {"epochs": 1, "batch": 1, "rate": 0.1, "clip": 1.0, "seed": 0, name: value}
    with pytest.raises(UsageError, match=message):
        TrainingSchedule(**given)  # type: ignore[arg-type]


def test_it_learns_and_tells_how_far_it_is() -> None:
    results: list[tuple[int, int]] = []
    ended: list[tuple[int, Epoch]] = []
    learner = Signs()
    made = train(learner, SCHEDULE, progress=lambda *at: results.append(at), ended=lambda *at: ended.append(at))
    assert results == [(0, 200), (50, 200), (100, 200), (150, 200), (200, 200)]
    assert ended == list(enumerate(made.history, start=1))
    assert learner.steps == list(range(4 * 7))
    assert made.history[-1].loss < made.history[0].loss < 1
    assert made.history[-1].error < 0.1
    assert made.epoch == 4


def test_the_first_of_the_best_epochs_is_kept() -> None:
    made = train(Signs([0.5, 0.2, 0.3, 0.2]), SCHEDULE)
    assert made.epoch == 2
    assert [epoch.valid_error for epoch in made.history] == [0.5, 0.2, 0.3, 0.2]
    short = TrainingSchedule(epochs=2, batch=8, rate=0.05, clip=1.0, seed=3)
    assert same(made, train(Signs(), short))


def test_it_stops_when_the_error_no_longer_falls_and_its_bar_is_full() -> None:
    results: list[tuple[int, int]] = []
    patient = TrainingSchedule(epochs=9, batch=8, rate=0.05, clip=1.0, seed=3, patience=2)
    made = train(Signs([0.5, 0.2, 0.3, 0.2, 0.0]), patient, progress=lambda *at: results.append(at))
    assert (len(made.history), made.epoch) == (4, 2)
    assert results[-2:] == [(200, 450), (450, 450)]


def test_the_step_gets_shorter_from_epoch_to_epoch() -> None:
    trainer = Trainer(Signs(), TrainingSchedule(epochs=3, batch=50, rate=0.4, clip=1.0, seed=0, decay=0.5))
    rates = []
    while not trainer.finished:
        for rows in trainer.batches(trainer.position.epoch):
            trainer.step(rows)
            rates.append(trainer.optimiser.param_groups[0]["lr"])
        trainer.close_epoch()
    assert rates == [0.4, 0.2, 0.1]


def rates(schedule: TrainingSchedule) -> list[float]:
    """The step at each step of a training of 50 examples."""
    trainer, found = Trainer(Signs(), schedule), []
    while not trainer.finished:
        for rows in trainer.batches(trainer.position.epoch):
            trainer.step(rows)
            found.append(trainer.optimiser.param_groups[0]["lr"])
        trainer.close_epoch()
    return found


BRIEF = TrainingSchedule(epochs=2, batch=20, rate=0.5, clip=0.0, seed=0)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"step_decay": 0.5}, [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625]),
        ({"decay": 0.5, "step_decay": 0.5}, [0.5, 0.25, 0.125, 0.03125, 0.015625, 0.0078125]),
        ({"doubled_at": (2, 5)}, [0.5, 1.0, 1.0, 1.0, 2.0, 2.0]),
        ({"warm_up": 4, "warm_from": 0.2}, [0.1, 0.2, 0.3, 0.4, 0.5, 0.5]),
        ({"steps": 4}, [0.5] * 4),
        ({"epochs": 9, "steps": 3}, [0.5] * 3),
    ],
)
def test_the_step_follows_its_schedule(changes: dict[str, object], expected: list[float]) -> None:
    assert rates(replace(BRIEF, **changes)) == pytest.approx(expected)  # type: ignore[arg-type]


def test_an_epoch_that_the_last_step_cuts_counts_what_it_had() -> None:
    whole, cut = train(Signs(), replace(BRIEF, epochs=1)), train(Signs(), replace(BRIEF, epochs=1, steps=2))
    trainer = Trainer(Signs(), BRIEF)
    losses = [trainer.step(rows) for rows in trainer.batches(0)]
    assert cut.history[0].loss == pytest.approx(np.mean(losses[:2]))
    assert whole.history[0].loss == pytest.approx((20 * losses[0] + 20 * losses[1] + 10 * losses[2]) / 50)


def by_hand(name: str, gradients: list[float]) -> float:
    """Where a number ends that begins at 0, with steps of 0.1: the formulas of `optimisers`, and of their papers."""
    w = m = v = 0.0
    for at, g in enumerate(gradients, start=1):
        if name == "rmsprop":
            v = 0.99 * v + 0.01 * g * g
            w -= 0.1 * g / (v**0.5 + 1e-8)
        elif name == "sgd":
            m = 0.9 * m + g
            w -= 0.1 * m
        else:
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g * g if name == "adam" else max(0.999 * v, abs(g) + 1e-8)
            size = (v / (1 - 0.999**at)) ** 0.5 + 1e-8 if name == "adam" else v
            w -= 0.1 * m / (1 - 0.9**at) / size
    return w


OPTIMISERS = ["adam", "adamax", "rmsprop", "sgd"]


@pytest.mark.parametrize("name", OPTIMISERS)
def test_optimisers_by_hand(name: OptimiserName) -> None:
    network = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        network.weight.zero_()
    optimiser = make_optimiser(network, replace(BRIEF, optimiser=name, rate=0.1, momentum=0.9))
    gradients = [0.5, -0.25, 1.0, 0.125]
    for gradient in gradients:
        network.weight.grad = torch.full((1, 1), gradient)
        optimiser.step()
    assert float(network.weight.detach()) == pytest.approx(by_hand(name, gradients), rel=1e-5)


class Killed(Exception):
    """The end of a training before its end."""


@pytest.mark.parametrize("name", OPTIMISERS)
@pytest.mark.parametrize("at", [1, 7, 16])
def test_a_training_that_was_killed_ends_with_the_same_bytes(tmp_path: Path, name: OptimiserName, at: int) -> None:
    path = tmp_path / "state.npz"
    schedule = replace(SCHEDULE, optimiser=name, momentum=0.5, step_decay=0.9, warm_up=5)

    class Dies(Signs):
        def scores(self, rows: np.ndarray, step: int) -> tuple[Tensor, Tensor]:
            if step == at:
                raise Killed
            return super().scores(rows, step)

    with pytest.raises(Killed):
        train(Dies(), schedule, checkpoint=path, every=0.0)
    rest = Signs()
    resumed, whole = train(rest, schedule, checkpoint=path, every=0.0), train(Signs(), schedule)
    assert rest.steps[0] == at
    assert {key: array.tobytes() for key, array in resumed.weights.items()} == {
        key: array.tobytes() for key, array in whole.weights.items()
    }
    assert resumed.history == whole.history


def test_the_last_weights_are_kept_where_that_is_asked() -> None:
    last = replace(SCHEDULE, keep="last", patience=2)
    made = train(Signs([0.5, 0.2, 0.3, 0.2]), last)
    assert (made.epoch, len(made.history)) == (4, 4)
    assert same(made, train(Signs(), SCHEDULE))
    # Patience still counts from the smallest error.
    assert len(train(Signs([0.1, 0.2, 0.3, 0.2]), last).history) == 3


def test_a_learner_may_have_a_loss_of_its_own() -> None:
    class Squares(Signs):
        def loss(self, rows: np.ndarray, step: int) -> tuple[Tensor, int]:
            scores, labels = self.scores(rows, step)
            return ((scores[:, 0] - labels) ** 2).mean(), 7

    learner = Squares()
    made = train(learner, SCHEDULE)
    assert made.history[0].error == (50 - 7 * 7) / 50
    assert not made.weights["output.weight"][1].any()
    assert made.weights["output.weight"][0].any()


def test_loss_and_step_are_watched() -> None:
    seen: list[tuple[float, float]] = []
    made = train(Signs(), replace(SCHEDULE, batch=2, decay=0.5), watch=lambda *at: seen.append(at))
    assert len(seen) == 4 * 2
    assert [rate for _, rate in seen] == [0.05, 0.05, 0.025, 0.025, 0.0125, 0.0125, 0.00625, 0.00625]
    assert seen[-1][0] == pytest.approx(made.history[-1].loss, rel=0.5)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"clip": 5.0}, [[1.5, 2.0], [0.0, 4.33]]),
        ({"clip": 2.5, "clip_each": True}, [[1.5, 2.0], [0.0, 2.5]]),
        ({"clamp": 3.5, "clip": 0.0}, [[3.0, 3.5], [0.0, 3.5]]),
        ({"clip": 0.0}, [[3.0, 4.0], [0.0, 8.66]]),
    ],
)
def test_gradients_are_limited(changes: dict[str, object], expected: list[list[float]]) -> None:
    learner = Signs()
    learner.network.output = nn.Linear(2, 2, bias=False)
    learner.network.register_parameter("other", nn.Parameter(torch.zeros(2)))
    learner.network.output.weight = nn.Parameter(torch.zeros(2))
    trainer = Trainer(learner, replace(BRIEF, **changes))  # type: ignore[arg-type]
    learner.network.output.weight.grad = torch.tensor([3.0, 4.0])
    learner.network.get_parameter("other").grad = torch.tensor([0.0, 8.66])
    trainer._limit_gradients()
    found = [learner.network.output.weight.grad.tolist(), learner.network.get_parameter("other").grad.tolist()]
    assert np.allclose(found, expected, atol=2e-3)


def test_gradients_are_clipped() -> None:
    network = Line()
    for parameter in network.parameters():
        parameter.grad = torch.full_like(parameter, 3.0)
    network.clip_gradients(0.5)
    length = torch.cat([weight.grad.reshape(-1) for weight in network.parameters() if weight.grad is not None]).norm()
    assert float(length) == pytest.approx(0.5, rel=1e-4)


def test_the_state_is_kept_after_each_epoch_and_goes_on_from_there(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"

    class Stop(Exception):
        pass

    def stop(number: int, _: Epoch) -> None:
        if number == 3:
            raise Stop

    with pytest.raises(Stop):
        train(Signs([0.4, 0.1, 0.3]), SCHEDULE, identity={"of": (1, 2)}, checkpoint=path, ended=stop)
    state = read_checkpoint(path, {"of": (1, 2)})
    assert state is not None
    assert (state.position.epoch, state.position.best, state.position.steps) == (2, 2, 14)
    results: list[int] = []
    rest = Signs([0.3, 0.2])
    made = train(
        rest, SCHEDULE, identity={"of": (1, 2)}, checkpoint=path, ended=lambda number, _: results.append(number)
    )
    assert results == [1, 2, 3, 4]
    assert rest.steps == list(range(14, 28))
    whole = train(Signs([0.4, 0.1, 0.3, 0.2]), SCHEDULE)
    assert same(made, whole)
    assert made.history == whole.history
    # What had ended is not run again.
    again = Signs([])
    assert same(train(again, SCHEDULE, identity={"of": (1, 2)}, checkpoint=path), whole)
    assert again.steps == []


def test_a_state_of_another_training_or_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    train(Signs(), SCHEDULE, identity={"seed": 3}, checkpoint=path)
    with pytest.raises(UsageError, match=r"another training: seed was 3, now it is 4\..*To begin anew, remove"):
        train(Signs(), SCHEDULE, identity={"seed": 4}, checkpoint=path)
    write_arrays(path, _About(1, {}, read_checkpoint(path, {"seed": 3}).position), {})  # type: ignore[union-attr]
    with pytest.raises(InputError, match=r"field `about.format`: found 1, expected 3. To begin anew, remove"):
        read_checkpoint(path, {})
    assert read_checkpoint(tmp_path / "none.npz", {}) is None


def test_arrays_come_back_with_their_text(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    epoch = Epoch(0.5, 0.25)
    write_arrays(path, epoch, {"a": np.arange(3), "b/c": np.ones((2, 2), np.float32)})
    about, arrays = read_arrays(open_source(path), Epoch, "an epoch")
    assert about == epoch
    assert arrays["a"].tolist() == [0, 1, 2]
    assert arrays["b/c"].dtype == np.float32
    np.savez(path, a=np.arange(3))
    with pytest.raises(InputError, match="field `about`: found nothing, expected an epoch"):
        read_arrays(open_source(path), Epoch, "an epoch")


def change(path: Path, sealed: bool, **arrays: np.ndarray) -> None:
    """Other arrays in a checkpoint, with their right hashes or with those of the arrays that were there."""
    if sealed:
        about, held = read_arrays(open_source(path), _About, "a state")
        write_arrays(path, about, held | arrays)
        return
    with np.load(path) as file:
        held = dict(file)
    np.savez(path, **(held | arrays))


@pytest.mark.parametrize(("number", "sealed"), [(0.5, False), (np.nan, False), (np.nan, True), (np.inf, True)])
@pytest.mark.parametrize("name", ["weights/output.bias", "second/output.weight", "best/output.weight"])
def test_a_damaged_state_is_said_and_the_training_begins_anew(
    tmp_path: Path, name: str, number: float, sealed: bool
) -> None:
    path = tmp_path / "state.npz"
    half = TrainingSchedule(epochs=2, batch=8, rate=0.05, clip=1.0, seed=3)
    train(Signs(), half, checkpoint=path)
    shape = read_arrays(open_source(path), _About, "a state")[1][name].shape
    change(path, sealed, **{name: np.full(shape, number, np.float32)})
    learner = Signs()
    with pytest.warns(CacheWarning, match=rf"state\.npz is damaged \(field `{name}`: .*; the training begins anew"):
        again = train(learner, SCHEDULE, checkpoint=path)
    assert learner.steps == list(range(4 * 7))
    assert same(again, train(Signs(), SCHEDULE))


def test_a_state_that_was_cut_short_is_said_and_the_training_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    whole = train(Signs(), SCHEDULE, checkpoint=path)
    for data in (path.read_bytes()[:-100], b""):
        path.write_bytes(data)
        with pytest.warns(CacheWarning, match="begins anew"):
            assert same(train(Signs(), SCHEDULE, checkpoint=path), whole)


class TooLarge(Signs):
    """One of its numbers has no finite product."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self.points[7, 1] = number


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_training_that_diverges_is_an_error(tmp_path: Path, number: float) -> None:
    path = tmp_path / "state.npz"
    with pytest.raises(UsageError, match=r"the training has diverged: the (loss is|weights) .* in epoch \d"):
        train(TooLarge(number), SCHEDULE, checkpoint=path)


def test_weights_that_are_not_finite_after_an_epoch_are_an_error() -> None:
    trainer = Trainer(Signs(), SCHEDULE)
    for rows in trainer.batches(0):
        trainer.step(rows)
    with torch.no_grad():
        trainer.learner.network.output.bias[1] = torch.inf  # type: ignore[union-attr, index]
    with pytest.raises(UsageError, match=r"the weights output\.bias are not finite in epoch 1"):
        trainer.close_epoch()


def test_a_brief_epoch_is_not_kept_but_the_last_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.models.trainer.BRIEF", 60.0)
    path, kept = tmp_path / "state.npz", []
    train(Signs(), SCHEDULE, checkpoint=path, ended=lambda number, epoch: kept.append(path.exists()))
    assert kept == [False] * SCHEDULE.epochs
    state = read_checkpoint(path, {})
    assert state is not None
    assert state.position.epoch == SCHEDULE.epochs


def test_an_array_that_became_one_of_dates_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    train(Signs(), SCHEDULE, checkpoint=path)
    with np.load(path) as held:
        arrays = dict(held)
    name = next(key for key in arrays if key.startswith("weights/"))
    arrays[name] = np.zeros(3, "datetime64[s]")
    np.savez(path, **arrays)
    with pytest.raises(InputError, match="other values than were written"):
        read_arrays(open_source(path), _About, "the state of a training")
