"""Networks trained on coloured pictures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from coloured import COLOURS, coloured, features

from voirdire.errors import UsageError
from voirdire.formats.vqa_annotations import write_vqa_annotations
from voirdire.formats.vqa_questions import write_vqa_questions
from voirdire.models.architectures import ARCHITECTURES, Architecture
from voirdire.models.network_file import read_network
from voirdire.models.sizes import Sizes
from voirdire.models.train_network import NetworkTraining, find_device, train_network, train_network_files

SMALL = NetworkTraining("small", epochs=25, batch=16, rate=0.01, seed=1)


def tiny(name: str) -> Architecture:
    """A network with narrow layers."""
    made = ARCHITECTURES[name]
    widths = {key: 24 for key, value in made.presets["small"].plain().items() if isinstance(value, int) and value > 15}
    small: Sizes = replace(made.presets["small"], dropout=0.1, **widths)  # type: ignore[arg-type]
    return replace(made, presets={**made.presets, "small": small})


def given(name: str, pictures: int = 40, first: int = 0) -> Any:
    """Features that a network reads."""
    layout = ARCHITECTURES[name].layout
    return None if layout == "none" else features(layout, pictures, first)


def error(name: str, options: NetworkTraining = SMALL) -> float:
    trained = train_network(tiny(name), coloured(40), given(name), options)
    assert len(trained.history) == 25
    assert trained.examples == 36 * 3
    best = trained.history[trained.epoch - 1].valid_error
    assert best is not None
    assert best == min(epoch.valid_error for epoch in trained.history if epoch.valid_error is not None)
    return best


@pytest.mark.parametrize("name", ["hieco-att", "mlb", "mutan-att"])
def test_a_network_that_sees_learns_colours(name: str) -> None:
    assert error(name) == 0


def test_one_that_sees_nothing_does_not() -> None:
    assert error("question-only") >= 0.3


def test_the_same_seed_gives_the_same_file_and_another_does_not(tmp_path: Path) -> None:
    weights = [
        train_network(tiny("mutan"), coloured(20), given("mutan"), replace(SMALL, epochs=2, seed=seed)).weights
        for seed in (1, 1, 2)
    ]
    assert all(np.array_equal(weights[0][key], weights[1][key]) for key in weights[0])
    assert not np.array_equal(weights[0]["linear_classif.weight"], weights[2]["linear_classif.weight"])


class Killed(Exception):
    """The end of a training before its end."""


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("lqi", {"optimiser": "rmsprop", "clamp": 10.0, "replacement": True, "decay": 0.99}),
        ("mutan-att", {"label": "drawn"}),
        ("mlb-authors", {"optimiser": "rmsprop", "label": "second", "doubled_at": (5, 9)}),
        ("hieco-att", {"optimiser": "adamax", "together": False}),
    ],
)
def test_a_training_that_was_killed_ends_with_the_same_bytes(
    tmp_path: Path, name: str, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tiny(name)
    made = replace(made, recipes={"small": replace(made.recipes["small"], **changes)})
    options = replace(SMALL, epochs=3)
    whole = train_network(made, coloured(20), given(name), options)
    path = tmp_path / "state.npz"
    from voirdire.models.vqa_training import VqaLearner

    scores = VqaLearner.scores

    def dying(learner: VqaLearner, rows: np.ndarray, step: int) -> Any:
        if step == 5:
            raise Killed
        return scores(learner, rows, step)

    with monkeypatch.context() as patched:
        patched.setattr(VqaLearner, "scores", dying)
        with pytest.raises(Killed):
            train_network(made, coloured(20), given(name), options, checkpoint=path, every=0.0)
    resumed = train_network(made, coloured(20), given(name), options, checkpoint=path, every=0.0)
    assert {key: array.tobytes() for key, array in resumed.weights.items()} == {
        key: array.tobytes() for key, array in whole.weights.items()
    }
    assert resumed.history == whole.history


def test_validation_questions_of_others_choose_the_epoch_and_rare_answers_are_errors() -> None:
    options = replace(SMALL, classes=3, epochs=2)
    trained = train_network(
        tiny("lqi"), coloured(40), features("global", 80), options, valid=coloured(20, first=40), data={"a": "b"}
    )
    # yes, no, and of four colours the last in the alphabet: 10 of 40 pictures.
    assert trained.classes == ("no", "yes", "white")
    assert trained.examples == 40 * 2 + 10
    assert trained.data == {"a": "b"}
    assert trained.history[0].valid_error is not None
    assert trained.history[0].valid_error >= 15 / 60
    assert trained.training["examples"] == 90
    assert set(trained.vocabulary.words) == {"what", "color", "is", "it", "red", "green", "UNK"}


def test_a_recipe_that_chooses_no_epoch_keeps_the_last_and_holds_nothing_out() -> None:
    made = tiny("lqi")
    recipe = replace(made.recipes["small"], epochs=None, steps=10, chosen_by="last", batch=16)
    made = replace(made, recipes={"small": recipe})
    trained = train_network(made, coloured(20), given("lqi"), NetworkTraining("small"))
    assert trained.examples == 60
    assert (trained.epoch, len(trained.history)) == (3, 3)
    assert trained.history[0].valid_error is None


def test_what_cannot_be() -> None:
    with pytest.raises(
        UsageError, match="`features` must be what lqi reads, one vector per picture, got grid features"
    ):
        train_network(tiny("lqi"), coloured(4), features("grid", 4), SMALL)
    with pytest.raises(UsageError, match=r"`features` must be what mutan-att reads, a vector per place.*, got none"):
        train_network(tiny("mutan-att"), coloured(4), None, SMALL)
    with pytest.raises(UsageError, match="`features` must be what question-only reads, no features, got global"):
        train_network(tiny("question-only"), coloured(4), features("global", 4), SMALL)
    with pytest.raises(UsageError, match="`epochs` must be given: the authors of hieco-att name no end"):
        NetworkTraining().recipe(ARCHITECTURES["hieco-att"])
    assert NetworkTraining(epochs=3).recipe(ARCHITECTURES["hieco-att"]).epochs == 3
    with pytest.raises(UsageError, match=r"`held_out` must leave pictures to learn from, got 0\.9 of 1"):
        train_network(tiny("lqi"), coloured(1), features("global", 1), replace(SMALL, held_out=0.9))


def test_a_network_is_trained_from_files_and_its_state_goes_away(tmp_path: Path) -> None:
    asked = coloured(20)
    paths = str(tmp_path / "questions.json"), str(tmp_path / "annotations.json")
    write_vqa_questions(asked.questions, paths[0])
    write_vqa_annotations(asked.annotations, paths[1])
    seen, output = str(tmp_path / "features.npz"), tmp_path / "lqi.npz"
    made = features("global", 20)
    np.savez(seen, image_ids=made.ids, features=made.array)
    options = NetworkTraining("small", epochs=1)
    train_network_files("lqi", *paths, seen, options=options, output=str(output))
    trained = read_network(output)
    assert trained.classes[:2] == ("no", "yes")
    assert set(trained.classes[2:]) == set(COLOURS)
    assert set(trained.data) == {"vqa_questions", "vqa_annotations", "features"}
    assert not Path(f"{output}.training").exists()
    first = output.read_bytes()
    train_network_files("lqi", *paths, seen, valid=paths, options=options, output=str(output))
    assert {"valid vqa_questions", "valid vqa_annotations"} < set(read_network(output).data)
    train_network_files("lqi", *paths, seen, options=options, output=str(output))
    assert output.read_bytes() == first
    with pytest.raises(UsageError, match="`features` must be given: lqi reads one vector per picture"):
        train_network_files("lqi", *paths, options=options, output=str(output))
    with pytest.raises(UsageError, match="`features` must not be given: question-only reads no features"):
        train_network_files("question-only", *paths, seen, options=options, output=str(output))


def test_the_processor_is_always_there() -> None:
    assert find_device("cpu") == torch.device("cpu")


def test_a_card_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(UsageError, match=r"`device` cuda is not there for torch; there is: cpu$"):
        find_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert find_device("cuda").type == "cuda"
