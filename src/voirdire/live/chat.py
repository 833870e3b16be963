"""Chat models behind an endpoint that speaks as OpenAI's does: `openai:MODEL@URL`.

    openai:gpt-4o-mini@https://api.openai.com/v1        with its key in an environment variable
    openai:qwen2.5-vl@http://127.0.0.1:8000/v1          vLLM, llama.cpp, Ollama, transformers serve on this machine

Sentences are judged by the log-probabilities of yes and no where the server gives them, else by the text; the reply
keeps which of the two it was. The probabilities are those of the first token, so where a model thinks first, the text
counts. A text that says the opposite of the probabilities ("The answer is no") is marked and counted.

Some models refuse parameters that others need (`max_tokens`, a temperature, `logprobs`). Where the server says which,
the request is sent again without it, as are all later ones; that is noted once, and stands in every run.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from voirdire.live.endpoint_model import EndpointModel
from voirdire.live.model import (
    CUT,
    DECLINED,
    UNLIKELY,
    AnswerTask,
    AskTask,
    GuessTask,
    JudgeTask,
    PointTask,
    RankTask,
    Reply,
    Task,
)
from voirdire.live.reading import (
    declines,
    likelier,
    read_number,
    read_question,
    read_stop,
    read_yes_no,
    split_thought,
)

LONGEST = {AnswerTask: 64, AskTask: 128, GuessTask: 24, PointTask: 24, JudgeTask: 12}
ALONE = 32
"""Most tokens of a reply; `ALONE` for a question whose answer is a word or two."""
NEAREST = 20
"""How many of the likeliest first tokens are requested."""
NOTHING: Mapping[str, float] = {}
OTHERWISE: Mapping[str, tuple[str, str]] = {
    "max_tokens": ("max_completion_tokens", "max_completion_tokens in place of max_tokens"),
    "temperature": ("", "without a temperature: it does not take the one of the exam"),
    "logprobs": ("", "without logprobs"),
    "seed": ("", "without a seed"),
}
"""Parameters that some models refuse, their other names, and the note about that."""
FEWER = 5
"""How many of the likeliest first tokens are requested where the usual number is too many."""
MAGIC = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}


@dataclass
class ChatModel(EndpointModel):
    """One model of an endpoint that speaks as OpenAI's does.

    nearest  how many of the likeliest first tokens are requested
    refused  parameters that this endpoint does not take
    """

    provider: ClassVar[str] = "openai"
    path: ClassVar[str] = "chat/completions"
    nearest: int = NEAREST
    refused: set[str] = field(default_factory=set)

    def body(self, task: Task, pictures: Sequence[bytes]) -> dict[str, Any]:
        """The messages, and how the reply is to be drawn."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": self.template.messages(task, data_uri(pictures[0]) if pictures else ""),
            "max_tokens": longest(task) + self.thinking,
            "temperature": getattr(task, "temperature", 0.0),
        }
        if isinstance(task, AnswerTask) and task.temperature:
            body["seed"] = task.sample
        if isinstance(task, JudgeTask):
            body["logprobs"] = True
        for name in self.refused & body.keys():
            value, other = body.pop(name), OTHERWISE[name][0]
            if other:
                body[other] = value
        return body | {"top_logprobs": self.nearest} if "logprobs" in body else body

    def read(self, task: Task, reply: Any) -> Reply:
        """What the first choice has."""
        choice = reply["choices"][0]
        message = choice["message"]
        tokens, text = _usage(reply.get("usage")), _text_of(message.get("content"))
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            return Reply(text=text or str(message.get("refusal") or ""), fault="refusal", tokens=tokens)
        thought = _text_of(message.get("reasoning_content") or message.get("reasoning"))
        cut = choice.get("finish_reason") == "length"
        return read_reply(task, text, _first_tokens(choice), tokens, thought=thought, cut=cut)

    def fault(self, task: Task, reply: Any) -> str:
        """What is wrong with what should be a chat completion."""
        return wrong_completion(reply)

    def put_otherwise(self, task: Task, body: dict[str, Any], message: str) -> bool:
        """A parameter that the endpoint says it does not take is left out from then on."""
        if "top_logprobs" in message and "top_logprobs" in body and body["top_logprobs"] > FEWER:
            self.nearest = FEWER
            return True
        # What is named first is what is complained of: "max_tokens" is, "max_completion_tokens" is to be used.
        order = sorted(OTHERWISE, key=message.find)
        names = [name for name in order if name in body and re.search(rf"\b{name}\b", message)]
        if not names:
            return False
        if names[0] not in self.refused:
            self.refused.add(names[0])
            self.client.note(OTHERWISE[names[0]][1])
        return True

    def size(self, task: Task) -> tuple[int, int]:
        """About how many tokens a request has, four characters each, and the picture; and its reply at most."""
        words = sum(len(str(message["content"])) for message in self.template.messages(task))
        most = 1 if isinstance(task, RankTask) else longest(task) + self.thinking
        return words // 4 + (1000 if task.seen.picture else 0), most


def longest(task: Task) -> int:
    """How many tokens an answer to a task may have."""
    return ALONE if isinstance(task, AnswerTask) and task.alone else LONGEST[type(task)]


def read_reply(
    task: Task,
    text: str,
    first: Mapping[str, float] = NOTHING,
    tokens: tuple[int, int] = (0, 0),
    *,
    thought: str = "",
    cut: bool = False,
) -> Reply:
    """The reply with what can be read in it.

    first    the likeliest first tokens, where the server gives them
    thought  what it thought in a part of its own
    cut      whether it was cut off
    """
    aloud, inside = split_thought(text)
    thought = "\n".join(filter(None, (thought.strip(), inside)))
    if not aloud:
        # A thought without an end was cut off, whatever the server says.
        return Reply(fault="length" if cut or inside else "empty", tokens=tokens, thought=thought)
    value, how = _read(task, aloud, NOTHING if thought else first)
    otherwise = how == "logprobs" and read_yes_no(aloud) not in (None, value)
    mark = UNLIKELY if otherwise else CUT if cut else DECLINED if declines(aloud) else ""
    return Reply(aloud, value, how=how, tokens=tokens, thought=thought, mark=mark)


def _read(task: Task, text: str, first: Mapping[str, float]) -> tuple[str | int | None, str]:
    """What a text holds for a task, and by what it was read."""
    match task:
        case JudgeTask():
            likely = likelier(first)
            return (likely, "logprobs") if likely else (read_yes_no(text), "text")
        case PointTask():
            return read_yes_no(text, may_not_apply=True), "text"
        case GuessTask():
            place = read_number(text, [thing.category for thing in task.listed()])
            return (task.order[place] if task.order and place is not None else place), "text"
        case AskTask():
            stops = task.may_stop and read_stop(text)
            return "" if stops else read_question(text) or None, "text"
    return None, "text"


def wrong_completion(reply: Any) -> str:
    """What is wrong with what should be a chat completion; empty where nothing is."""
    try:
        choice = reply["choices"][0]
        if choice.get("error") or choice.get("finish_reason") == "error":
            return "error in place of a reply"
        _text_of(choice["message"].get("content"))
    except (KeyError, IndexError, TypeError, AttributeError):
        return "no chat completion"
    return ""


def _text_of(content: Any) -> str:
    """The text of a message, which some servers send in parts; parts of another kind are no text."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part if isinstance(part, str) else str(part.get("text") or "") for part in content)


def _usage(used: Any) -> tuple[int, int]:
    """The tokens that were sent and received, where the endpoint tells."""
    try:
        return int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
    except (AttributeError, TypeError, ValueError):
        return 0, 0


def _first_tokens(choice: dict[str, Any]) -> dict[str, float]:
    """The likeliest first tokens with their log-probabilities, where the server gives them."""
    try:
        likeliest = choice["logprobs"]["content"][0]["top_logprobs"]
        return {str(token["token"]): float(token["logprob"]) for token in likeliest}
    except (KeyError, IndexError, TypeError, ValueError):
        return {}


def data_uri(picture: bytes) -> str:
    """A picture as a URL that holds it."""
    kind = next((name for magic, name in MAGIC.items() if picture.startswith(magic)), "jpeg")
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"
