"""From what has been heard to tokens, as the model's own template has it, and how few passes give the states of all.

A tokeniser with a chat template gets real turns: questions are the user's, answers the assistant's. The caption comes
first, as a message of the user's of its own; where the template does not take two such messages in a row, it stands
before the first question in the same message. What has been heard at a turn is all messages up to then, each with the
marks that the template ends it with. Without a template it is the plain text that an encoder would get.

A causal model's state at a token does not depend on what follows it. So where the tokens of one turn are the beginning
of those of another, the pass of the longer one gives the states of both; with most templates one pass gives those of
a whole dialogue. This is looked at in the tokens of each dialogue, since a template may say anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from voirdire.errors import InputError, Problem, shorten_text
from voirdire.text.hidden.heard import HeardDialogue

Tokens = tuple[int, ...]
Form = Literal["template", "template, caption with the first question", "plain text"]
SPEAKERS = {"caption": "user", "question": "user", "answer": "assistant"}
CLOCK, DAY = "strftime_now", "26 Jul 2024"
"""What templates ask for the date, and what they are told: vectors that change from day to day cannot be made again."""
SAMPLE = HeardDialogue(
    (("caption", "wood"), ("question", "dog?"), ("answer", "yes."), ("question", "tree?"), ("answer", "no.")), (1, 5)
)


def form_of(tokeniser: Any, source: str) -> Form:
    """How dialogues are put to this tokeniser's model; `source` is where it comes from, for errors."""
    if not tokeniser.chat_template:
        return "plain text"
    forms: tuple[Form, ...] = ("template", "template, caption with the first question")
    for form in forms:
        try:
            short, whole = (_rendered(tokeniser, SAMPLE, count, form) for count in SAMPLE.turns)
        except Exception as error:  # A template raises what its author liked.
            said = f"a chat template that fails on a dialogue ({shorten_text(str(error))})"
            continue
        if all(text in whole for _, text in SAMPLE.said) and SAMPLE.said[0][1] in short:
            return form
        said = "a chat template that leaves out what is said"
    raise InputError(source, [Problem("", "", said, "one that takes questions and answers in turn")])


def tokens_of(tokeniser: Any, told: HeardDialogue, form: Form, last: bool = False) -> list[Tokens]:
    """The tokens of what has been heard at each turn, or at the last one alone."""
    counts = told.turns[-1:] if last else told.turns
    if form == "plain text":
        texts, special = [" ".join(text for _, text in told.said[:count]) for count in counts], True
    else:
        # The template has written the special tokens.
        texts, special = [_rendered(tokeniser, told, count, form) for count in counts], False
    found = tokeniser(texts, add_special_tokens=special, truncation=False, padding=False, verbose=False)["input_ids"]
    return [tuple(one) for one in found]


def _rendered(tokeniser: Any, told: HeardDialogue, count: int, form: Form) -> str:
    messages: list[dict[str, str]] = []
    for kind, text in told.said[:count]:
        joins = kind == "question" and len(messages) == 1 and form != "template"
        if joins:
            messages[0]["content"] += f"\n{text}"
        else:
            messages.append({"role": SPEAKERS[kind], "content": text})
    template = tokeniser.get_chat_template()
    if CLOCK in template:
        template = f"{{% macro {CLOCK}(format) %}}{DAY}{{% endmacro %}}{{{{ '' }}}}{template}"
    return str(tokeniser.apply_chat_template(messages, chat_template=template, tokenize=False))


@dataclass(frozen=True, slots=True)
class Pass:
    """Tokens to go through once, and where in them the turns end that they give the states of.

    turns  places of these turns
    ends   how many tokens have been heard at each
    """

    tokens: Tokens
    turns: tuple[int, ...]
    ends: tuple[int, ...]


def passes(turns: Sequence[Tokens], shared: bool = True) -> list[Pass]:
    """As few passes as give the states of all turns; one per turn where passes may not be `shared`."""
    made: list[tuple[Tokens, list[int]]] = []
    # The longest first: whatever is a beginning of something is one of something longer.
    for place in sorted(range(len(turns)), key=lambda place: -len(turns[place])):
        tokens = turns[place]
        whole = next((one for one in made if shared and one[0][: len(tokens)] == tokens), None)
        if whole is None:
            made.append((tokens, [place]))
        else:
            whole[1].append(place)
    return [Pass(tokens, tuple(places), tuple(len(turns[place]) for place in places)) for tokens, places in made]
