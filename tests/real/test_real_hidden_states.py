"""A real language model, SmolLM2-135M-Instruct in a GGUF file, on real dialogues of VisDial 1.0 val."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from voirdire.engine.threads import one_thread
from voirdire.formats.dialogues import Dialogues, read_dialogues
from voirdire.formats.states import read_states
from voirdire.text.language_model import STATE_MODELS, StateModel
from voirdire.text.turn_states import (
    CLOSE,
    Listener,
    StateReader,
    dialogue_turns,
    passes,
    relative_difference,
    tokens_of,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(smollm: Path) -> StateModel:
    return STATE_MODELS.make(f"hf:{smollm}")


@pytest.fixture(scope="module")
def dialogues(real_data: Path) -> Dialogues:
    return read_dialogues(real_data / "visdial" / "visdial_1.0_val_first50.json")


def test_the_weights_are_unpacked_as_they_were_meant(model: StateModel) -> None:
    import torch

    assert (model.last, model.dimension, model.context) == (30, 576, 8192)
    ids = torch.tensor([model.tokeniser("The capital of France is")["input_ids"]])
    with torch.inference_mode():
        state = model.network(input_ids=ids).last_hidden_state[0, -1]
        # Its head is its table of embeddings.
        likeliest = int((model.network.get_input_embeddings().weight @ state).argmax())
    assert model.tokeniser.decode([likeliest]) == " Paris"


@pytest.mark.parametrize("role", ["A", "Q"])
def test_every_real_dialogue_takes_one_pass(role: Listener, model: StateModel, dialogues: Dialogues) -> None:
    form = StateReader(model, (30,)).form
    assert form == "template"
    for dialogue in dialogues:
        assert len(passes(tokens_of(model.tokeniser, dialogue_turns(dialogue, role), form))) == 1


@pytest.mark.parametrize("role", ["A", "Q"])
def test_one_pass_and_one_per_turn_agree_in_every_layer(
    role: Listener, model: StateModel, dialogues: Dialogues
) -> None:
    layers = range(model.last + 1)
    with one_thread():
        told = dialogue_turns(dialogues[0], role)
        once, alone = (StateReader(model, layers, shared=shared).read(told) for shared in (True, False))
    assert (once[1], alone[1]) == (1, 11)
    assert once[0].shape == (31, 11, 576)
    assert relative_difference(once[0], alone[0]) <= CLOSE


def test_the_verb(smollm: Path, model: StateModel, tmp_path: Path, called: Callable[..., tuple[int, str, str]]) -> None:
    message = '[{"img": "a_0001.jpg", "dialog": ["a beach", "is it sunny? yes"]}]'
    (tmp_path / "d.json").write_text(message)
    out = tmp_path / "s-{}.h5"
    code, printed, err = called(
        *("scorekeeping", "states", "--dialogues", tmp_path / "d.json", "--layers", "-1,4", "--model"),
        *(f"hf:{smollm.parent}", "--role", "Q", "-o", out),
    )
    assert (code, printed) == (0, f"1 dialogue, 11 turns, 576 dimensions, 2 layers from 4 to 30 of 30: {out}\n"), err
    assert "GGUF tensors" not in err
    found = read_states(tmp_path / "s-4.h5")
    assert found.about["model"] == smollm.name
    with one_thread():
        states = StateReader(model, (4,)).read(dialogue_turns(read_dialogues(tmp_path / "d.json")[0], "Q"))[0][0]
    np.testing.assert_array_equal(found.states[0, :2], states)
