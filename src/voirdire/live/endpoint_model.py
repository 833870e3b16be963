"""Base of models behind an endpoint, and what four things differ from one wire to another.

    class Messages(EndpointModel):
        provider, path = "mine", "messages"               where: below the URL of `mine:MODEL@URL`

        @staticmethod
        def headers(key): ...                             what every request carries
        def body(self, task, pictures): ...               what is sent for a task
        def read(self, task, reply): ...                  the reply as it was sent, as a `Reply`

`Messages.from_spec` is then what an entry point of the group `voirdire.models` names. Connections, tries, paces, keys
and their protection are the same for all, and so is what users add to requests (`extra_body`, `header`). Where `read`
fails with an error of Python's about a value (KeyError, TypeError, …) or of msgspec's, what was sent is no reply, and
is asked for again.
"""

import contextlib
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from voirdire.errors import UsageError
from voirdire.live.client import NO_REPLY as NO_REPLY_SENT
from voirdire.live.client import Client, Limits, Refused, Unanswered
from voirdire.live.endpoint import Endpoint, bearer, key_from
from voirdire.live.model import LiveModel, Reply, Skill, Task, skill_of
from voirdire.live.prompts import Template, read_template
from voirdire.live.settings import LiveOptions

TALKS: frozenset[Skill] = frozenset({"answer", "ask", "guess", "point", "judge"})
"""The skills of a model that takes messages and answers in words."""
LONGEST_TEXT, LONGEST_THOUGHT, MOST_TOKENS = 100_000, 400_000, 10**9
"""Characters of a reply and of a thought that are kept, and tokens that it may have by its own account."""
NO_REPLY = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, msgspec.MsgspecError)
"""What `read` fails with where what was sent is no reply."""
LONGEST_NAME = 200
"""Characters of a name that an endpoint gives."""


@dataclass
class EndpointModel(LiveModel):
    """One model of an endpoint, prompted by a template.

    provider  what stands before the colon of its name
    path      where it is asked, below the endpoint's URL
    greets    whether the endpoint is looked for, at its list of models, before anything is asked
    thinking  tokens that a reply may have beside its answer
    extra     what the user adds to every request; None takes a field away
    """

    model: str
    client: Client
    template: Template
    thinking: int = 0
    skills: frozenset[Skill] = TALKS
    extra: Mapping[str, Any] = field(default_factory=dict)
    provider: ClassVar[str] = ""
    path: ClassVar[str] = ""
    greets: ClassVar[bool] = True
    local: ClassVar[bool] = False

    @staticmethod
    def headers(key: str) -> Mapping[str, str]:
        """The headers of every request where there is a key."""
        return bearer(key)

    @abstractmethod
    def body(self, task: Task, pictures: Sequence[bytes]) -> Any:
        """What is sent for a task, as JSON values."""

    @abstractmethod
    def read(self, task: Task, reply: Any) -> Reply:
        """The reply to a task, of the decoded JSON that was sent."""

    def put_otherwise(self, task: Task, body: Any, message: str) -> bool:
        """Whether a request that was refused with this message will be put in another way from now on.

        message  all the words that the server says about it
        """
        return False

    @staticmethod
    def read_by(options: LiveOptions) -> dict[str, Any]:
        """What reading its replies depends on, as fields of its own."""
        return {}

    @property
    def name(self) -> str:
        """As it was asked for, without a key."""
        return f"{self.provider}:{self.model}@{self.client.endpoint.name}"

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task; of secret headers it has the names alone."""
        own = {"model": self.model, "url": self.client.endpoint.name, "template": self.template.identity}
        added = msgspec.json.encode(self.extra, order="sorted").decode() if self.extra else ""
        # What was cut short for want of room is asked again where there is more.
        thinking = str(self.thinking) if self.thinking else ""
        more = {"thinking": thinking, "extra_body": added, "headers": self.client.endpoint.headers_shown}
        return own | {name: value for name, value in more.items() if value}

    @contextlib.asynccontextmanager
    async def opened(self, note: Callable[[str], None]) -> AsyncIterator[None]:
        """Its connections, for the length of a block; where no server answers, it fails at once."""
        self.client.note = note
        async with self.client:
            if self.greets:
                await self.client.greet()
            yield

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """Its reply; where a request is refused that can be put otherwise, it is."""
        if (skill := skill_of(task)) not in self.skills:
            raise UsageError(f"{self.name} cannot {skill}; it can {' and '.join(sorted(self.skills))}")
        before = b""
        while True:
            body, tokens = self._extended(self.body(task, pictures)), sum(self.size(task))
            try:
                encoded = msgspec.json.encode(body)
                reply = await self.client.post(self.path, encoded, tokens, partial(self.fault, task))
            except (Refused, Unanswered) as error:
                # An overload (408, 429) is no complaint about what was sent, whatever words it has.
                sent = isinstance(error, Refused) or error.kind == NO_REPLY_SENT or error.error.status >= 500
                if error.error.kind or not sent or not self.put_otherwise(task, body, error.error.words):
                    raise
                if encoded == before:
                    raise  # It was not put otherwise.
                before = encoded
            else:
                return self._safe(self.read(task, reply), _served(reply))

    def _extended(self, body: Any) -> Any:
        """What is sent, with what the user adds to it."""
        if not self.extra:
            return body
        merged = {**msgspec.to_builtins(body), **self.extra}
        return {name: value for name, value in merged.items() if value is not None}

    def _safe(self, reply: Reply, served: str) -> Reply:
        """The reply without secrets that were put together of its parts, and with nothing in it beyond bounds."""
        mask = self.client.endpoint.masked_text
        sent, received = (number if 0 <= number <= MOST_TOKENS else 0 for number in reply.tokens)
        return replace(
            reply,
            text=mask(reply.text)[:LONGEST_TEXT],
            value=mask(reply.value)[:LONGEST_TEXT] if isinstance(reply.value, str) else reply.value,
            thought=mask(reply.thought)[:LONGEST_THOUGHT],
            tokens=(sent, received),
            served=served,
        )

    def fault(self, task: Task, reply: Any) -> str:
        """What is wrong with a reply, so that the request is sent again; empty where nothing is."""
        try:
            self.read(task, reply)
        except NO_REPLY:
            return "JSON that is no reply"
        return ""

    @classmethod
    def from_spec(cls, argument: str | None) -> Callable[[LiveOptions], LiveModel]:
        """What makes a model of the options, for `PROVIDER:MODEL@URL`."""
        name, url = split_spec(argument, cls.provider)

        def make(options: LiveOptions) -> LiveModel:
            way = options.header, options.proxy, options.ca
            endpoint = Endpoint.at(url, key_from(options.key), options.insecure, cls.headers, *way)
            paces = options.requests_per_minute, options.tokens_per_minute
            limits = Limits(options.connections, options.timeout, options.tries, *paces, options.wait)
            template = read_template(options.template)
            client = Client(endpoint, limits)
            return cls(name, client, template, options.thinking, extra=options.extra_fields, **cls.read_by(options))

        return make


def _served(reply: Any) -> str:
    """What the endpoint says it served: a model, and the fingerprint of the system behind it where it gives one."""
    names = (reply.get("model"), reply.get("system_fingerprint")) if isinstance(reply, dict) else ()
    return " ".join(name[:LONGEST_NAME] for name in names if isinstance(name, str))


def split_spec(argument: str | None, provider: str = "openai") -> tuple[str, str]:
    """`MODEL@URL` as its two parts."""
    name, at, url = (argument or "").rpartition("@")
    if not at or not name or not url:
        raise UsageError(f"`model` {provider} needs a model and a URL, as in {provider}:MODEL@https://host/v1")
    return name, url
