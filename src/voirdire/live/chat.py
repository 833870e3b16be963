"""Chat models behind an endpoint that speaks as OpenAI's does: `openai:MODEL@URL`.

    openai:gpt-4o-mini@https://api.openai.com/v1        with its key in an environment variable
    openai:qwen2.5-vl@http://127.0.0.1:8000/v1          vLLM, llama.cpp, Ollama, transformers serve on this machine

Sentences are judged by the log-probabilities of yes and no, or of the labels that are asked for, where the server
gives them, else by the text; the reply keeps which of the two it was. The probabilities are those of the first token,
so where a model thinks first, the text counts; so it does where all labels together have less than `least_mass` of the
first token's probability: a model that begins with "Well" has not said yes. A text that says the opposite of the
probabilities ("The answer is no") is marked and counted.

Some models refuse what others need (`max_tokens`, a temperature, `logprobs`, a system's role). Where the server says
what, the request is sent again without it, as are all later ones; that is noted once, and stands in every run.

A choice that was blocked, or that calls a tool in place of an answer, has no text: it is a missing answer.
"""

import base64
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from voirdire.live.endpoint_model import LONGEST_TEXT, LONGEST_THOUGHT, NO_REPLY, EndpointModel
from voirdire.live.model import (
    CUT,
    DECLINED,
    LOGPROBS,
    TEXT,
    TEXT_LOW,
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
from voirdire.live.prompts import Message
from voirdire.live.reading import (
    YES_NO,
    declines,
    likeliest,
    read_label,
    read_number,
    read_question,
    read_stop,
    read_yes_no,
    split_thought,
)
from voirdire.live.settings import LiveOptions
from voirdire.runs.provenance import CONTENT, IMAGE_SAFETY, NO_MESSAGE, TOOL_CALL
from voirdire.text.json_answers import json_answer

LONGEST = {AnswerTask: 64, AskTask: 128, GuessTask: 64, PointTask: 64, JudgeTask: 64}
SEVERAL = 128
"""Most tokens of a reply, and of one to several questions. Also where a word is enough, there is room for a sentence or
two of reasons before it."""
NEAREST = 20
"""How many of the likeliest first tokens are requested."""
NOTHING: Mapping[str, float] = {}
QUESTION_NAMES = ("next question", "question")
"""Names of the field of an object of JSON in which a question of the model's own stands."""
SYSTEM = "system"
OTHERWISE: Mapping[str, tuple[str, str, str]] = {
    "max_tokens": (
        r"\bmax_?(?:output_?)?tokens\b",
        "max_completion_tokens",
        "max_completion_tokens in place of max_tokens",
    ),
    "max_completion_tokens": (r"\bmax_(?:completion|output)_tokens\b", "", "without a limit of tokens"),
    "temperature": (r"\btemperature\b", "", "without a temperature: it does not take the one of the exam"),
    "logprobs": (r"\b(?:top_?|response_?)?log_?probs?\b|\blog[- ]?prob\w*", "", "without logprobs"),
    "seed": (r"\bseed\b", "", "without a seed"),
    SYSTEM: (
        r"\bsystem\b['\"]? ?(?:role|message|prompt|instruction)|role[^|]{0,40}\bsystem\b|developer instruction"
        r"|roles must alternate|messages\[0\]\.role",
        "",
        "the system's words before the user's first",
    ),
}
"""What some models refuse: how a message names it, its other name, and the note about that."""
_UNKNOWN = re.compile(
    r"not (?:supported|permitted|allowed|enabled)|unsupported|unknown|unrecogni|extra|unexpected", re.I
)
FEWER = 5
"""How many of the likeliest first tokens are requested where the usual number is too many."""
LEAST_MASS = 0.5
"""The share of the first token's probability that all labels must have together for their likelihoods to count."""
NEARLY = 1e-3
"""The highest log-likelihood: 0, but for a server's rounding."""
_BLOCKED = re.compile(r"content_?filter|safety|recitation|blocklist|prohibited|spii|refusal|guardrail|sensitive", re.I)
_TOOLS = frozenset({"tool_calls", "function_call", "tool_use", "tool_call"})
MAGIC = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}


@dataclass
class ChatModel(EndpointModel):
    """One model of an endpoint that speaks as OpenAI's does.

    nearest  how many of the likeliest first tokens are requested
    least_mass  see `read_reply`
    refused  parameters that this endpoint does not take
    """

    provider: ClassVar[str] = "openai"
    path: ClassVar[str] = "chat/completions"
    nearest: int = NEAREST
    least_mass: float = LEAST_MASS
    refused: set[str] = field(default_factory=set)

    @staticmethod
    def read_by(options: LiveOptions) -> dict[str, Any]:
        """The share of probability from which on likelihoods count."""
        return {"least_mass": options.least_mass}

    @property
    def identity(self) -> dict[str, str]:
        """What its replies, and what is read in them, depend on beside the task."""
        return {**super().identity, "least_mass": f"{self.least_mass:g}"}

    def body(self, task: Task, pictures: Sequence[bytes]) -> dict[str, Any]:
        """The messages, and how the reply is to be drawn."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": self.messages(task, pictures),
            "max_tokens": longest(task) + self.thinking,
            "temperature": getattr(task, "temperature", 0.0),
        }
        if isinstance(task, AnswerTask) and task.temperature:
            body["seed"] = task.sample
        if isinstance(task, JudgeTask):
            body["logprobs"] = True
        body = self._without_refused(body)
        return body | {"top_logprobs": self.nearest} if "logprobs" in body else body

    def _without_refused(self, body: dict[str, Any]) -> dict[str, Any]:
        """What is sent, without what the endpoint does not take."""
        # In their order: what has another name may be refused by that one, too.
        for name, (_, other, _) in OTHERWISE.items():
            if name in self.refused and name in body:
                value = body.pop(name)
                if other:
                    body[other] = value
        return body

    def messages(self, task: Task, pictures: Sequence[bytes]) -> list[Message]:
        """The messages; where the endpoint takes none of a system, its words stand before the user's first."""
        messages = self.template.messages(task, data_uri(pictures[0]) if pictures else "")
        if SYSTEM not in self.refused or messages[0]["role"] != SYSTEM:
            return messages
        system, first, *others = messages
        content = first["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts = [
            {**part, "text": f"{system['content']}\n\n{part['text']}"} if part["type"] == "text" else part
            for part in parts
        ]
        return [{**first, "content": parts[0]["text"] if isinstance(content, str) else parts}, *others]

    def read(self, task: Task, reply: Any) -> Reply:
        """What the first choice has."""
        tokens = _usage(reply.get("usage"))
        if blocked := _blocked_prompt(reply):
            return Reply(fault=blocked, tokens=tokens)
        choice = reply["choices"][0]
        message, ended = choice.get("message"), str(choice.get("finish_reason") or "").lower()
        if fault := _without_answer(message, ended):
            return Reply(fault=fault, tokens=tokens)
        text = _text_of(message.get("content"))
        if message.get("refusal"):
            return Reply(text=text or str(message["refusal"]), fault="refusal", tokens=tokens)
        thought = _text_or_nothing(message.get("reasoning_content") or message.get("reasoning"))
        cut = ended in ("length", "max_tokens")
        first = _first_tokens(choice)
        return read_reply(task, text, first, tokens, thought=thought, cut=cut, least_mass=self.least_mass)

    def fault(self, task: Task, reply: Any) -> str:
        """What is wrong with what should be a chat completion."""
        return wrong_completion(reply) or super().fault(task, reply)

    def put_otherwise(self, task: Task, body: dict[str, Any], message: str) -> bool:
        """A parameter that the endpoint says it does not take is left out from then on."""
        few = "top_logprobs" in message and not _UNKNOWN.search(message)
        if few and body.get("top_logprobs", 0) > FEWER and "top_logprobs" not in self.extra:
            self.nearest = FEWER
            return True
        # What is named first is what is complained of: "max_tokens" is, "max_completion_tokens" is to be used.
        sent = {*body, *([SYSTEM] if body["messages"][0]["role"] == SYSTEM else [])} - {*self.extra}
        places = {
            name: place.start()
            for name, (pattern, *_) in OTHERWISE.items()
            if name in sent and (place := re.search(pattern, message, re.IGNORECASE))
        }
        if not places:
            return False
        name = min(places, key=lambda name: places[name])
        if name not in self.refused:
            self.refused.add(name)
            self.client.note(OTHERWISE[name][2])
        return True

    def size(self, task: Task) -> tuple[int, int]:
        """About how many tokens a request has, four characters each, and the picture; and its reply at most."""
        words = sum(len(str(message["content"])) for message in self.template.messages(task))
        most = 1 if isinstance(task, RankTask) else longest(task) + self.thinking
        return words // 4 + (1000 if task.seen.picture else 0), most


def longest(task: Task) -> int:
    """How many tokens an answer to a task may have."""
    return SEVERAL if isinstance(task, AnswerTask) and task.added else LONGEST[type(task)]


def read_reply(
    task: Task,
    text: str,
    first: Mapping[str, float] = NOTHING,
    tokens: tuple[int, int] = (0, 0),
    *,
    thought: str = "",
    cut: bool = False,
    least_mass: float = LEAST_MASS,
) -> Reply:
    """The reply with what can be read in it.

    first    the likeliest first tokens, where the server gives them
    thought  what it thought in a part of its own
    cut      whether it was cut off
    least_mass  the share of probability that the labels must have among the first tokens, for that to count
    """
    cut = cut or len(text) > LONGEST_THOUGHT
    aloud, inside = split_thought(text[:LONGEST_THOUGHT])
    thought = "\n".join(filter(None, (thought[:LONGEST_THOUGHT].strip(), inside)))
    if len(aloud) > LONGEST_TEXT:
        aloud, cut = aloud[:LONGEST_TEXT], True
    if not aloud:
        # A thought without an end was cut off, whatever the server says.
        return Reply(fault="length" if cut or inside else "empty", tokens=tokens, thought=thought)
    value, how = _read(task, aloud, NOTHING if thought else first, least_mass)
    otherwise = how == LOGPROBS and isinstance(task, JudgeTask) and _judged(task, aloud) not in (None, value)
    mark = UNLIKELY if otherwise else CUT if cut else DECLINED if declines(aloud) else ""
    return Reply(aloud, value, how=how, tokens=tokens, thought=thought, mark=mark)


def label_words(task: JudgeTask) -> Mapping[str, Collection[str]]:
    """What may be said of a sentence, each with the words that are read as it."""
    return {label: {label} for label in task.labels} or YES_NO


def _judged(task: JudgeTask, text: str) -> str | None:
    """What a text says of a sentence."""
    if not task.labels:
        return read_yes_no(text)
    # A sentence that is repeated may have a label's word in it: "the door is open".
    repeated = re.escape(task.sentence.rstrip(". "))
    return read_label(re.sub(repeated, " ", text, flags=re.IGNORECASE), task.labels)


def _read(task: Task, text: str, first: Mapping[str, float], least_mass: float) -> tuple[str | int | None, str]:
    """What a text holds for a task, and by what it was read."""
    text = json_answer(text, QUESTION_NAMES if isinstance(task, AskTask) else ()) or text
    match task:
        case JudgeTask():
            likely, mass = likeliest(first, label_words(task))
            if likely and mass >= least_mass:
                return likely, LOGPROBS
            return _judged(task, text), TEXT_LOW if first else TEXT
        case PointTask():
            return read_yes_no(text, may_not_apply=True), TEXT
        case GuessTask():
            place = read_number(text, [thing.category for thing in task.listed()])
            return (task.order[place] if task.order and place is not None else place), TEXT
        case AskTask():
            stops = task.may_stop and read_stop(text)
            return "" if stops else read_question(text) or None, TEXT
    return None, TEXT


def wrong_completion(reply: Any) -> str:
    """What is wrong with what should be a chat completion; empty where nothing is."""
    try:
        if _blocked_prompt(reply):
            return ""
        choice = reply["choices"][0]
        if choice.get("error") or choice.get("finish_reason") == "error":
            return "error in place of a reply"
        message = choice.get("message")
        if not _without_answer(message, str(choice.get("finish_reason") or "").lower()):
            _text_of(message.get("content"))
    except NO_REPLY:
        return "no chat completion"
    return ""


def _blocked_prompt(reply: Any) -> str:
    """Why there is no choice: Gemini tells it beside them; empty where there is one, or no reason."""
    feedback = reply.get("promptFeedback") or reply.get("prompt_feedback")
    if reply.get("choices") or not isinstance(feedback, dict):
        return ""
    return IMAGE_SAFETY if "image" in str(feedback.get("blockReason") or "").lower() else CONTENT


def _without_answer(message: Any, ended: str) -> str:
    """Why a choice has no answer in words: it was blocked, calls a tool, or has no message at all; else empty."""
    if _BLOCKED.search(ended):
        return IMAGE_SAFETY if "image" in ended else CONTENT
    if message is None:
        return NO_MESSAGE if ended else ""
    calls = message.get("tool_calls") or message.get("function_call") or ended in _TOOLS
    return TOOL_CALL if calls and not _text_of(message.get("content")).strip() else ""


def _text_of(content: Any) -> str:
    """The text of a message, which some servers send in parts; parts of another kind are no text."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list | dict):
        raise TypeError(content)
    parts = [content] if isinstance(content, dict) else content
    return "".join(part if isinstance(part, str) else _text_or_nothing(part.get("text")) for part in parts)


def _text_or_nothing(value: Any) -> str:
    """A thought, or a part of a message; what is none is left away."""
    try:
        return _text_of(value)
    except (TypeError, AttributeError):
        return ""


def _usage(used: Any) -> tuple[int, int]:
    """The tokens that were sent and received, where the endpoint tells."""
    try:
        return int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
    except NO_REPLY:
        return 0, 0


def _first_tokens(choice: dict[str, Any]) -> dict[str, float]:
    """The likeliest first tokens with their log-probabilities, where the server gives them."""
    try:
        likeliest = choice["logprobs"]["content"][0]["top_logprobs"]
        tokens = {str(token["token"]): float(token["logprob"]) for token in likeliest}
    except NO_REPLY:
        return {}
    return tokens if all(math.isfinite(value) and value <= NEARLY for value in tokens.values()) else {}


def data_uri(picture: bytes) -> str:
    """A picture as a URL that holds it."""
    kind = next((name for magic, name in MAGIC.items() if picture.startswith(magic)), "jpeg")
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"
