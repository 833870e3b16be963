"""What is heard as messages and tokens: templates of all kinds, and how many passes a dialogue takes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from voirdire.errors import InputError
from voirdire.formats.dialogues import Dialogue
from voirdire.text.language_model import STATE_MODELS
from voirdire.text.turn_states import Listener, dialogue_turns, form_of, passes, tokens_of

pytestmark = pytest.mark.slow

DIALOGUE = Dialogue(1, "a beach", (("is it sunny", "yes"), ("any people?", "no."), ("a dog", "2 dogs")))
TURNS_IN_A_ROW = (
    "{% for one in messages %}{% if (one['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}<s>{{ one['role'] }} {{ one['content'] }}<e>{% endfor %}"
)
COUNTED = "{% for one in messages %}<s>{{ one['content'] }}<e>{% endfor %}that is all {{ messages | length }}"
DEAF = "{% for one in messages %}{% if one['role'] == 'assistant' %}<s>{{ one['content'] }}<e>{% endif %}{% endfor %}"
DATED = "<s>{{ strftime_now('%d %b %Y') }}<e>{% for one in messages %}<s>{{ one['content'] }}<e>{% endfor %}"

Make = Callable[..., Path]


def rendered(folder: Path, role: Listener) -> list[str]:
    tokeniser = STATE_MODELS.make(f"hf:{folder}").tokeniser
    found = tokens_of(tokeniser, dialogue_turns(DIALOGUE, role), form_of(tokeniser, "here"))
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
    assert tokens_of(tokeniser, dialogue_turns(DIALOGUE, "A"), "template")[0] == tuple(expected)


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
    assert rendered(folder, "Q") == dialogue_turns(DIALOGUE, "Q").texts()


def test_templates_that_say_the_date_say_always_the_same(causal_model: Make) -> None:
    assert rendered(causal_model(DATED), "Q")[0] == "<s>26 Jul 2024<e><s>a beach.<e>"


@pytest.mark.parametrize(
    ("template", "said"),
    [(DEAF, "leaves out messages"), ("{{ raise_exception('no thanks') }}", "no thanks"), ("{% if %}", "fails on")],
)
def test_templates_that_are_of_no_use(template: str, said: str, causal_model: Make) -> None:
    tokeniser = STATE_MODELS.make(f"hf:{causal_model(template)}").tokeniser
    with pytest.raises(InputError, match=said):
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
    ("template", "role", "count"), [(COUNTED, "A", 4), (TURNS_IN_A_ROW, "A", 1), (TURNS_IN_A_ROW, "Q", 2), ("", "Q", 1)]
)
def test_passes_of_a_dialogue_by_template(template: str, role: Listener, count: int, causal_model: Make) -> None:
    tokeniser = STATE_MODELS.make(f"hf:{causal_model(template)}").tokeniser
    told = dialogue_turns(DIALOGUE, role)
    turns = tokens_of(tokeniser, told, form_of(tokeniser, ""))
    made = passes(turns)
    assert len(made) == count
    assert sorted(place for one in made for place in one.turns) == [0, 1, 2, 3]
    for one in made:
        for place, end in zip(one.turns, one.ends, strict=True):
            assert one.tokens[:end] == turns[place]
