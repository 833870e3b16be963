"""Chat models of vLLM, which also say how likely they find a given answer: `vllm:MODEL@URL`.

    ℓ(answer) = Σ ln p(token | what is before it), over the answer's tokens and the one that ends its turn

Other endpoints give likelihoods only of their own output. vLLM gives those of a prompt's tokens
(`prompt_logprobs`), so an answer is put there as the assistant's last turn. Where it begins is known from the
length of the prompt without it, which is requested first: one request per question, and one per candidate. Each is a
task of its own, kept on its own, so that a run that was killed asks for no candidate twice.
"""

import asyncio
import math
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec.structs import replace

from voirdire.live.chat import NEARLY, ChatModel
from voirdire.live.client import Refused, Unanswered
from voirdire.live.endpoint_model import NO_REPLY, TALKS
from voirdire.live.model import DRY_RUN, Asking, RankTask, Reply, Skill, Task


@dataclass
class LikelihoodModel(ChatModel):
    """A chat model that also ranks."""

    skills: frozenset[Skill] = TALKS | {"rank"}
    provider: ClassVar[str] = "vllm"

    def in_steps(self, task: Task, ask: Asking) -> Awaitable[Reply] | None:
        """Asks a ranking as several tasks; None for any other task."""
        return self._weighed(task, ask) if isinstance(task, RankTask) and task.start is None else None

    async def _weighed(self, task: RankTask, ask: Asking) -> Reply:
        prompt = await ask(replace(task, options=(), start=0))
        if prompt.fault and prompt.fault != DRY_RUN:
            return prompt
        start = int(prompt.value or 0)
        weighed = [ask(replace(task, options=(answer,), start=start)) for answer in task.options]
        replies = await asyncio.gather(*weighed)
        failed = next((reply for reply in replies if reply.fault), None)
        return failed or Reply(scores=tuple(reply.scores[0] for reply in replies), how="logprobs")

    def body(self, task: Task, pictures: Sequence[bytes]) -> dict[str, Any]:
        """Of one candidate: the prompt with it as the assistant's last turn."""
        if not isinstance(task, RankTask):
            return super().body(task, pictures)
        body = {
            "model": self.model,
            "messages": self.messages(task, pictures)
            + [{"role": "assistant", "content": answer} for answer in task.options],
            "add_generation_prompt": not task.options,
            "prompt_logprobs": 1,
            "max_tokens": 1,
            "temperature": 0.0,
        }
        return self._without_refused(body)

    def read(self, task: Task, reply: Any) -> Reply:
        """Of one candidate: how likely it is."""
        if not isinstance(task, RankTask):
            return super().read(task, reply)
        tokens = self._tokens(reply.get("prompt_logprobs"))
        used = len(tokens), 1
        if not task.options:
            return Reply(value=len(tokens), how="logprobs", tokens=used)
        return Reply(scores=(self._likelihood(task, tokens[task.start or 0 :]),), how="logprobs", tokens=used)

    def _tokens(self, places: Any) -> list[tuple[str, float]]:
        """The prompt's tokens as texts, with their log-likelihoods; nothing is before the first."""
        if not isinstance(places, list) or not places:
            raise Refused(
                f"{self.client.endpoint.url} gives no likelihoods of a prompt's tokens (`prompt_logprobs`), so it "
                f"cannot rank; ask it as openai:{self.model}@{self.client.endpoint.url}"
            )
        try:
            own = [max(place.values(), key=_rank) if place else {} for place in places]
            return [(str(token.get("decoded_token") or ""), _logarithm(token.get("logprob", 0.0))) for token in own]
        except NO_REPLY:
            what = f"{self.client.endpoint.url} sent `prompt_logprobs` that are no likelihoods"
            raise Unanswered("no likelihoods", what) from None

    def _likelihood(self, task: RankTask, tokens: list[tuple[str, float]]) -> float:
        """That of an answer and of the end of its turn; a line's end after that belongs to the template."""
        (answer,) = task.options
        text = "".join(piece for piece, _ in tokens)
        if answer.isascii() and not text.lstrip().startswith(answer.strip()):
            raise Refused(
                f"the chat template of {self.model} does not put an answer right after its prompt, so its "
                f"likelihood cannot be computed; ask it as openai:{self.model}@{self.client.endpoint.url}"
            )
        while len(tokens) > 1 and not tokens[-1][0].strip():
            tokens = tokens[:-1]
        return sum(likely for _, likely in tokens)


def _logarithm(value: Any) -> float:
    """A log-likelihood; ValueError where it is none."""
    number = float(value)
    if not (math.isfinite(number) and number <= NEARLY):
        raise ValueError(number)
    return number


def _rank(token: dict[str, Any]) -> float:
    """The rank of a token at its place: beside the prompt's own token stands the likeliest, which has rank 1."""
    return float(token.get("rank") or 0)
