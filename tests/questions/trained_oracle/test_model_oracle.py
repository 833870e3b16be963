"""A trained oracle's file, written, read and changed; its answers; and files of crops."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracle_games import TINY, examples_of, game, simple_games

from voirdire.engine.threads import one_thread
from voirdire.errors import InputError, UsageError
from voirdire.formats.features import read_features
from voirdire.models.array_file import _digest
from voirdire.questions.oracles import make_oracle
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.model_oracle import (
    CLOSE,
    ModelOracle,
    TrainedOracle,
    make_network,
    read_oracle,
    write_oracle,
)
from voirdire.questions.trained_oracle.network import (
    PrefixTree,
    Vocabulary,
)
from voirdire.questions.trained_oracle.training import train_oracle
from voirdire.validation import examine

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tiny() -> TrainedOracle:
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


def test_an_oracle_is_read_as_it_was_written(tiny: TrainedOracle, tmp_path: Path) -> None:
    first, second = tmp_path / "a.npz", tmp_path / "b.npz"
    write_oracle(tiny, first)
    again = read_oracle(first)
    assert same(again, tiny)
    assert (again.options, again.words, again.history, again.data) == (
        tiny.options,
        tiny.words,
        tiny.history,
        tiny.data,
    )
    write_oracle(again, second)
    assert first.read_bytes() == second.read_bytes()
    oracle = make_oracle(f"model:{first}")
    assert oracle.name == f"model:{first}"
    assert oracle.identity == f"model {again.fingerprint}"


def test_a_file_that_is_none_says_so(tiny: TrainedOracle, tmp_path: Path) -> None:
    path = tmp_path / "oracle.npz"
    write_oracle(tiny, path)
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


def test_every_array_is_checked(tiny: TrainedOracle, tmp_path: Path) -> None:
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
        write_oracle(tiny, path)
        with pytest.raises(InputError, match=message):
            read_oracle(rewritten(path, **changes))


@pytest.mark.parametrize("number", [0.0, np.nan, np.inf])
def test_weights_that_were_changed_are_named(tiny: TrainedOracle, tmp_path: Path, number: float) -> None:
    path = tmp_path / "oracle.npz"
    write_oracle(tiny, path)
    with pytest.raises(InputError, match=r"oracle\.npz: field `output\.bias`: found (other values|a number)"):
        read_oracle(rewritten(path, sealed=False, **{"output.bias": np.full(3, number, np.float32)}))


def test_an_oracle_of_another_format_is_refused(tiny: TrainedOracle, tmp_path: Path) -> None:
    path = tmp_path / "oracle.npz"
    write_oracle(tiny, path)
    with np.load(path) as file:
        about = file["about"].tobytes().replace(b'"format":3', b'"format":9')
    with pytest.raises(InputError, match="format 9, expected 'voirdire oracle', format 3"):
        read_oracle(rewritten(path, about=np.frombuffer(about, np.uint8)))


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
    kind = examine(features)
    assert (kind.format, kind.holds, kind.ok) == ("features", "features of 2 objects, 3 numbers each", True)
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


def test_crops_that_the_oracle_does_not_know_are_refused(tiny: TrainedOracle, tmp_path: Path) -> None:
    write_oracle(tiny, tmp_path / "oracle.npz")
    np.savez(tmp_path / "crops.npz", object_ids=np.array([1]), features=np.zeros((1, 2)))
    with pytest.raises(UsageError, match=r"2 features per crop; .* was trained with none"):
        make_oracle(f"model:{tmp_path / 'oracle.npz'},{tmp_path / 'crops.npz'}")


SMALL = OracleOptions(epochs=8, batch=64, rate=5e-3, word=12, lstm=24, category=12, hidden="48")


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


@pytest.fixture(scope="module")
def trained() -> TrainedOracle:
    return train_oracle(examples_of(simple_games(1000, 1)), examples_of(simple_games(150, 2)), SMALL)


def test_a_batch_answers_as_single_calls_do(trained: TrainedOracle) -> None:
    oracle, games = ModelOracle(trained), simple_games(60, 8)
    batched = oracle.answer(games)
    for asked, given_ in zip(games, batched, strict=True):
        for row, qa in enumerate(asked.qas):
            for column, thing in enumerate(asked.objects):
                assert given_.answers[row, column] == oracle.one(qa.question, asked.image, thing).argmax()
    few = [ModelOracle(trained).answer([asked])[0] for asked in games[:20]]
    assert all(np.array_equal(a.answers, b.answers) for a, b in zip(few, batched, strict=False))


def test_the_bound_of_close_calls_is_far_above_the_difference(trained: TrainedOracle) -> None:
    oracle, games = ModelOracle(trained), simple_games(25, 9)
    network = make_network(trained)
    texts = sorted({qa.question for game in games for qa in game.qas})
    words = Vocabulary(trained.words)
    questions = network.of_questions(PrefixTree([words.numbers(t) for t in texts]).levels(np.arange(len(texts))))
    pairs = [(game.image, thing) for game in games for thing in game.objects]
    objects = oracle._objects(pairs)
    apart = 0.0
    for row, text in enumerate(texts):
        scores = network.scores(questions[[row] * len(pairs)], objects).numpy()
        for (image, thing), batched in zip(pairs, scores, strict=True):
            apart = max(apart, float(np.abs(oracle.one(text, image, thing) - batched).max()))
    assert 0 < apart < CLOSE / 20


def test_close_calls_are_made_alone_and_ties_counted(trained: TrainedOracle) -> None:
    # Without weights in the last layer all three scores are equal: the first class, every call a tie.
    flat = {**trained.weights, "output.weight": np.zeros_like(trained.weights["output.weight"])}
    flat["output.bias"] = np.zeros(3, np.float32)
    one = simple_games(1, 1)[0]
    (answered,) = ModelOracle(replace(trained, weights=flat)).answer([one])
    assert (answered.answers == 0).all()
    assert answered.ties == answered.answers.size
    flat["output.bias"] = np.array([0.0, 0.0, 1e-6], np.float32)
    (answered,) = ModelOracle(replace(trained, weights=flat)).answer([one])
    assert (answered.answers == 2).all()
    assert answered.ties == 0


def test_games_without_questions_or_objects_are_answered(trained: TrainedOracle) -> None:
    silent = game(1, [("car", (0.0, 0.0, 9.0, 9.0))], [])
    assert ModelOracle(trained).answer([]) == []
    (answered,) = ModelOracle(trained).answer([silent])
    assert answered.answers.shape == (0, 1)
    with pytest.raises(InputError, match=r"the games, beside model:o\.npz: game 2, object 200, field `category_id`"):
        ModelOracle(trained, name="model:o.npz").answer([game(2, [("unicorn", (0.0, 0.0, 9.0, 9.0))], [("a?", "no")])])


def test_questions_are_remembered_and_forgotten(trained: TrainedOracle, monkeypatch: pytest.MonkeyPatch) -> None:
    games = simple_games(40, 10)
    wanted = ModelOracle(trained).answer(games)
    monkeypatch.setattr("voirdire.questions.trained_oracle.model_oracle.GAMES", 3)
    monkeypatch.setattr("voirdire.questions.trained_oracle.model_oracle.REMEMBERED", 7)
    monkeypatch.setattr("voirdire.questions.trained_oracle.model_oracle.CALLS", 5)
    results: list[tuple[int, int]] = []
    answered = ModelOracle(trained).answer(games, lambda done, total: results.append((done, total)))
    assert all(np.array_equal(a.answers, b.answers) for a, b in zip(answered, wanted, strict=True))
    assert results[0] == (3, 40)
    assert results[-1] == (40, 40)
