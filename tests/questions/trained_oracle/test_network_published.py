"""The published oracles: their sizes, and their outputs on golden cases, whose weights ours takes by a map of names."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from oracle_games import TINY, examples_of, simple_games

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import ANSWERS
from voirdire.options import OptionError
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.model_oracle import ModelOracle, read_oracle, write_oracle
from voirdire.questions.trained_oracle.network import CATEGORIES, UNKNOWN, OracleNetwork, PrefixTree, Vocabulary
from voirdire.questions.trained_oracle.training import train_oracle

pytestmark = pytest.mark.slow

WORDS = 4901
"""Entries of the published vocabulary."""
Arrays = dict[str, np.ndarray]


def golden(real_data: Path, name: str) -> tuple[Arrays, Arrays, Arrays]:
    """Weights, inputs and outputs of a case."""
    with np.load(real_data / "networks" / "players" / f"{name}.npz") as file:
        arrays = {key: file[key] for key in file.files}
    parts = (
        {k.partition("/")[2]: a for k, a in arrays.items() if k.startswith(start)} for start in ("w/", "in/", "out/")
    )
    weights, inputs, outputs = parts
    return weights, inputs, outputs


def first_layer(matrix: np.ndarray, lstm: int, category: int) -> Arrays:
    """One matrix over [question; category; box] as ours: a matrix each."""
    question, kind, box = np.split(matrix, [lstm, lstm + category], axis=1)
    return {"from_question.weight": question, "from_category.weight": kind, "from_spatial.weight": box}


def categories(table: np.ndarray) -> np.ndarray:
    """The table of a case, with rows for all of COCO's categories."""
    return np.concatenate([table, np.zeros((CATEGORIES + 1 - len(table), table.shape[1]), np.float32)])


def of_gdse(w: Arrays) -> Arrays:
    """Ours from torch's LSTM, whose two biases are one, and an MLP in a row."""
    lstm, category = w["encoder.weight_hh_l0"].shape[1], w["obj_categories_embedding.weight"].shape[1]
    return {
        "word.weight": w["word_embeddings.weight"],
        "input.weight": w["encoder.weight_ih_l0"],
        "input.bias": w["encoder.bias_ih_l0"] + w["encoder.bias_hh_l0"],
        "recurrent.weight": w["encoder.weight_hh_l0"],
        "category.weight": categories(w["obj_categories_embedding.weight"]),
        **first_layer(w["mlp.0.weight"], lstm, category),
        "from_question.bias": w["mlp.0.bias"],
        "deeper.0.weight": w["mlp.2.weight"],
        "deeper.0.bias": w["mlp.2.bias"],
        "output.weight": w["mlp.4.weight"],
        "output.bias": w["mlp.4.bias"],
    }


def of_de_vries(w: Arrays) -> Arrays:
    """Ours from TensorFlow's cell: matrices turned, gates in the order i, j, f, o, and 1 added to the forget gate."""
    cell = "lstm/lstmcell0/rnn/layer_norm_basic_lstm_cell"
    width, category = w["word_embedding/W"].shape[1], w["cat_embedding/W"].shape[1]
    enter, change, forget, leave = np.split(w[f"{cell}/kernel"].T, 4)
    kernel = np.concatenate([enter, forget, change, leave])
    enter, change, forget, leave = np.split(w[f"{cell}/bias"], 4)
    lstm = len(enter)
    return {
        "word.weight": w["word_embedding/W"],
        "input.weight": kernel[:, :width],
        "input.bias": np.concatenate([enter, forget + 1, change, leave]),
        "recurrent.weight": kernel[:, width:],
        "category.weight": categories(w["cat_embedding/W"]),
        **first_layer(w["mlp/l1/W"].T, lstm, category),
        "from_question.bias": w["mlp/l1/b"],
        "output.weight": w["mlp/softmax/W"].T,
        "output.bias": w["mlp/softmax/b"],
    }


def outputs_of(
    preset: str, hidden: str, weights: Arrays, inputs: Arrays
) -> tuple[np.ndarray, np.ndarray, OracleNetwork]:
    """The states of the questions and the log-probabilities of the answers, by our network with these weights."""
    sizes = {"word": weights["word.weight"].shape[1], "lstm": weights["recurrent.weight"].shape[1]}
    options = OracleOptions(preset=preset, hidden=hidden, category=weights["category.weight"].shape[1], **sizes)
    network = OracleNetwork(options, len(weights["word.weight"]))
    network.set({name: np.ascontiguousarray(array) for name, array in weights.items()})
    questions = [row[:length].tolist() for row, length in zip(inputs["question"], inputs["length"], strict=True)]
    levels = PrefixTree(questions).levels(np.arange(len(questions)))
    with torch.no_grad():
        objects = network.of_objects(inputs["category"], inputs["spatial"])
        scores = network.scores(network.of_questions(levels), objects)
        return network.read(levels).numpy(), torch.log_softmax(scores, dim=1).numpy(), network


def test_gdse_with_its_weights(real_data: Path) -> None:
    weights, inputs, outputs = golden(real_data, "gdse_oracle")
    _, log_probs, network = outputs_of("gdse", "9,4", of_gdse(weights), inputs)
    assert np.abs(log_probs - outputs["log_probs"]).max() < 1e-5
    assert log_probs.argmax(axis=1).tolist() == outputs["answer"].tolist()
    assert network.answers == ("no", "yes", "n/a")


def test_de_vries_with_its_weights(real_data: Path) -> None:
    weights, inputs, outputs = golden(real_data, "guesswhat_oracle")
    states, log_probs, network = outputs_of("de-vries", "8", of_de_vries(weights), inputs)
    assert np.abs(states - outputs["state"]).max() < 1e-5
    assert np.abs(np.exp(log_probs) - outputs["probabilities"]).max() < 1e-5
    chosen = log_probs[np.arange(len(log_probs)), inputs["answer"]]
    assert abs(-chosen.mean() - outputs["cross_entropy"]) < 1e-5
    assert np.mean(log_probs.argmax(axis=1) != inputs["answer"]) == pytest.approx(float(outputs["error"]))
    assert network.answers == ANSWERS


@pytest.mark.parametrize(
    ("preset", "published"),
    # torch's LSTM has a second bias of 4 · 512 numbers, which says nothing that the first does not.
    [("de-vries", 3_712_351), ("gdse", 4_373_343 - 4 * 512)],
)
def test_published_numbers_of_parameters(preset: str, published: int) -> None:
    with torch.device("meta"):
        network = OracleNetwork(OracleOptions(preset=preset), WORDS)
    assert sum(weight.numel() for weight in network.parameters()) == published


def test_presets_and_what_takes_their_place() -> None:
    plain, gdse = OracleOptions().published, OracleOptions(preset="gdse").published
    assert (plain.hidden, plain.batch, plain.epochs, plain.longest) == ((512,), 64, 20, None)
    assert (gdse.hidden, gdse.batch, gdse.epochs, gdse.longest) == ((1024, 128), 1024, 16, 15)
    schedule = OracleOptions(preset="gdse", epochs=2).schedule()
    assert (schedule.epochs, schedule.batch, schedule.rate) == (2, 1024, 1e-4)
    assert OracleOptions(hidden="1024, 128").published.hidden == (1024, 128)
    for wrong in ("", "0", "8,", "8,-1", "1e3", "9000", "a"):
        with pytest.raises(OptionError, match="`hidden` must be whole numbers from 1 to 8,192 with commas"):
            OracleOptions(hidden=wrong)


def test_a_question_is_cut_where_the_preset_says() -> None:
    words = Vocabulary(["a", "b", "c"], longest=2)
    assert words.numbers("a b c?") == words.numbers("A, b") == [1, 2]
    assert words.numbers("?") == [UNKNOWN]
    assert len(Vocabulary(["a"]).numbers("a " * 40)) == 40


def test_an_oracle_of_two_hidden_layers_learns_is_kept_and_answers_in_its_own_order(tmp_path: Path) -> None:
    options = OracleOptions(
        preset="gdse", epochs=12, batch=64, rate=5e-3, word=12, lstm=24, category=12, hidden="48,16", longest=None
    )
    games = simple_games(600, 1)
    trained = train_oracle(examples_of(games), None, options)
    write_oracle(trained, tmp_path / "oracle.npz")
    kept = read_oracle(tmp_path / "oracle.npz")
    assert {name: array.shape for name, array in kept.weights.items()}["deeper.0.weight"] == (16, 48)
    unseen = [game for game in simple_games(120, 3) if game.status == "success"]
    right = []
    for game, answered in zip(unseen, ModelOracle(kept).answer(unseen), strict=True):
        target = [thing.id for thing in game.objects].index(game.target_id)
        right += [ANSWERS[answered.answers[row, target]] == qa.answer for row, qa in enumerate(game.qas)]
    # In another order of classes yes and no would be exchanged.
    assert np.mean(right) > 0.9


def test_weights_of_one_layer_are_not_those_of_two(tmp_path: Path) -> None:
    trained = train_oracle(examples_of(simple_games(40, 1)), None, TINY)
    path = tmp_path / "oracle.npz"
    write_oracle(trained, path)
    assert read_oracle(path).options.published.hidden == (10,)
    examples, deeper, state = examples_of(simple_games(40, 1)), replace(TINY, hidden="10,4"), tmp_path / "state"
    train_oracle(examples, None, TINY, checkpoint=state, every=0.0)
    with pytest.raises(UsageError, match="another training: hidden was 10, now it is 10,4"):
        train_oracle(examples, None, deeper, checkpoint=state)
