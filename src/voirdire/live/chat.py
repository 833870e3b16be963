"""Chat models behind an endpoint that speaks as OpenAI's does: `openai:MODEL@URL`.

    openai:gpt-4o-mini@https://api.openai.com/v1        with its key in an environment variable
    openai:qwen2.5-vl@http://127.0.0.1:8000/v1          vLLM, llama.cpp, Ollama, transformers serve on this machine

Sentences are judged by the log-probabilities of yes and no where the server gives them, else by what it said; which of
the two it was is kept in the reply.
"""

import base64
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from voirdire.errors import UsageError
from voirdire.live.client import Client, Unanswered
from voirdire.live.model import AnswerTask, AskTask, GuessTask, JudgeTask, PointTask, RankTask, Reply, Skill, Task
from voirdire.live.prompts import Template
from voirdire.live.reading import likelier, read_number, read_question, read_stop, read_yes_no

__all__ = ["TALKS", "ChatModel", "data_uri", "read_reply", "split_spec"]

TALKS: frozenset[Skill] = frozenset({"answer", "ask", "guess", "point", "judge"})
"""What can be asked of whoever takes messages and says something."""

LONGEST = {AnswerTask: 64, AskTask: 128, GuessTask: 24, PointTask: 24, JudgeTask: 12}
"""Tokens that a reply may have."""
NEAREST = 20
"""How many of the likeliest first tokens are asked for."""
NOTHING: Mapping[str, float] = {}
MAGIC = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}


def split_spec(argument: str | None, provider: str = "openai") -> tuple[str, str]:
    """`MODEL@URL` as its two parts."""
    name, at, url = (argument or "").rpartition("@")
    if not at or not name or not url:
        raise UsageError(f"`model` {provider} needs a model and a URL, as in {provider}:MODEL@https://host/v1")
    return name, url


@dataclass
class ChatModel:
    """One model of an endpoint, asked in the words of a template."""

    model: str
    client: Client
    template: Template
    skills: frozenset[Skill] = TALKS

    @property
    def name(self) -> str:
        """As it was asked for, without a key."""
        return f"openai:{self.model}@{self.client.endpoint.url}"

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task."""
        return {"model": self.model, "url": self.client.endpoint.url, "template": self.template.identity}

    @contextlib.asynccontextmanager
    async def opened(self, note: Callable[[str], None]) -> AsyncIterator[None]:
        """Its connections, for the length of a block; where nobody answers, that is said at once."""
        self.client.note = note
        async with self.client:
            await self.client.greet()
            yield

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """What it says."""
        if isinstance(task, RankTask):
            raise UsageError(f"{self.name} cannot rank: it gives no likelihoods of given answers")
        got = await self.client.post("chat/completions", self._body(task, pictures), tokens=sum(self.size(task)))
        try:
            choice = got["choices"][0]
            message = choice["message"]
            used = got.get("usage") or {}
            tokens = int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
            text = message.get("content") or ""
            text = text if isinstance(text, str) else "".join(part.get("text", "") for part in text)
            refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
        except (KeyError, IndexError, TypeError, AttributeError, ValueError):
            raise Unanswered("no chat completion", f"{self.client.endpoint.url} sent JSON that is no reply") from None
        if refused:
            return Reply(text=text or str(message.get("refusal") or ""), fault="refusal", tokens=tokens)
        if not text.strip():
            cut = choice.get("finish_reason") == "length"
            return Reply(fault="length" if cut else "empty", tokens=tokens)
        return read_reply(task, text.strip(), _first_tokens(choice), tokens)

    def _body(self, task: Task, pictures: Sequence[bytes]) -> bytes:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": self.template.messages(task, data_uri(pictures[0]) if pictures else ""),
            "max_tokens": LONGEST[type(task)],
            "temperature": getattr(task, "temperature", 0.0),
        }
        if isinstance(task, AnswerTask) and task.temperature:
            body["seed"] = task.sample
        if isinstance(task, JudgeTask):
            body |= {"logprobs": True, "top_logprobs": NEAREST}
        return msgspec.json.encode(body)

    def size(self, task: Task) -> tuple[int, int]:
        """About how many tokens a request has, four characters each, and the picture; and its reply at most."""
        words = sum(len(str(one["content"])) for one in self.template.messages(task))
        return words // 4 + (1000 if task.seen.picture else 0), LONGEST.get(type(task), 1)


def read_reply(task: Task, text: str, first: Mapping[str, float] = NOTHING, tokens: tuple[int, int] = (0, 0)) -> Reply:
    """The reply with what can be read in it."""
    match task:
        case JudgeTask():
            by_likelihood = likelier(first)
            value = by_likelihood or read_yes_no(text)
            return Reply(text, value, how="logprobs" if by_likelihood else "text", tokens=tokens)
        case PointTask():
            return Reply(text, read_yes_no(text, may_not_apply=True), tokens=tokens)
        case GuessTask():
            place = read_number(text, [one.category for one in task.listed()])
            return Reply(text, task.order[place] if task.order and place is not None else place, tokens=tokens)
        case AskTask():
            stops = task.may_stop and read_stop(text)
            return Reply(text, "" if stops else read_question(text) or None, tokens=tokens)
    return Reply(text, tokens=tokens)


def _first_tokens(choice: dict[str, Any]) -> dict[str, float]:
    """The likeliest first tokens with their log-probabilities, where the server gives them."""
    try:
        likeliest = choice["logprobs"]["content"][0]["top_logprobs"]
        return {str(one["token"]): float(one["logprob"]) for one in likeliest}
    except (KeyError, IndexError, TypeError, ValueError):
        return {}


def data_uri(picture: bytes) -> str:
    """A picture as a URL that holds it."""
    kind = next((name for magic, name in MAGIC.items() if picture.startswith(magic)), "jpeg")
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"
