"""Ask an endpoint: bounded connections, time-outs, retries, and limits on requests and tokens per minute.

What may get better by itself is tried again: 408, 409, 425, 429 and 5xx, broken connections, time-outs, replies that
are no JSON or no reply, errors that are sent with the status of a reply. The wait is what the server asks for
(Retry-After), else it doubles from half a second on, each time a random share of it, so that many connections do not
come back at one moment. What cannot get better (400, 401, 404, …) fails at once with the server's message. A
redirect is not followed.
"""

import asyncio
import codecs
import contextlib
import email.utils
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from types import TracebackType
from typing import Any

import msgspec

from voirdire.errors import MissingExtra, VoirDireError, shorten, shorten_text
from voirdire.figures import counted
from voirdire.live.endpoint import Endpoint

AGAIN = frozenset({408, 409, 425, 429})
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
NO_JSON = "no JSON"
GREETINGS = 4
"""How often a server is looked for before the first request."""
_decode = msgspec.json.Decoder().decode
_LONE = re.compile(rb"\\u[dD][89abAB]\w\w(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]\w\w)\\u[dD][c-fC-F]\w\w")
"""Half of a sign of two parts, which a reply ends with where the limit of tokens cut through an emoji."""
_VERSION = re.compile(r"/v\d[^/]*(?:/openai)?$")
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_HTML = re.compile(rb"\s*<(?:!doctype\s+)?html\b", re.IGNORECASE)


class Refused(VoirDireError):
    """The endpoint does not take such a request, so it is not sent again; `server_message` is what the server says."""

    def __init__(self, message: str, server_message: str = "") -> None:
        self.server_message = server_message
        super().__init__(message)


class Unanswered(VoirDireError):
    """No usable reply came after all tries; `kind` says why the last try failed."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


@dataclass(frozen=True)
class Limits:
    """Limits on the requests to an endpoint.

    connections  concurrent requests
    timeout      seconds to wait for a whole reply
    tries        most tries per request
    requests     per minute; 0 for no limit
    tokens       per minute, sent and received; 0 for no limit
    """

    connections: int = 8
    timeout: float = 120.0
    tries: int = 6
    requests: int = 0
    tokens: int = 0


class _Pace:
    """So many per minute: a bucket that fills evenly and starts with the content of a second."""

    def __init__(self, per_minute: int) -> None:
        self.rate = per_minute / 60
        self.have = max(1.0, self.rate)
        self.at = monotonic()

    def wait(self, count: float) -> float:
        """Take `count` from the bucket; the seconds to wait until it has that many."""
        if not self.rate:
            return 0.0
        now = monotonic()
        self.have = min(max(1.0, self.rate), self.have + (now - self.at) * self.rate) - count
        self.at = now
        return max(0.0, -self.have / self.rate)


@dataclass
class Client:
    """A client of one endpoint, for use with `async with`.

    faults   what went wrong and was tried again, by kind
    sent     requests on the wire, tries included
    note     called with each fault
    served   the models that the endpoint says it has, as far as it does
    clock    what waits; tests use one that does not
    """

    endpoint: Endpoint
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    served: tuple[str, ...] = ()
    note: Callable[[str], None] = lambda kind: None
    clock: Callable[[float], Any] = asyncio.sleep

    async def __aenter__(self) -> "Client":
        try:
            import httpx2
        except ImportError:
            raise MissingExtra("a live model", "live") from None
        most = self.limits.connections
        self._http = httpx2.AsyncClient(
            headers=self.endpoint.headers,
            timeout=httpx2.Timeout(self.limits.timeout, pool=None),
            limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=60),
            follow_redirects=False,
            trust_env=False,
        )
        self._broken = (httpx2.TransportError, httpx2.DecodingError)
        self._late = httpx2.TimeoutException
        self._gate = asyncio.Semaphore(most)
        self._requests, self._tokens = _Pace(self.limits.requests), _Pace(self.limits.tokens)
        self._chance = Random(self.seed)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def greet(self) -> None:
        """Fail at once where no server answers, or not with this key, and not after many tries."""
        for number in range(1, GREETINGS + 1):
            try:
                async with asyncio.timeout(min(self.limits.timeout, 10)):
                    got = await self._http.get(f"{self.endpoint.url}/models")
                break
            except (TimeoutError, self._late):
                return  # It may be busy: a request has all the time that it was given.
            except self._broken as error:
                if number == GREETINGS:
                    kind = type(error).__name__
                    raise Refused(f"nobody answers at {self.endpoint.url} ({kind}); is the server running?") from None
                await self.clock(self._wait(number))
        if got.status_code in (401, 403):
            hint = "is it the right key?" if self.endpoint.key else "name the variable that holds the key with `key`"
            raise Refused(f"{self.endpoint.url} said {got.status_code}: {_server_message(got.content)}; {hint}")
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError):
            self.served = tuple(str(model["id"]) for model in _decode(got.content)["data"])

    async def post(
        self, path: str, body: bytes, tokens: int = 0, wrong: Callable[[Any], str] = lambda reply: ""
    ) -> Any:
        """The decoded reply to a request; Refused or Unanswered where there is none.

        tokens  how many the request and its reply may have, for the limit per minute
        wrong   what is wrong with a reply, so that it is tried again; empty where it is of use
        """
        async with self._gate:
            for number in range(1, self.limits.tries + 1):
                await self._keep_pace(tokens)
                kind, reply, wait = await self._once(path, body, wrong)
                detail = f": {reply}" if kind and reply else ""
                if not kind:
                    return reply
                self.faults[kind] += 1
                self.note(kind)
                if number < self.limits.tries:
                    await self.clock(self._wait(number) if wait is None else min(wait, LONGEST_WAIT))
        tried = counted(self.limits.tries, "try", "tries")
        hint = self._where if kind == NO_JSON else ""
        raise Unanswered(kind, f"{self.endpoint.url} gave no reply in {tried}; the last time: {kind}{detail}{hint}")

    async def _keep_pace(self, tokens: int) -> None:
        wait = max(self._requests.wait(1), self._tokens.wait(tokens))
        if wait:
            await self.clock(wait)

    def _wait(self, number: int) -> float:
        """Seconds before the next try: a random share of a time that doubles."""
        return self._chance.uniform(0.5, 1) * min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (number - 1))

    async def _once(self, path: str, body: bytes, wrong: Callable[[Any], str]) -> tuple[str, Any, float | None]:
        """The result of one try: an empty fault and the reply, or the kind of fault and the server's message; and how
        long to wait."""
        self.sent += 1
        try:
            async with asyncio.timeout(self.limits.timeout):
                got = await self._http.post(f"{self.endpoint.url}/{path}", content=body)
        except (TimeoutError, self._late):
            return "time-out", None, None
        except self._broken as error:
            return f"connection ({type(error).__name__})", None, None
        status = got.status_code
        if status in AGAIN or status >= 500:
            return str(status), _server_message(got.content), _retry_after(got.headers.get("retry-after"))
        if got.is_redirect:
            raise Refused(f"{self.endpoint.url} leads elsewhere ({status}), where no key is sent; name the URL itself")
        if status != 200:
            raise self._refusal(path, status, got.content)
        try:
            reply = _decoded(got.content)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return NO_JSON, _server_message(got.content), None
        if (code := _error_within(reply)) is None:
            kind = wrong(reply)
            return (kind, _server_message(got.content), None) if kind else ("", reply, None)
        if 400 <= code < 500 and code not in AGAIN:
            raise self._refusal(path, code, got.content)
        return f"error {code}" if code else "error in place of a reply", _server_message(got.content), None

    @property
    def _where(self) -> str:
        """What may be wrong with the URL."""
        return "" if _VERSION.search(self.endpoint.url) else f"; most servers are at {self.endpoint.url}/v1"

    def _refusal(self, path: str, status: int, content: bytes) -> Refused:
        """The server's message about a request, and what may be wrong with it."""
        hint, url = "", self.endpoint.url
        if status in (404, 405) and self._where:
            hint = self._where
        elif status == 413:
            hint = "; pictures are sent smaller with `longest`"
        elif status == 404 and self.served:
            few = ", ".join(self.served[:5]) + (", …" if len(self.served) > 5 else "")
            hint = f"; it serves {shorten_text(few)}"
        message = _server_message(content)
        return Refused(f"{url}/{path} said {status}: {message}{hint}", message)


def _decoded(content: bytes) -> Any:
    """JSON, also behind a byte order mark, or with half of a sign in it."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return _decode(content)
    except msgspec.DecodeError:
        return _decode(_LONE.sub(rb"\\ufffd", content))


def _error_within(reply: Any) -> int | None:
    """The code of an error that a gateway sends as if it were a reply, 0 where it has none; None where none is sent."""
    if not isinstance(reply, dict) or not reply.get("error") or reply.get("choices"):
        return None
    code = reply["error"].get("code") if isinstance(reply["error"], dict) else None
    return code if isinstance(code, int) else 0


def _retry_after(text: str | None) -> float | None:
    """The seconds that a server asks to wait, given as such or as a moment."""
    if not text:
        return None
    if text.strip().isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _server_message(content: bytes) -> str:
    """A server's message about a request that it refuses, in one short line."""
    text = content[:2000].decode(errors="replace")
    if _HTML.match(content):
        title = _TITLE.search(content)
        about = " ".join(title[1].decode(errors="replace").split()) if title else ""
        return f"a web page called {shorten(about)}" if about else "a web page"
    try:
        document = _decode(content)
        # Some servers use FastAPI's `detail`.
        error = document["error"] if "error" in document else document["detail"]
        text = error["message"] if isinstance(error, dict) else str(error)
    except (msgspec.DecodeError, KeyError, TypeError):
        pass
    return shorten(" ".join(str(text).split()), 200) if str(text).strip() else "nothing"
