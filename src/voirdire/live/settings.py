"""How a model is reached and what it is shown: the flags of `ask`, and the keys of a live model in a config.

Options that change replies (the model itself, its template, what it is shown) are kept apart from those that only
change how fast they come, so that a run is not done again because more connections are allowed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from voirdire.bounded import Undecodable, decode
from voirdire.errors import shorten, shorten_text
from voirdire.options import OptionError, Options, option

DEFAULT_TEMPLATE = "plain"
Show = Literal["pictures", "words", "nothing"]
NO_EFFECT = frozenset(
    {"key", "connections", "timeout", "tries", "requests_per_minute", "tokens_per_minute", "max_requests", "max_cost"}
    | {"price_sent", "price_received", "prices", "insecure", "blind", "wait", "max_refused", "proxy", "ca", "trust"}
    | {"templates"}
)
"""Options that change no reply."""


_SECRET = re.compile(r"api_?key|secret|passw|authori[sz]ation|credential|(?:access|auth|bearer)_?token", re.IGNORECASE)


def _names(value: Any) -> Iterator[str]:
    """The names of all fields, at any depth."""
    if isinstance(value, dict):
        yield from value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _names(each)


@dataclass(frozen=True)
class LiveOptions(Options):
    """How one model is reached and asked."""

    model: str = option(
        ...,
        "The model: openai:MODEL@URL, vllm:MODEL@URL, hf:FOLDER, python:MODULE:FUNCTION, witness:NAME.",
        metavar="MODEL",
        provider="voirdire.live.providers:MODELS",
    )
    key: str | None = option(None, "The environment variable that holds the endpoint's key.", metavar="VARIABLE")
    header: tuple[str, ...] = option(
        (),
        "A header of every request, NAME=VALUE; NAME=env:VARIABLE takes a secret from a variable.",
        metavar="HEADER",
    )
    extra_body: str | None = option(
        None, "What to add to every request, as a JSON object; null takes a field away.", metavar="JSON"
    )
    template: str = option(
        DEFAULT_TEMPLATE,
        "The prompt template: plain, explicit, brief, two-questions (in scorekeeping), or a TOML file.",
        metavar="NAME",
    )
    templates: tuple[str, ...] = option(
        (), "Ask in each of several templates, and tell how far the figures depend on it.", metavar="NAME,NAME"
    )
    show: Show = option("pictures", "What the model is shown: pictures, a world's scenes in words, or nothing.")
    scenes: str | None = option(None, "The scenes of a world, for words and for witnesses.", metavar="FILE")
    thinking: int = option(
        0, "Extra tokens per reply, for a model that thinks before it answers.", least=0, most=1_000_000
    )
    least_mass: float = option(
        0.5,
        "Read yes, no or a label off the likelihoods of the first token only where they have this share of it; else "
        "off the words.",
        least=0,
        most=1,
        metavar="SHARE",
    )
    longest: int = option(768, "Pixels of a picture's longer side; larger ones are scaled down.", least=32, most=8_192)
    partial: bool = option(False, "Ask only about images that have a picture; the others count as not answered.")
    blind: bool = option(False, "Go on with a model that does not see pictures; its runs are marked as blind.")
    missing: bool = option(False, "Go on without replies that the endpoint fails to give after all tries; counted.")
    max_refused: float = option(
        0.05,
        "Stop when more than this share of the items is refused, and at least 20: filters, too long, no picture.",
        least=0,
        most=1,
        metavar="SHARE",
    )
    insecure: bool = option(False, "Allow plain http to another machine.")
    proxy: str | None = option(
        None, "Reach the endpoint through this proxy: its URL, or env:VARIABLE that holds it.", metavar="URL"
    )
    ca: str | None = option(
        None, "A file of certificates (PEM) that may sign the endpoint's, as a company's own.", metavar="FILE"
    )
    trust: tuple[str, ...] = option(
        (),
        "Send the value of a key's variable also to this host, at which another player's model is.",
        metavar="VARIABLE@HOST",
    )
    connections: int = option(8, "Concurrent requests.", least=1, most=1_024)
    timeout: float = option(120.0, "Seconds to wait for a reply.", above=0, most=86_400)
    wait: float = option(300.0, "Seconds to wait for a server that is still loading.", least=0, most=86_400)
    tries: int = option(6, "Most tries per request.", least=1, most=100)
    requests_per_minute: int = option(0, "Most requests per minute; 0 for no limit.", least=0, most=10_000_000)
    tokens_per_minute: int = option(0, "Most tokens per minute, both ways; 0 for no limit.", least=0, most=10**10)
    max_requests: int = option(0, "Stop after this many requests; 0 for no limit.", least=0, most=10**9)
    max_cost: float = option(0.0, "Stop when this much is spent; needs the prices. 0 for no limit.", least=0, most=1e9)
    price_sent: float = option(0.0, "Price per million tokens sent.", least=0, most=1e6)
    price_received: float = option(0.0, "Price per million tokens received.", least=0, most=1e6)
    prices: str | None = option(None, "A table of prices by model: CSV with model,sent,received.", metavar="FILE")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_cost and not (self.price_sent or self.price_received or self.prices):
            raise OptionError("max_cost", "`max_cost` needs `price_sent`, `price_received` or `prices` to count by")
        names = tuple(name for given in self.templates for name in given.split(","))
        object.__setattr__(self, "templates", names)
        if names and (len(names) < 2 or not all(names) or len(set(names)) < len(names)):
            raise OptionError("templates", f"`templates` must be two or more names, got {shorten(', '.join(names))}")
        if names and self.template != DEFAULT_TEMPLATE:
            raise OptionError("templates", "give either `template` or `templates`")
        self.extra_fields  # noqa: B018 (checked at once)

    @property
    def extra_fields(self) -> dict[str, Any]:
        """What is added to every request."""
        try:
            fields = decode(self.extra_body or "{}", dict[str, Any])
        except Undecodable as error:
            raise OptionError("extra_body", f"`extra_body` must be a JSON object, got {error}") from None
        for name in ("messages", "model", "stream", "n"):
            if name in fields:
                raise OptionError("extra_body", f"`extra_body` must not set {name}, which an exam sets or needs")
        if secret := next(filter(_SECRET.search, _names(fields)), None):
            # What is added stands in journals and signatures.
            raise OptionError(
                "extra_body",
                f"`extra_body` must have no secret, as {shorten_text(secret)} may be; name its variable with `key` or "
                "`header`",
            )
        return fields

    @property
    def reply_options(self) -> dict[str, Any]:
        """The options that replies depend on."""
        return {name: value for name, value in self.plain().items() if name not in NO_EFFECT}
