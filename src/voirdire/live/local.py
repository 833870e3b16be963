"""A model of Hugging Face's on this machine: `hf:FOLDER`, `hf:FOLDER/FILE.gguf`. Nothing is served, nothing is fetched.

    answer, ask, guess, point   its reply to the messages, at temperature 0 or drawn by the number of the sample
    judge                       whichever of yes and no, or of the labels, is likelier as the first token; its reply,
                                where they have less than `least_mass` of the probability
    rank                        Σ log p(token | prompt, tokens before it) over a candidate and the end of a turn
    states                      hidden states, as `voirdire scorekeeping states` takes them (`text.turn_states`)

Tasks are done one after the other, by one thread, so that the same task has the same reply to the bit.
"""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.engine.threads import one_thread
from voirdire.formats.dialogues import Dialogue
from voirdire.formats.picture_files import decode_picture
from voirdire.live.chat import LEAST_MASS, label_words, longest, read_reply
from voirdire.live.endpoint_model import TALKS
from voirdire.live.model import MODELS, AnswerTask, JudgeTask, LiveModel, RankTask, Reply, Skill, Task
from voirdire.live.prompts import Template, read_template
from voirdire.live.reading import likeliest
from voirdire.live.settings import LiveOptions
from voirdire.text.language_model import STATE_MODELS, layer_numbers
from voirdire.text.turn_states import Listener, Pool, StateReader, dialogue_turns

PICTURE = "picture"
"""What stands for a picture's place in the messages."""
AT_ONCE = 20
"""Candidates that are weighed together."""


class LocalModel(LiveModel):
    """One model, loaded for the first task; `spec` is its name, as in `hf:FOLDER`."""

    name: str
    skills: frozenset[Skill] = TALKS | {"rank", "states"}

    def __init__(self, spec: str, template: Template, thinking: int = 0, least_mass: float = LEAST_MASS) -> None:
        self.name = spec
        self.template = template
        self.thinking = thinking
        self.least_mass = least_mass
        self.model = STATE_MODELS.make(spec)
        self._one_by_one = threading.Lock()

    @cached_property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task: its files, and the prompt template."""
        own = {"model": self.model.name, "sha256": self.model.signature, "template": self.template.identity}
        own |= {"least_mass": f"{self.least_mass:g}"}
        return {**own, "thinking": str(self.thinking)} if self.thinking else own

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """Its reply, made in a thread of its own."""
        return await asyncio.to_thread(self._reply, task, pictures)

    def _reply(self, task: Task, pictures: Sequence[bytes]) -> Reply:
        import torch

        with self._one_by_one, one_thread(), torch.inference_mode():
            prompt_inputs = self._prompt(task, pictures)
            if isinstance(task, RankTask):
                return Reply(scores=tuple(self._weighed(prompt_inputs, task.options)))
            first: dict[str, float] = {}
            if isinstance(task, JudgeTask):
                words = label_words(task)
                first = self._first_tokens(prompt_inputs, frozenset(chain.from_iterable(words.values())))
                if likeliest(first, words)[1] >= self.least_mass:
                    text = max(first, key=lambda token: first[token]).strip() or "…"
                    return read_reply(task, text, first, least_mass=self.least_mass)
            text, tokens = self._generate(prompt_inputs, task)
            cut = tokens[1] >= longest(task) + self.thinking
            return read_reply(task, text, first, tokens, cut=cut, least_mass=self.least_mass)

    def _prompt(self, task: Task, pictures: Sequence[bytes]) -> dict[str, Any]:
        """The tokens of the messages, and the picture's pixels where it sees one."""
        shown = list(pictures) if self.model.sees else []
        messages = [
            _plain(message, self.model.sees) for message in self.template.messages(task, PICTURE if shown else "")
        ]
        speaks = self.model.processor if self.model.sees else self.model.tokeniser
        if getattr(speaks, "chat_template", None):
            text = speaks.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        else:
            text = "\n".join([*(f"{message['role']}: {message['content']}" for message in messages), "assistant:"])
        if not self.model.sees:
            return dict(self.model.tokeniser(text, return_tensors="pt", add_special_tokens=False))
        opened = [decode_picture(picture)[0].convert("RGB") for picture in shown]
        return dict(speaks(text=text, images=opened or None, return_tensors="pt", add_special_tokens=False))

    def _generate(self, prompt_inputs: dict[str, Any], task: Task) -> tuple[str, tuple[int, int]]:
        import torch

        heat = getattr(task, "temperature", 0.0)
        how = {"do_sample": True, "temperature": heat} if heat else {"do_sample": False}
        end = self.model.tokeniser.eos_token_id
        with torch.random.fork_rng(devices=[]):
            # The library draws from the global state alone: it is put back behind it.
            torch.manual_seed(task.sample if isinstance(task, AnswerTask) else 0)
            tokens = self.model.speaker.generate(
                **prompt_inputs, max_new_tokens=longest(task) + self.thinking, pad_token_id=end, use_cache=True, **how
            )[0]
        size = prompt_inputs["input_ids"].shape[1]
        text = self.model.tokeniser.decode(tokens[size:], skip_special_tokens=True).strip()
        return text, (size, len(tokens) - size)

    @cache  # noqa: B019 (one model, and two sets of words)
    def _spellings(self, words: frozenset[str]) -> list[int]:
        """The tokens that read as one of these words, in any spelling."""
        known = self.model.tokeniser.get_vocab()
        return sorted(number for word, number in known.items() if word.strip("Ġ▁ ").lower().strip(".,!\"'") in words)

    def _first_tokens(self, prompt_inputs: dict[str, Any], words: frozenset[str]) -> dict[str, float]:
        """The likeliest first token, and all that read as one of the words, with their log-probabilities.

        Two tokens may have the same text: leading blanks, which readers ignore, keep them apart.
        """
        likely = self.model.speaker(**prompt_inputs).logits[0, -1].log_softmax(-1)
        numbers = dict.fromkeys([int(likely.argmax()), *self._spellings(words)])
        decode = self.model.tokeniser.decode
        return {f"{' ' * place}{decode([number])}": float(likely[number]) for place, number in enumerate(numbers)}

    def _weighed(self, prompt_inputs: dict[str, Any], candidates: Sequence[str]) -> Iterator[float]:
        """The log-likelihood of each candidate; the prompt is read once."""
        import copy

        import torch

        tokeniser, end = self.model.tokeniser, self.model.tokeniser.eos_token_id
        answers = [[*tokeniser(candidate, add_special_tokens=False)["input_ids"], end] for candidate in candidates]
        prompt = self.model.speaker(**prompt_inputs, use_cache=True)
        start = prompt.logits[0, -1].log_softmax(-1)
        size = prompt_inputs["input_ids"].shape[1]
        for begin in range(0, len(answers), AT_ONCE):
            group = answers[begin : begin + AT_ONCE]
            width = max(map(len, group))
            tokens = torch.tensor([[*answer, *[end] * (width - len(answer))] for answer in group])
            cache = copy.deepcopy(prompt.past_key_values)
            cache.batch_repeat_interleave(len(group))
            mask = torch.ones(len(group), size + width, dtype=torch.long)
            after = self.model.speaker(input_ids=tokens, past_key_values=cache, attention_mask=mask, use_cache=True)
            likely = after.logits.log_softmax(-1)
            for row, answer in enumerate(group):
                rest = likely[row, range(len(answer) - 1), answer[1:]].sum()
                yield float(start[answer[0]] + rest)

    def states(
        self, dialogues: Iterable[Dialogue], role: Listener = "A", layers: str = "last", pool: Pool = "last"
    ) -> Iterator[npt.NDArray[np.float32]]:
        """Per dialogue the states of its turns, float32[layers, turns, d]; to the last bit those of the verb.

        layers  as `scorekeeping states` takes them
        """
        reader: StateReader | None = None
        for dialogue in dialogues:
            turns = dialogue_turns(dialogue, role)
            with one_thread():
                if reader is None:
                    reader = StateReader(self.model, layer_numbers(layers, self.model.last), pool)
                    reader.shared = reader.is_causal(turns)
                states, _ = reader.read(turns)
            yield states


def _plain(message: dict[str, Any], sees: bool) -> dict[str, Any]:
    """A message in the library's words: a picture has a place in it, and a text may have to stand in a list."""
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not sees:
        return {"role": message["role"], "content": "\n".join(part["text"] for part in parts if part["type"] == "text")}
    return {"role": message["role"], "content": [{"type": "image"} if "image_url" in part else part for part in parts]}


@MODELS.register("hf")
def _local(argument: str | None) -> Callable[[LiveOptions], LiveModel]:
    def make(options: LiveOptions) -> LiveModel:
        return LocalModel(f"hf:{argument or ''}", read_template(options.template), options.thinking, options.least_mass)

    return make
