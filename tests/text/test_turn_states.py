"""Hidden states against the library used directly, one pass against one per turn, and models that read both ways; turns
as messages and tokens: templates of all kinds, and how many passes a dialogue takes.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.formats.dialogues import Dialogue
from voirdire.live.local import LocalModel
from voirdire.live.prompts import read_template
from voirdire.text.language_model import STATE_MODELS, layer_numbers
from voirdire.text.turn_states import (
    CLOSE,
    Listener,
    Pool,
    StateReader,
    dialogue_turns,
    form_of,
    passes,
    relative_difference,
    tokens_of,
)

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
    forth, back = [reader.read(note)[0] for note in told], [reader.read(note)[0] for note in told[::-1]]
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
    own = {"model": tiny_causal.name, "sha256": model.model.signature, "template": template}
    assert model.identity == {**own, "least_mass": "0.5"}
    (made,) = model.states([DIALOGUE], "Q", "0,-1", "mean")
    reader = StateReader(model.model, (0, 3), "mean")
    assert relative_difference(made, reader.read(dialogue_turns(DIALOGUE, "Q"))[0]) < 1e-6
    assert len(tokens_of(model.model.tokeniser, dialogue_turns(DIALOGUE, "Q"), reader.form)) == made.shape[1]


TALK = Dialogue(1, "a beach", (("is it sunny", "yes"), ("any people?", "no."), ("a dog", "2 dogs")))
TURNS_IN_A_ROW = (
    "{% for one in messages %}{% if (one['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}<s>{{ one['role'] }} {{ one['content'] }}<e>{% endfor %}"
)
OWN = "{% for one in messages %}<s>{{ one['content'] }}<e>{% endfor %}that is all {{ messages | length }}"
DEAF = "{% for one in messages %}{% if one['role'] == 'assistant' %}<s>{{ one['content'] }}<e>{% endif %}{% endfor %}"
DATED = "<s>{{ strftime_now('%d %b %Y') }}<e>{% for one in messages %}<s>{{ one['content'] }}<e>{% endfor %}"

Make = Callable[..., Path]


def rendered(folder: Path, role: Listener) -> list[str]:
    tokeniser = STATE_MODELS.make(f"hf:{folder}").tokeniser
    found = tokens_of(tokeniser, dialogue_turns(TALK, role), form_of(tokeniser, "here"))
    return [tokeniser.decode(one) for one in found]


def test_a_dialogue_is_turns_of_the_models_own_template(tiny_causal: Path) -> None:
    start = "<s>system be brief<e><s>user a beach.<e>"
    first = "<s>user is it sunny?<e><s>assistant yes.<e>"
    second = "<s>user any people?<e><s>assistant no.<e>"
    third = "<s>user a dog?<e><s>assistant 2 dogs.<e>"
    assert rendered(tiny_causal, "Q") == [start, start + first, start + first + second, start + first + second + third]
    assert rendered(tiny_causal, "A") == [
        f"{start}<s>user is it sunny?<e>",
        f"{start}{first}<s>user any people?<e>",
        f"{start}{first}{second}<s>user a dog?<e>",
        f"{start}{first}{second}{third}<s>user ?<e>",
    ]


def test_the_tokens_are_those_that_the_library_makes_of_the_messages(tiny_causal: Path) -> None:
    tokeniser = STATE_MODELS.make(f"hf:{tiny_causal}").tokeniser
    messages = [{"role": "user", "content": "a beach."}, {"role": "user", "content": "is it sunny?"}]
    expected = tokeniser.apply_chat_template(messages, tokenize=True)["input_ids"]
    assert tokens_of(tokeniser, dialogue_turns(TALK, "A"), "template")[0] == tuple(expected)


def test_a_template_that_wants_turns_has_the_caption_with_the_first_question(causal_model: Make) -> None:
    folder = causal_model(TURNS_IN_A_ROW)
    assert form_of(STATE_MODELS.make(f"hf:{folder}").tokeniser, "") == "template, caption with the first question"
    assert rendered(folder, "A")[1] == ("<s>user a beach.\nis it sunny?<e><s>assistant yes.<e><s>user any people?<e>")
    assert rendered(folder, "Q")[:2] == [
        "<s>user a beach.<e>",
        "<s>user a beach.\nis it sunny?<e><s>assistant yes.<e>",
    ]


def test_without_a_template_it_is_the_text_of_encoders(causal_model: Make) -> None:
    folder = causal_model("")
    assert form_of(STATE_MODELS.make(f"hf:{folder}").tokeniser, "") == "plain text"
    assert rendered(folder, "Q") == dialogue_turns(TALK, "Q").texts()


def test_templates_that_say_the_date_say_always_the_same(causal_model: Make) -> None:
    assert rendered(causal_model(DATED), "Q")[0] == "<s>26 Jul 2024<e><s>a beach.<e>"


@pytest.mark.parametrize(
    ("template", "message"),
    [(DEAF, "leaves out messages"), ("{{ raise_exception('no thanks') }}", "no thanks"), ("{% if %}", "fails on")],
)
def test_templates_that_are_of_no_use(template: str, message: str, causal_model: Make) -> None:
    tokeniser = STATE_MODELS.make(f"hf:{causal_model(template)}").tokeniser
    with pytest.raises(InputError, match=message):
        form_of(tokeniser, "the folder")


def test_as_few_passes_as_the_tokens_allow() -> None:
    one, two, other = (1,), (1, 2), (1, 3, 4)
    assert [(made.tokens, made.turns, made.ends) for made in passes([one, two, (1, 2, 3)])] == [
        ((1, 2, 3), (2, 1, 0), (3, 2, 1))
    ]
    assert [(made.tokens, made.turns, made.ends) for made in passes([one, two, other])] == [
        (other, (2, 0), (3, 1)),
        (two, (1,), (2,)),
    ]
    assert [made.tokens for made in passes([one, two], shared=False)] == [two, one]


@pytest.mark.parametrize(
    ("template", "role", "count"),
    [(OWN, "A", 4), (TURNS_IN_A_ROW, "A", 1), (TURNS_IN_A_ROW, "Q", 2), ("", "Q", 1)],
)
def test_passes_of_a_dialogue_by_template(template: str, role: Listener, count: int, causal_model: Make) -> None:
    tokeniser = STATE_MODELS.make(f"hf:{causal_model(template)}").tokeniser
    told = dialogue_turns(TALK, role)
    turns = tokens_of(tokeniser, told, form_of(tokeniser, ""))
    made = passes(turns)
    assert len(made) == count
    assert sorted(place for one in made for place in one.turns) == [0, 1, 2, 3]
    for one in made:
        for place, end in zip(one.turns, one.ends, strict=True):
            assert one.tokens[:end] == turns[place]
