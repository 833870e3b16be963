"""What a server may do to us: one behaviour is what it answers, and how a call has to end with it.

`scored` means that the call ends well and its files are written, with this in its warnings; `explained` that it ends
with one message for the user, with this in it.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "live"))

from scripted import Answer, chat

__all__ = [
    "ITEM",
    "KEY",
    "Answer",
    "Behaviour",
    "Say",
    "always",
    "chat",
    "error",
    "last_text",
    "message",
    "of_item",
    "refusing",
    "reply",
    "some",
]

KEY = "sk-planted-4711-abcdef"
ITEM = "nr 7?"
"""What the question of the one item ends with that a server treats in its own way."""
Say = Callable[[str, dict[str, str], Any], Answer]


@dataclass(frozen=True)
class Behaviour:
    """What a server does.

    name     in a few words
    say      its answer to a request
    scored   what stands in the warnings of the files; None where the call may not end well
    explained  what the message has; None where the call ends well
    options  further options of the call
    shows    whether the model is shown pictures
    closed   whether nobody listens
    below    what the URL ends with, after its host
    items    how many questions are asked
    """

    name: str
    say: Say
    scored: str | None = None
    explained: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    shows: bool = False
    closed: bool = False
    below: str = "/v1"
    items: int = 12


def last_text(body: Any) -> str:
    """The last words of a request, after what is shown."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else content[-1]["text"]


def always(answer: Answer, models: Answer | None = None) -> Say:
    """The same to every request; `models` to the one for the list of models."""
    return lambda path, headers, body: (models or Answer(b'{"data": []}')) if body is None else answer


def some(answer: Answer) -> Say:
    """To every fifth item when it is first asked about, and else a good reply: what is tried again is answered."""
    met: set[tuple[str, str]] = set()

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        if body is None:
            return Answer(b'{"data": []}')
        text = last_text(body)
        number = int("".join(filter(str.isdigit, text)) or 1)
        # Each server of this behaviour begins anew.
        item = headers.get("host", ""), text
        if number % 5 != 2 or item in met:
            return chat("yes")
        met.add(item)
        return answer

    return say


def of_item(answer: Answer) -> Say:
    """To one item, and else a good reply."""

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        if body is None:
            return Answer(b'{"data": []}')
        return answer if ITEM in last_text(body) else chat("yes")

    return say


def refusing(complaint: Answer, refuses: Callable[[Any], bool]) -> Say:
    """To every request that has what the model does not take, and else a good reply."""

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        if body is None:
            return Answer(b'{"data": []}')
        return complaint if refuses(body) else chat("yes")

    return say


def reply(document: Any, status: int = 200, **headers: str) -> Answer:
    """A JSON document."""
    return Answer(
        json.dumps(document).encode(), status, {name.replace("_", "-"): text for name, text in headers.items()}
    )


def error(status: int, message: str, **more: Any) -> Answer:
    """An error in OpenAI's layout."""
    return reply(
        {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}}, status
    )


def message(**fields: Any) -> Answer:
    """A chat completion whose message has these fields."""
    return chat("", message={"role": "assistant", **fields})
