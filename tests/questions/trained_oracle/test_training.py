"""The training of an oracle: its examples, that it learns, and that it goes on where it was."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracle_games import TINY, examples_of, game, simple_games

from voirdire.engine.threads import one_thread
from voirdire.errors import CacheWarning, InputError, UsageError
from voirdire.formats.features import read_features
from voirdire.formats.guesswhat import ANSWERS
from voirdire.questions.oracles import make_oracle
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.model_oracle import ModelOracle, TrainedOracle, checkpoint_path, write_oracle
from voirdire.questions.trained_oracle.training import train_oracle

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tiny() -> TrainedOracle:
    return train_oracle(examples_of(simple_games(40, 1)), None, replace(TINY, epochs=1), data={"games": "ab" * 32})


def same(first: TrainedOracle, second: TrainedOracle) -> bool:
    return first.weights.keys() == second.weights.keys() and all(
        np.array_equal(first.weights[name], second.weights[name]) for name in first.weights
    )


def test_a_training_that_was_stopped_ends_as_one_that_was_not(tmp_path: Path) -> None:
    examples, valid = examples_of(simple_games(50, 2)), examples_of(simple_games(20, 3))
    whole = train_oracle(examples, valid, TINY)
    state = tmp_path / "oracle.npz.training"

    class Stop(Exception):
        pass

    stops = 0
    for limit in (30, 400, 10**9):

        def tell(done: int, total: int, limit: int = limit) -> None:
            if limit <= done < total:
                raise Stop

        try:
            found = train_oracle(examples, valid, TINY, checkpoint=state, every=0.0, progress=tell)
        except Stop:
            stops += 1
    assert stops == 2
    assert same(found, whole)
    assert found.history == whole.history


def test_a_training_goes_on_only_with_its_own_games_and_options(tmp_path: Path) -> None:
    state = tmp_path / "oracle.npz.training"
    examples = examples_of(simple_games(20, 2))
    train_oracle(examples, None, TINY, data={"games": "a"}, checkpoint=state, every=0.0)
    with pytest.raises(UsageError, match=r"another training: rate was 0.005, now it is 0.1.*remove .*training"):
        train_oracle(examples, None, replace(TINY, rate=0.1), data={"games": "a"}, checkpoint=state)
    with pytest.raises(UsageError, match="fingerprint of games was a, now it is b"):
        train_oracle(examples, None, TINY, data={"games": "b"}, checkpoint=state)
    state.write_bytes(state.read_bytes()[:1000])
    with pytest.warns(CacheWarning, match="the training begins anew"):
        train_oracle(examples, None, TINY, data={"games": "a"}, checkpoint=state)


KILLED = """
import os, signal, sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from oracle_games import TINY, examples_of, simple_games
from voirdire.questions.trained_oracle.training import train_oracle

def die(done, total):
    if done > total / 2:
        os.kill(os.getpid(), signal.SIGKILL)

train_oracle(examples_of(simple_games(50, 2)), None, TINY, checkpoint=Path(sys.argv[2]), every=0.0, progress=die)
"""


def test_kill_9_leaves_a_state_to_go_on_from(tmp_path: Path) -> None:
    state = checkpoint_path(tmp_path / "oracle.npz")
    command = [sys.executable, "-c", KILLED, str(Path(__file__).parents[1]), str(state)]
    killed = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert state.exists()
    examples = examples_of(simple_games(50, 2))
    results: list[int] = []
    after = train_oracle(examples, None, TINY, checkpoint=state, progress=lambda done, total: results.append(done))
    assert results[0] > 0
    assert same(after, train_oracle(examples, None, TINY))


def test_crops_tell_what_category_and_box_do_not(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    ids = np.array(sorted({thing.id for game in simple_games(300, 4) for thing in game.objects}))
    red = rng.integers(0, 2, len(ids))
    path = tmp_path / "crops.npz"
    np.savez(path, object_ids=ids, features=np.stack([red * 2.0 - 1, rng.normal(size=len(ids))], axis=1))
    crops = read_features(path, "object")
    known = dict(zip(ids.tolist(), red.tolist(), strict=True))
    games = [
        type(game)(
            game.id, game.image, game.objects, game.target_id,
            (type(game.qas[0])("is it red?", "yes" if known[game.target_id] else "no"),), "success",
        )
        for game in simple_games(300, 4)
    ]  # fmt: skip
    made = train_oracle(examples_of(games[:250], crops), None, replace(TINY, epochs=12))
    model = tmp_path / "oracle.npz"
    write_oracle(made, model)
    oracle = make_oracle(f"model:{model},{path}")
    for game_, given in zip(games[250:], oracle.answer(games[250:]), strict=True):
        assert given.answers.tolist() == [[0 if known[thing.id] else 1 for thing in game_.objects]]
    assert "crops" in oracle.identity
    with pytest.raises(UsageError, match="trained with crops"):
        make_oracle(f"model:{model}")
    with pytest.raises(UsageError, match="needs the file"):
        make_oracle("model")


SMALL = OracleOptions(epochs=8, batch=64, rate=5e-3, word=12, lstm=24, category=12, hidden="48")


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


@pytest.fixture(scope="module")
def trained() -> TrainedOracle:
    return train_oracle(examples_of(simple_games(1000, 1)), examples_of(simple_games(150, 2)), SMALL)


def test_examples_are_the_questions_of_won_games() -> None:
    box = (0.0, 0.0, 64.0, 48.0)
    won = game(1, [("car", box), ("dog", (320.0, 0.0, 64.0, 48.0))], [("a?", "yes"), ("b?", "n/a")], target=1)
    lost = game(2, [("car", box)], [("c?", "no")], status="failure")
    unsaid, silent = game(3, [("car", box)], [("c?", "no")], status=None), game(4, [("car", box)], [])
    examples = examples_of([won, lost, unsaid, silent, game(5, [("person", box)], [("a?", "no")])])
    assert examples.texts == ("a?", "b?")
    assert examples.question.tolist() == [0, 1, 0]
    assert [ANSWERS[code] for code in examples.answer] == ["yes", "n/a", "no"]
    assert examples.target.tolist() == [0, 0, 1]
    assert examples.category.tolist() == [18, 1]
    assert examples.spatial[0, :2].tolist() == pytest.approx([0.0, 0.8])
    assert examples.unused == 3
    assert examples.times() == {"a?": 2, "b?": 1}


def test_an_unknown_category_is_named() -> None:
    odd = game(7, [("unicorn", (0.0, 0.0, 9.0, 9.0))], [("a?", "no")])
    with pytest.raises(InputError, match=r"game 7, object 700, field `category_id`: found 95 \(unicorn\)"):
        examples_of([odd])


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(UsageError, match="no question to train on"):
        train_oracle(examples_of([]))
    with pytest.raises(UsageError, match="no question to validate on"):
        train_oracle(examples_of(simple_games(3, 1)), examples_of([]), SMALL)


def test_it_learns_what_category_and_box_tell(trained: TrainedOracle) -> None:
    unseen = [game for game in simple_games(300, 3) if game.status == "success"]
    oracle = ModelOracle(trained)
    right = total = 0
    for one, given_ in zip(unseen, oracle.answer(unseen), strict=True):
        place = [thing.id for thing in one.objects].index(one.target_id)
        right += sum(ANSWERS[code] == qa.answer for code, qa in zip(given_.answers[:, place], one.qas, strict=True))
        total += len(one.qas)
    assert right / total > 0.95
    assert trained.history[trained.epoch - 1].valid_error < 0.05 < trained.history[0].error


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    examples = examples_of(simple_games(60, 5))
    short = replace(SMALL, epochs=1)
    first, second = (train_oracle(examples, None, short) for _ in range(2))
    assert all(np.array_equal(first.weights[name], second.weights[name]) for name in first.weights)
    other = train_oracle(examples, None, replace(short, seed=1))
    assert not np.array_equal(first.weights["output.weight"], other.weights["output.weight"])


def test_training_stops_when_the_validation_error_no_longer_falls() -> None:
    # Validation answers that contradict those of train: the more is learnt, the more is wrong.
    turned = {"yes": "no", "no": "yes", "n/a": "n/a"}
    games = simple_games(80, 6)
    against = [
        game_.__class__(**{**{f: getattr(game_, f) for f in game_.__struct_fields__}, "qas": qas})
        for game_ in simple_games(40, 7)
        for qas in [tuple(type(qa)(qa.question, turned[qa.answer]) for qa in game_.qas)]
    ]
    made = train_oracle(examples_of(games), examples_of(against), replace(SMALL, epochs=20, patience=2))
    assert len(made.history) == made.epoch + 2 < 20
    errors = [epoch.valid_error for epoch in made.history]
    assert min(errors) == errors[made.epoch - 1]


@pytest.mark.parametrize(
    ("name", "value"), [("epochs", 0), ("rate", 0.0), ("decay", 1.1), ("clip", float("inf")), ("seed", -1)]
)
def test_options_that_cannot_be(name: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"`{name}` must be"):
        OracleOptions(**{name: value})
