"""Ask an endpoint: bounded connections, time-outs, retries, and limits on requests and tokens per minute.

What may get better by itself is tried again: 408, 409, 425, 429 and 5xx, broken connections, time-outs, replies that
are no JSON or no reply or too large, errors that are sent with the status of a reply. The wait is what the server asks
for (Retry-After), else it doubles from half a second on, each time a random share of it, so that many connections do
not come back at one moment. A server that says that it is loading is waited for, and that is no try. What cannot get
better (400, 401, 404, …) fails at once with the server's message. A redirect is not followed.

Nothing is read without bounds, and the secrets that were sent are masked in it first.
"""

import asyncio
import codecs
import contextlib
import logging
import re
import ssl
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from random import Random
from time import monotonic
from types import TracebackType
from typing import Any

from voirdire.bounded import ENCODINGS, LARGEST, Body, Undecodable, decode
from voirdire.errors import MissingExtra, UsageError, VoirDireError, shorten
from voirdire.figures import counted
from voirdire.live import server_errors
from voirdire.live.endpoint import Endpoint
from voirdire.live.server_errors import ServerError, error_within, read_error

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
NO_JSON, NO_REPLY, LOADING = "no JSON", "error in place of a reply", "loading"
LOOK_AGAIN = 10.0
"""Most seconds until a server that is loading is asked again."""
GREETINGS = 4
"""How often a server is looked for before the first request."""
_LONE = re.compile(rb"\\u[dD][89abAB]\w\w(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]\w\w)\\u[dD][c-fC-F]\w\w")
"""Half of a sign of two parts, which a reply ends with where the limit of tokens cut through an emoji."""
_HINTS = {
    "time-out": "; `timeout` gives it longer",
    "429": "; `connections` and `requests_per_minute` ask for less at once",
}
"""What helps, by the kind of what happened at the last try."""
_VERSION = re.compile(r"/v\d[^/]*(?:/openai)?$|/deployments/[^/]+$")


class Refused(VoirDireError):
    """The endpoint does not take such a request, so it is not sent again.

    error  what the server says
    kind   of an item's own refusal, what it is
    """

    def __init__(self, message: str, error: ServerError | None = None) -> None:
        self.error = error or ServerError(0, message, message)
        self.kind = self.error.kind
        super().__init__(message)


class Unanswered(VoirDireError):
    """No usable reply came after all tries; `kind` says why the last try failed, `error` what the server said."""

    def __init__(self, kind: str, message: str, error: ServerError | None = None) -> None:
        self.kind = kind
        self.error = error or ServerError(0)
        super().__init__(message)


@dataclass(frozen=True)
class Limits:
    """Limits on the requests to an endpoint.

    connections  concurrent requests
    timeout      seconds to wait for a whole reply
    tries        most tries per request
    requests     per minute; 0 for no limit
    tokens       per minute, sent and received; 0 for no limit
    wait         seconds to wait for a server that is loading
    """

    connections: int = 8
    timeout: float = 120.0
    tries: int = 6
    requests: int = 0
    tokens: int = 0
    wait: float = 300.0


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
        for library in ("httpx2", "httpcore2"):
            # They write down what a server sends before it is masked.
            logging.getLogger(library).setLevel(logging.WARNING)
        _check_urls(self.endpoint)
        self._http = httpx2.AsyncClient(
            headers={"Accept-Encoding": ENCODINGS, **self.endpoint.headers},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            timeout=httpx2.Timeout(self.limits.timeout, pool=None),
            limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=60),
            follow_redirects=False,
            trust_env=False,
            proxy=None if self.endpoint.proxy is None else self.endpoint.proxy.reveal(),
            verify=True if self.endpoint.ca is None else _context(self.endpoint.ca),
        )
        # What a server writes into its head may also be no number, or no text.
        self._broken = (httpx2.HTTPError, httpx2.StreamError, OSError, ValueError)
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
        number, waited = 1, 0.0
        while True:
            try:
                async with asyncio.timeout(min(self.limits.timeout, 10)):
                    status, content, retry_after = await self._exchange("GET", "models")
            except (TimeoutError, self._late, Undecodable):
                return  # It may be busy: a request has all the time that it was given.
            except self._broken as error:
                if number == GREETINGS:
                    kind = type(error).__name__
                    raise Refused(f"nobody answers at {self.endpoint.name} ({kind}); {self._doubt(error)}") from None
                await self.clock(self._wait(number))
                number += 1
                continue
            if status == 200:
                break
            error_ = read_error(status, content, retry_after)
            if status in (401, 403, 407):
                raise self._refusal("models", error_)
            if not error_.is_loading:
                return
            self.faults[LOADING] += 1
            self.note(LOADING)
            waited += await self._wait_for_loading(error_, waited)
        with contextlib.suppress(Undecodable, KeyError, TypeError):
            self.served = tuple(str(model["id"])[:200] for model in decode(content)["data"])

    def _doubt(self, error: Exception) -> str:
        """What may be wrong where nobody answers."""
        if "CERTIFICATE" in str(error):
            return "name the file of a company's own certificates with `ca`, or is this another server?"
        if self.endpoint.proxy is None:
            return "is the server running? A proxy on the way is named with `proxy`"
        return f"is the proxy the right one ({shorten(self.endpoint.masked_text(str(error)))}), and the server running?"

    async def post(
        self, path: str, body: bytes, tokens: int = 0, wrong: Callable[[Any], str] = lambda reply: ""
    ) -> Any:
        """The decoded reply to a request; Refused or Unanswered where there is none.

        tokens  how many the request and its reply may have, for the limit per minute
        wrong   what is wrong with a reply, so that it is tried again; empty where it is of use
        """
        async with self._gate:
            number, waited = 0, 0.0
            while True:
                await self._keep_pace(tokens)
                kind, reply, error = await self._once(path, body, wrong)
                if not kind:
                    return reply
                self.faults[kind] += 1
                self.note(kind)
                if kind == LOADING:
                    waited += await self._wait_for_loading(error, waited)
                    continue
                number += 1
                if number == self.limits.tries:
                    break
                await self.clock(self._wait(number) if error.wait is None else min(error.wait, LONGEST_WAIT))
        tried = counted(self.limits.tries, "try", "tries")
        detail = f": {error.message}" if error.words or error.message != "nothing" else ""
        hint = self._where if kind in (NO_JSON, NO_REPLY) else _HINTS.get(kind, "")
        message = f"{self.endpoint.name} gave no reply in {tried}; the last time: {kind}{detail}{hint}"
        raise Unanswered(kind, message, error)

    async def _wait_for_loading(self, error: ServerError, waited: float) -> float:
        """Wait for a server that is loading; for how long that was."""
        left = self.limits.wait - waited
        if left <= 0:
            raise Refused(
                f"{self.endpoint.name} is still loading after {self.limits.wait:g} seconds: {error.message}; wait "
                "longer for it with `wait`"
            )
        pause = min(left, LOOK_AGAIN, max(FIRST_WAIT, 1.0 if error.wait is None else error.wait))
        await self.clock(pause)
        return pause

    async def _keep_pace(self, tokens: int) -> None:
        wait = max(self._requests.wait(1), self._tokens.wait(tokens))
        if wait:
            await self.clock(wait)

    def _wait(self, number: int) -> float:
        """Seconds before the next try: a random share of a time that doubles."""
        return self._chance.uniform(0.5, 1) * min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (number - 1))

    async def _exchange(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes, str | None]:
        """Send one request: the status, the body without secrets, and what the server says about waiting."""
        self.sent += 1
        async with self._http.stream(method, self.endpoint.below(path), content=body) as response:
            is_reply = response.status_code == 200
            most = LARGEST if is_reply else server_errors.LARGEST
            encoding = self.endpoint.masked_text(response.headers.get("content-encoding", ""))
            packed = Body(encoding, most, cut=not is_reply)
            async for piece in response.aiter_raw():
                packed.add(piece)
                if packed.full:
                    break
            return response.status_code, self.endpoint.masked(packed.data), response.headers.get("retry-after")

    async def _once(self, path: str, body: bytes, wrong: Callable[[Any], str]) -> tuple[str, Any, ServerError]:
        """The result of one try: an empty fault and the reply, or the kind of fault and the server's message."""
        try:
            async with asyncio.timeout(self.limits.timeout):
                status, content, retry_after = await self._exchange("POST", path, body)
        except (TimeoutError, self._late):
            return "time-out", None, ServerError(0)
        except Undecodable as error:
            return error.kind, None, ServerError(0)
        except self._broken as error:
            return f"connection ({type(error).__name__})", None, ServerError(0)
        if 300 <= status < 400:
            raise Refused(f"{self.endpoint.url} leads elsewhere ({status}), where no key is sent; name the URL itself")
        if status != 200:
            return self._fault(path, str(status), read_error(status, content, retry_after))
        try:
            reply = _decoded(content)
        except Undecodable as error:
            return error.kind.partition(" (")[0], None, read_error(status, content)
        if (code := error_within(reply)) is None:
            kind = wrong(reply)
            return (kind, None, read_error(status, content)) if kind else ("", reply, ServerError(0))
        kind = f"error {code}" if code else NO_REPLY
        return self._fault(path, kind, read_error(code, content, retry_after))

    def _fault(self, path: str, kind: str, error: ServerError) -> tuple[str, None, ServerError]:
        """An error that may get better, and its kind; raises Refused for any other."""
        if error.is_loading:
            return LOADING, None, error
        if error.gets_better or not (error.status or error.kind or error.takes_no_pictures):
            return kind, None, error
        raise self._refusal(path, error)

    @property
    def _where(self) -> str:
        """What may be wrong with the URL."""
        return "" if _VERSION.search(self.endpoint.url) else f"; most servers are at {self.endpoint.url}/v1"

    def _refusal(self, path: str, error: ServerError) -> Refused:
        """The server's message about a request, and what helps."""
        hint = error.hint(self.endpoint.key is not None, self.served, self._where)
        said = f"said {error.status}" if error.status else f"sent an {NO_REPLY}"
        return Refused(f"{self.endpoint.below(path)} {said}: {error.message}{hint}", error)


def _check_urls(endpoint: Endpoint) -> None:
    """Refuse URLs that the client does not take, beside those that `Endpoint` refuses."""
    import httpx2

    for option, url in (("model", endpoint.url), ("proxy", endpoint.proxy.reveal() if endpoint.proxy else "")):
        try:
            httpx2.URL(url)
        except (httpx2.InvalidURL, ValueError) as error:
            # Of a proxy's URL, which may have a password, nothing is shown.
            why = f": {error}" if option == "model" else ""
            raise UsageError(f"`{option}` names no URL that can be asked{why}") from None


def _context(ca: str) -> ssl.SSLContext:
    """What checks certificates, with those of a file beside those that are known."""
    import httpx2

    context = httpx2.create_ssl_context(trust_env=False)
    if not Path(ca).is_file():
        raise UsageError(f"`ca`: {ca} is no file; name one with certificates (PEM)")
    try:
        context.load_verify_locations(cafile=ca)
    except (OSError, ValueError) as error:
        raise UsageError(f"`ca`: {ca} has no certificates (PEM): {getattr(error, 'reason', None) or error}") from None
    return context


def _decoded(content: bytes) -> Any:
    """JSON, also behind a byte order mark, or with half of a sign in it."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return decode(content)
    except Undecodable:
        if not _LONE.search(content):
            raise
        return decode(_LONE.sub(rb"\\ufffd", content))
