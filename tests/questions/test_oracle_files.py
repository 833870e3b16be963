"""A trained oracle's file, the state of its training, and files of crops: written, read, cut and changed."""

import io
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracle_games import simple_games

from voirdire.errors import CacheWarning, InputError, UsageError
from voirdire.formats.features import Features, read_features
from voirdire.models.array_file import _digest
from voirdire.questions.exam import OracleOptions
from voirdire.questions.oracles import make_oracle
from voirdire.questions.trained_oracle.examples import Collector, Examples
from voirdire.questions.trained_oracle.file import TrainedOracle, checkpoint_path, read_oracle, write_oracle
from voirdire.questions.trained_oracle.training import train_oracle
from voirdire.validation import examine

pytestmark = pytest.mark.slow

TINY = OracleOptions(epochs=3, batch=16, rate=5e-3, word=6, lstm=8, category=6, hidden=10)


def examples_of(games: list, crops: Features | None = None) -> Examples:
    collector = Collector()
    collector.add(games)
    return collector.examples(crops)


@pytest.fixture(scope="module")
def trained() -> TrainedOracle:
    return train_oracle(examples_of(simple_games(40, 1)), None, replace(TINY, epochs=1), data={"games": "ab" * 32})


def rewritten(path: Path, sealed: bool = True, **changes: np.ndarray | None) -> Path:
    """The same file with arrays changed, added or (None) left out; with their right hashes, or with those of before."""
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files} | changes
    held = {key: array for key, array in arrays.items() if array is not None}
    if sealed:
        seals = {key: _digest(array) for key, array in held.items() if key != "sha256"}
        held["sha256"] = np.frombuffer(json.dumps(seals).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **held)
    path.write_bytes(buffer.getvalue())
    return path


def same(first: TrainedOracle, second: TrainedOracle) -> bool:
    return first.weights.keys() == second.weights.keys() and all(
        np.array_equal(first.weights[name], second.weights[name]) for name in first.weights
    )


def test_an_oracle_is_read_as_it_was_written(trained: TrainedOracle, tmp_path: Path) -> None:
    first, second = tmp_path / "a.npz", tmp_path / "b.npz"
    write_oracle(trained, first)
    found = read_oracle(first)
    assert same(found, trained)
    assert (found.options, found.words, found.history, found.data) == (
        trained.options,
        trained.words,
        trained.history,
        trained.data,
    )
    write_oracle(found, second)
    assert first.read_bytes() == second.read_bytes()
    oracle = make_oracle(f"model:{first}")
    assert oracle.name == f"model:{first}"
    assert oracle.identity == f"model {found.fingerprint}"


def test_a_file_that_is_none_says_so(trained: TrainedOracle, tmp_path: Path) -> None:
    path = tmp_path / "oracle.npz"
    write_oracle(trained, path)
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match="train-oracle"):
            read_oracle(path)
    path.write_text('{"games": 1}')
    with pytest.raises(InputError, match="train-oracle"):
        read_oracle(path)
    with pytest.raises(InputError, match="no such file"):
        read_oracle(tmp_path / "nowhere.npz")
    np.savez(path, features=np.zeros(3))
    with pytest.raises(InputError, match="field `about`: found nothing"):
        read_oracle(path)


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "oracle.npz"
    np.savez(path, about=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="field `about`: found Python objects, which are not read") as caught:
        read_oracle(path)
    assert "allow_pickle" not in str(caught.value)


def test_every_array_is_checked(trained: TrainedOracle, tmp_path: Path) -> None:
    path = tmp_path / "oracle.npz"
    cases: list[tuple[dict[str, np.ndarray | None], str]] = [
        ({"output.bias": None}, r"`output.bias`: found nothing, expected float32 of shape \(3,\)"),
        ({"output.bias": np.zeros(4, np.float32)}, r"float32 of shape \(4,\)"),
        ({"output.bias": np.zeros(3)}, "float64"),
        ({"output.bias": np.full(3, np.nan, np.float32)}, "not finite"),
        ({"extra": np.zeros(3)}, "`extra`: found float64 of shape .*, expected no such array"),
        ({"words": np.frombuffer(b"only", np.uint8)}, "word.weight"),
        ({"words": None}, "words"),
        ({"about": np.frombuffer(b'{"kind": "x"}', np.uint8)}, "about"),
    ]
    for changes, message in cases:
        write_oracle(trained, path)
        with pytest.raises(InputError, match=message):
            read_oracle(rewritten(path, **changes))


@pytest.mark.parametrize("number", [0.0, np.nan, np.inf])
def test_weights_that_were_changed_are_named(trained: TrainedOracle, tmp_path: Path, number: float) -> None:
    path = tmp_path / "oracle.npz"
    write_oracle(trained, path)
    with pytest.raises(InputError, match=r"oracle\.npz: field `output\.bias`: found (other values|a number)"):
        read_oracle(rewritten(path, sealed=False, **{"output.bias": np.full(3, number, np.float32)}))


def test_an_oracle_of_another_format_is_refused(trained: TrainedOracle, tmp_path: Path) -> None:
    path = tmp_path / "oracle.npz"
    write_oracle(trained, path)
    with np.load(path) as file:
        about = file["about"].tobytes().replace(b'"format":2', b'"format":9')
    with pytest.raises(InputError, match="format 9, expected 'voirdire oracle', format 2"):
        read_oracle(rewritten(path, about=np.frombuffer(about, np.uint8)))


def test_a_training_that_was_stopped_ends_as_one_that_was_not(tmp_path: Path) -> None:
    examples, valid = examples_of(simple_games(50, 2)), examples_of(simple_games(20, 3))
    whole = train_oracle(examples, valid, TINY)
    state = tmp_path / "oracle.npz.training"

    class Stop(Exception):
        pass

    stops = 0
    for limit in (30, 400, 10**9):
        told = 0

        def tell(done: int, total: int, limit: int = limit) -> None:
            nonlocal told
            told = done
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
from test_oracle_files import TINY, examples_of
from oracle_games import simple_games
from voirdire.questions.trained_oracle.training import train_oracle

def die(done, total):
    if done > total / 2:
        os.kill(os.getpid(), signal.SIGKILL)

train_oracle(examples_of(simple_games(50, 2)), None, TINY, checkpoint=Path(sys.argv[2]), every=0.0, progress=die)
"""


def test_kill_9_leaves_a_state_to_go_on_from(tmp_path: Path) -> None:
    state = checkpoint_path(tmp_path / "oracle.npz")
    command = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(state)]
    killed = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert state.exists()
    examples = examples_of(simple_games(50, 2))
    told: list[int] = []
    after = train_oracle(examples, None, TINY, checkpoint=state, progress=lambda done, total: told.append(done))
    assert told[0] > 0
    assert same(after, train_oracle(examples, None, TINY))


def test_crops_by_object(tmp_path: Path) -> None:
    path = tmp_path / "crops.npz"
    np.savez(path, object_ids=np.array([7, 3, 5]), features=np.array([[7.0, 1], [3, 1], [5, 1]]))
    crops = read_features(path, "object")
    assert crops.width == 2
    assert crops.of(np.array([5, 7, 5])).tolist() == [[5, 1], [7, 1], [5, 1]]
    with pytest.raises(InputError, match="object 4, field `object_ids`: found nothing"):
        crops.of(np.array([4]))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"features": np.zeros((1, 2))}, "`object_ids`: found nothing"),
        ({"object_ids": np.array([1.5]), "features": np.zeros((1, 2))}, "whole numbers"),
        ({"object_ids": np.array([1, 2]), "features": np.zeros((1, 2))}, r"floats of shape \(2, d\)"),
        ({"object_ids": np.array([1, 1]), "features": np.zeros((2, 2))}, "this object twice"),
        ({"object_ids": np.array([1]), "features": np.array([[np.nan]])}, "not finite"),
    ],
)
def test_bad_crops_are_named(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    path = tmp_path / "crops.npz"
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=message):
        read_features(path, "object")
    path.write_text("no")
    with pytest.raises(InputError, match=r"found text that starts with 'no', expected an \.npz with `object_ids`"):
        read_features(path, "object")


def test_files_that_are_no_npz_are_told_by_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "oracle.npz"
    for data, seen in ((b"", "an empty file"), (b"hello", "text that starts with 'hello'"), (b"{}", "a JSON object")):
        path.write_bytes(data)
        with pytest.raises(InputError, match=f"found {seen}.*train-oracle") as caught:
            read_oracle(path)
        assert "pickle" not in str(caught.value)


def test_validate_does_not_take_other_arrays_for_dialogue_states(tmp_path: Path) -> None:
    features = tmp_path / "features.npz"
    np.savez(features, object_ids=np.array([4, 7]), features=np.ones((2, 3), np.float32))
    found = examine(features)
    assert (found.format, found.holds, found.ok) == ("features", "features of 2 objects, 3 numbers each", True)
    np.savez(features, image_ids=np.array([4, 4]), features=np.ones((2, 3), np.float32))
    assert "image 4, field `image_ids`: found this image twice" in str(examine(features).problems[0])
    for arrays in (
        {"about": np.zeros(3, np.uint8), "w": np.ones((2, 3))},
        {"texts": np.array(["a"]), "vectors": np.ones((1, 2))},
    ):
        np.savez(tmp_path / "other.npz", **arrays)
        other = examine(tmp_path / "other.npz")
        assert other.format is None
        assert "It seems to" in other.problems[0].hint
    # States that are called features, without ids, are states.
    np.savez(features, features=np.ones((2, 11, 3), np.float32))
    assert examine(features).format == "states"


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
    for game, given in zip(games[250:], oracle.answer(games[250:]), strict=True):
        assert given.answers.tolist() == [[0 if known[thing.id] else 1 for thing in game.objects]]
    assert "crops" in oracle.identity
    with pytest.raises(UsageError, match="trained with crops"):
        make_oracle(f"model:{model}")
    with pytest.raises(UsageError, match="needs the file"):
        make_oracle("model")


def test_crops_that_the_oracle_does_not_know_are_refused(trained: TrainedOracle, tmp_path: Path) -> None:
    write_oracle(trained, tmp_path / "oracle.npz")
    np.savez(tmp_path / "crops.npz", object_ids=np.array([1]), features=np.zeros((1, 2)))
    with pytest.raises(UsageError, match=r"2 features per crop; .* was trained with none"):
        make_oracle(f"model:{tmp_path / 'oracle.npz'},{tmp_path / 'crops.npz'}")
