"""Hidden states against the library used directly, one pass against one per turn, and models that read both ways."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.formats.dialogues import Dialogue
from voirdire.live.local import LocalModel
from voirdire.live.prompts import read_template
from voirdire.text.language_model import STATE_MODELS, layer_numbers
from voirdire.text.turn_states import CLOSE, Pool, StateReader, dialogue_turns, relative_difference, tokens_of

pytestmark = pytest.mark.slow

ROUNDS = (("is it sunny", "yes"), ("any people?", "no."), ("a dog", "2 dogs"))
DIALOGUE = Dialogue(1, "a beach", ROUNDS)
EVERY = (0, 1, 2, 3)
COUNTED = "{% for one in messages %}<s>{{ one['content'] }}<e>{% endfor %}that is all {{ messages | length }}"


@pytest.mark.parametrize("pool", ["last", "mean"])
def test_states_are_those_of_the_library(pool: Pool, tiny_causal: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = STATE_MODELS.make(f"hf:{tiny_causal}")
    made, count = StateReader(model, EVERY, pool).read(dialogue_turns(DIALOGUE, "A"))
    assert made.shape == (4, 4, 32)
    assert (made.dtype, count) == (np.float32, 1)
    tokeniser = AutoTokenizer.from_pretrained(str(tiny_causal))
    library = AutoModelForCausalLM.from_pretrained(str(tiny_causal)).eval()
    said = [("user", "a beach."), ("user", "is it sunny?"), ("assistant", "yes."), ("user", "any people?")]
    for turn, length in ((0, 2), (1, 4)):
        messages = [{"role": role, "content": text} for role, text in said[:length]]
        ids = tokeniser.apply_chat_template(messages, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            states = library(ids, output_hidden_states=True).hidden_states
        for layer in EVERY:
            alone = states[layer][0, -1] if pool == "last" else states[layer][0].mean(0)
            np.testing.assert_allclose(made[layer, turn], alone.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("pool", ["last", "mean"])
@pytest.mark.parametrize("role", ["A", "Q"])
def test_one_pass_and_one_per_turn_agree(pool: Pool, role: str, tiny_causal: Path) -> None:
    model, told = STATE_MODELS.make(f"hf:{tiny_causal}"), dialogue_turns(DIALOGUE, role)  # type: ignore[arg-type]
    once, alone = (StateReader(model, EVERY, pool, shared).read(told) for shared in (True, False))
    assert (once[1], alone[1]) == (1, 4)
    assert relative_difference(once[0], alone[0]) <= CLOSE
    assert StateReader(model, EVERY, pool).is_causal(told)


def test_a_template_that_is_not_stable_takes_a_pass_per_turn(causal_model: Callable[..., Path]) -> None:
    model, told = STATE_MODELS.make(f"hf:{causal_model(COUNTED)}"), dialogue_turns(DIALOGUE, "A")
    reader = StateReader(model, EVERY)
    states, count = reader.read(told)
    assert count == 4
    assert reader.is_causal(told)
    # As if nothing but the first turn had been asked for.
    first = StateReader(model, EVERY).read(dialogue_turns(Dialogue(1, "a beach", (), "is it sunny"), "A"))[0]
    np.testing.assert_array_equal(states[:, 0], first[:, 0])


def test_a_model_that_reads_both_ways_is_found_out(tiny_bert: Path) -> None:
    model, told = (
        STATE_MODELS.make(f"hf:{tiny_bert}"),
        dialogue_turns(Dialogue(1, "the dog", (("is red", "yes"),)), "Q"),
    )
    reader = StateReader(model, (2,), "mean")
    assert not reader.is_causal(told)
    reader.shared = False
    states, count = reader.read(told)
    assert count == 2
    from transformers import AutoModel, AutoTokenizer

    library = AutoModel.from_pretrained(str(tiny_bert)).eval()
    ids = AutoTokenizer.from_pretrained(str(tiny_bert))("the dog. is red? yes.", return_tensors="pt")
    np.testing.assert_allclose(states[0, 1], library(**ids).last_hidden_state[0].mean(0).detach(), atol=1e-5)


def test_states_depend_on_their_own_dialogue_alone(tiny_causal: Path) -> None:
    reader = StateReader(STATE_MODELS.make(f"hf:{tiny_causal}"), EVERY)
    told = [dialogue_turns(Dialogue(1, f"scene {number}", ROUNDS[:number]), "A") for number in range(3)]
    forth, back = [reader.read(one)[0] for one in told], [reader.read(one)[0] for one in told[::-1]]
    for one, other in zip(forth, back[::-1], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("text", "found"),
    [("last", (3,)), ("all", EVERY), ("0", (0,)), ("-1", (3,)), ("-4,2,-2", (0, 2)), ("last,1", (1, 3)), ("3,3", (3,))],
)
def test_layers_by_name(text: str, found: tuple[int, ...]) -> None:
    assert layer_numbers(text, 3) == found


@pytest.mark.parametrize("text", ["4", "-5", "0,9999"])
def test_layers_out_of_range(text: str) -> None:
    with pytest.raises(UsageError, match="`layers` must be from 0 to 3, or from -4 to -1 from the end, got"):
        layer_numbers(text, 3)


def test_a_live_model_gives_the_same_states(tiny_causal: Path) -> None:
    model = LocalModel(f"hf:{tiny_causal}", read_template())
    assert "states" in model.skills
    template = read_template().identity
    assert model.identity == {"model": tiny_causal.name, "sha256": model.model.signature, "template": template}
    (made,) = model.states([DIALOGUE], "Q", "0,-1", "mean")
    reader = StateReader(model.model, (0, 3), "mean")
    assert relative_difference(made, reader.read(dialogue_turns(DIALOGUE, "Q"))[0]) < 1e-6
    assert len(tokens_of(model.model.tokeniser, dialogue_turns(DIALOGUE, "Q"), reader.form)) == made.shape[1]
