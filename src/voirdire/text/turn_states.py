"""The hidden states of a language model at the ends of a dialogue's turns.

    model = STATE_MODELS.make("hf:FOLDER")                     (see `language_model`)
    reader = StateReader(model, layer_numbers("last", model.last))
    states, passes = reader.read(dialogue_turns(dialogue, "A"))          float32[1, turns, d]

At each turn a model has read a part of the dialogue, by the role that it plays:

    A    caption, rounds 1 … t, question t + 1        what an answerer has read when it is to answer
    Q    caption, rounds 1 … t                        what a questioner has read when it is to ask

Turn 0 is the caption. Where there is no next question, as at turn 10, the answerer reads a dummy, a question mark
alone. Every message ends in a mark.

A tokeniser with a chat template gets real turns: questions are the user's, answers the assistant's. The caption comes
first, as a message of the user's of its own; where the template does not take two such messages in a row, it stands
before the first question in the same message. The text of a turn is all messages up to then, each with the marks that
the template ends it with. Without a template it is the plain text that an encoder would get.

    pool last    h_n, the state at the last token of the turn's text
    pool mean    1/n · Σ_i h_i, over all n tokens of the turn's text

A causal model's state at a token does not depend on what follows it. So where the tokens of one turn are the beginning
of those of another, the pass of the longer one gives the states of both; with most templates one pass gives those of
a whole dialogue. This is checked on the tokens of each dialogue, since a template may write anything. Each pass goes
alone, without padding and on one thread, so a state's bytes depend on its own dialogue only. On a processor a batch of
so long texts is no faster (see docs/design/scorekeeping.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, shorten_text
from voirdire.formats.dialogues import Dialogue
from voirdire.text.language_model import StateModel

DUMMY = "?"
CLOSE = 1e-4
"""The largest relative difference between states of one pass and of one pass per turn."""
SPEAKERS = {"caption": "user", "question": "user", "answer": "assistant"}
CLOCK, DAY = "strftime_now", "26 Jul 2024"
"""What templates ask for the date, and the answer: vectors that change from day to day are not reproducible."""

Listener = Literal["A", "Q"]
Kind = Literal["caption", "question", "answer"]
Form = Literal["template", "template, caption with the first question", "plain text"]
Pool = Literal["last", "mean"]
Tokens = tuple[int, ...]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DialogueTurns:
    """A dialogue as the answerer or the questioner reads it.

    messages  the texts in order, and what each of them is
    turns     how many messages have been read at each turn
    """

    messages: tuple[tuple[Kind, str], ...]
    turns: tuple[int, ...]

    def text(self, count: int) -> str:
        """The first `count` messages as one text."""
        return " ".join(text for _, text in self.messages[:count])

    def texts(self) -> list[str]:
        """What has been read at each turn, as one text."""
        return [self.text(count) for count in self.turns]


SAMPLE = DialogueTurns(
    (("caption", "wood"), ("question", "dog?"), ("answer", "yes."), ("question", "tree?"), ("answer", "no.")), (1, 5)
)


def dialogue_turns(dialogue: Dialogue, role: Listener) -> DialogueTurns:
    """The dialogue as the answerer or the questioner reads it."""
    messages: list[tuple[Kind, str]] = [("caption", _ended(dialogue.caption, "."))]
    for question, answer in dialogue.rounds:
        messages += [("question", _ended(question, "?")), ("answer", _ended(answer, "."))]
    turns = range(1, len(messages) + 1, 2)
    if role == "Q":
        return DialogueTurns(tuple(messages), tuple(turns))
    messages.append(("question", _ended(dialogue.pending or DUMMY, "?")))
    return DialogueTurns(tuple(messages), tuple(count + 1 for count in turns))


def _ended(text: str, mark: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "?", "!")) else text + mark


def form_of(tokeniser: Any, source: str) -> Form:
    """How dialogues are put to this tokeniser's model; `source` is where it comes from, for errors."""
    if not tokeniser.chat_template:
        return "plain text"
    forms: tuple[Form, ...] = ("template", "template, caption with the first question")
    for form in forms:
        try:
            short, whole = (_rendered(tokeniser, SAMPLE, count, form) for count in SAMPLE.turns)
        except Exception as error:  # A template raises what its author liked.
            fault = f"a chat template that fails on a dialogue ({shorten_text(str(error))})"
            continue
        if all(text in whole for _, text in SAMPLE.messages) and SAMPLE.messages[0][1] in short:
            return form
        fault = "a chat template that leaves out messages"
    raise InputError(source, [Problem("", "", fault, "one that takes questions and answers in turn")])


def tokens_of(tokeniser: Any, dialogue: DialogueTurns, form: Form, last: bool = False) -> list[Tokens]:
    """The tokens of the text at each turn, or at the last one alone."""
    counts = dialogue.turns[-1:] if last else dialogue.turns
    plain = form == "plain text"
    texts = [dialogue.text(count) if plain else _rendered(tokeniser, dialogue, count, form) for count in counts]
    # A template has written the special tokens.
    encoded = tokeniser(texts, add_special_tokens=plain, truncation=False, padding=False, verbose=False)
    return [tuple(tokens) for tokens in encoded["input_ids"]]


def _rendered(tokeniser: Any, dialogue: DialogueTurns, count: int, form: Form) -> str:
    messages: list[dict[str, str]] = []
    for kind, text in dialogue.messages[:count]:
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
    ends   how many tokens have been read at each
    """

    tokens: Tokens
    turns: tuple[int, ...]
    ends: tuple[int, ...]


def passes(turns: Sequence[Tokens], shared: bool = True) -> list[Pass]:
    """As few passes as give the states of all turns; one per turn where passes may not be `shared`."""
    groups: list[tuple[Tokens, list[int]]] = []
    # The longest first: whatever is a beginning of something is one of something longer.
    for place in sorted(range(len(turns)), key=lambda place: -len(turns[place])):
        tokens = turns[place]
        members = next((places for whole, places in groups if shared and whole[: len(tokens)] == tokens), None)
        if members is None:
            groups.append((tokens, [place]))
        else:
            members.append(place)
    return [Pass(tokens, tuple(places), tuple(len(turns[place]) for place in places)) for tokens, places in groups]


class StateReader:
    """Reads the states of some layers.

    shared  whether one pass may give the states of several turns, as it may where the model is causal
    """

    def __init__(self, model: StateModel, layers: Sequence[int], pool: Pool = "last", shared: bool = True) -> None:
        self.model, self.layers, self.pool, self.shared = model, tuple(layers), pool, shared
        self.form = form_of(model.tokeniser, str(model.path))

    def read(self, dialogue: DialogueTurns) -> tuple[Floats, int]:
        """float32[layers, turns, d], and in how many passes they were computed."""
        runs = passes(tokens_of(self.model.tokeniser, dialogue, self.form), self.shared)
        states = np.empty((len(self.layers), len(dialogue.turns), self.model.dimension), np.float32)
        for run in runs:
            states[:, run.turns] = self.run(run)
        return states, len(runs)

    def is_causal(self, dialogue: DialogueTurns) -> bool:
        """Whether states do not depend on what follows, tried on the longest tokens of this dialogue."""
        longest, *_ = passes(tokens_of(self.model.tokeniser, dialogue, self.form))
        tokens = longest.tokens
        # Half of it, too: a template may be such that no turn is the beginning of another.
        ends = sorted({*longest.ends, (len(tokens) + 1) // 2})
        once = self.run(Pass(tokens, tuple(range(len(ends))), tuple(ends)))
        alone = np.concatenate([self.run(Pass(tokens[:end], (0,), (end,))) for end in ends], axis=1)
        return relative_difference(once, alone) <= CLOSE

    def run(self, tokens: Pass) -> Floats:
        """float32[layers, ends, d]: the states at the ends of one pass."""
        import torch

        ids = torch.tensor([tokens.tokens])
        with torch.inference_mode():
            output = self.model.network(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True)
            states = [self._pooled(output.hidden_states[layer][0], tokens.ends) for layer in self.layers]
        return np.stack(states)

    def _pooled(self, states: Any, ends: Sequence[int]) -> Floats:
        import torch

        counts = torch.tensor(ends)
        if self.pool == "last":
            last: Floats = states[counts - 1].float().numpy()
            return last
        total = states.double().cumsum(0)[counts - 1]
        mean: Floats = (total / counts[:, None]).float().numpy()
        return mean


def relative_difference(ours: npt.NDArray[Any], theirs: npt.NDArray[Any]) -> float:
    """max over vectors of ‖a − b‖ / ‖b‖."""
    apart = np.linalg.norm(ours.astype(np.float64) - theirs, axis=-1)
    return float((apart / np.linalg.norm(theirs.astype(np.float64), axis=-1)).max())
