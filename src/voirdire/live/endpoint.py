"""Where a model is asked: a URL that may be trusted with a key, and the key, which nothing ever prints.

A URL must be https, unless its host is this machine or insecurity is asked for. Redirects are not followed: a key goes
to the host that was named and to no other. What a server sends back is masked before anything else sees it: a key in
it, also one that is written in escapes of JSON, URLs or HTML, in base64, or broken into lines, becomes a few stars.

    https://host/v1                                                         and what is asked below it
    https://NAME.openai.azure.com/openai/deployments/D?api-version=V        Azure: its key goes into the header api-key
"""

import base64
import ipaddress
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote, urlsplit

from voirdire.errors import UsageError, shorten

LOCAL = ("localhost", "localhost.localdomain")
SHORTEST = 8
"""Characters that a secret has at least: shorter ones, as local servers take them, are words that replies may have."""
MASK = b"****"
VARIABLE = "env:"
"""What stands before the environment variable that a header's value is taken from."""
_PLAIN = re.compile(r"[!-\[\]_a-z~]+")
"""A URL that all who read it take for the same: libraries part or spell others in different ways."""
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SECRET_NAME = re.compile(r"key|token|secret|auth|password|cookie|credential|signature", re.IGNORECASE)
_OURS = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept", "accept-encoding"}
)
"""Headers that a request has anyhow."""


class Secret:
    """A key; its text is given to the client alone."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> "str":
        raise TypeError("a key is not pickled")


def key_from(variable: str | None, option: str = "key") -> Secret | None:
    """The key that an environment variable holds; None where no variable is named."""
    if not variable:
        return None
    check_variable(variable, option)
    text = os.environ.get(variable, "").strip()
    if not text:
        raise UsageError(f"`{option}` names the environment variable {variable}, which is not set; set it to the key")
    if not text.isascii() or not text.isprintable():
        raise UsageError(
            f"the environment variable {variable} holds characters that no key has; set it to the key alone"
        )
    return Secret(text)


def check_variable(name: str, option: str) -> None:
    """Refuse what is no name of an environment variable, and do not print it: it may be the key itself."""
    if not name.isidentifier() or not name.isascii():
        raise UsageError(
            f"`{option}` must name an environment variable, which holds the key; what was given is no such name, and "
            "is not shown here"
        )


def bearer(key: str) -> Mapping[str, str]:
    """The header with a key that most endpoints ask for."""
    return {"Authorization": f"Bearer {key}"}


def header_from(text: str) -> tuple[str, str | Secret]:
    """A header of `NAME=VALUE`, or of `NAME=env:VARIABLE`, whose value is a secret."""
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals or not _HEADER.fullmatch(name):
        raise UsageError(f"`header` must be NAME=VALUE or NAME={VARIABLE}VARIABLE, got {shorten(name)}")
    if name.lower() in _OURS:
        raise UsageError(f"`header` must not set {name}: every request has its own")
    if value.startswith(VARIABLE):
        secret = key_from(value.removeprefix(VARIABLE), "header")
        if secret is None:
            raise UsageError(f"`header` {name} names no environment variable after {VARIABLE}")
        return name, secret
    if _SECRET_NAME.search(name):
        raise UsageError(
            f"`header` {name} looks like a secret; put it into an environment variable: {name}={VARIABLE}VARIABLE"
        )
    if not value.isascii() or not value.isprintable():
        raise UsageError(f"`header` {name} must have printable ASCII characters")
    return name, value


def _proxy_from(text: str, encrypted: bool) -> Secret:
    """The URL of a proxy, given as such or as `env:VARIABLE`."""
    secret = key_from(text.removeprefix(VARIABLE), "proxy") if text.startswith(VARIABLE) else Secret(text)
    try:
        parts = urlsplit(secret.reveal()) if secret is not None else None
        host = parts.hostname if parts is not None and parts.port != 0 else None
    except ValueError:
        host = None
    if secret is None or parts is None or parts.scheme not in ("http", "https") or not host:
        raise UsageError("`proxy` must be a URL as http://HOST:PORT, or env:VARIABLE that holds one")
    if parts.password and not text.startswith(VARIABLE):
        raise UsageError("`proxy` has a password; put the URL into an environment variable: env:VARIABLE")
    if not encrypted and not is_loopback(host):
        raise UsageError(f"`proxy` at {host} would see all that is sent to an http URL; ask for `insecure` to allow it")
    return secret


def header_variables(headers: Iterable[str]) -> list[str]:
    """The environment variables that headers take their values from."""
    values = (text.partition("=")[2] for text in headers)
    return [value.removeprefix(VARIABLE) for value in values if value.startswith(VARIABLE)]


@dataclass(frozen=True)
class Endpoint:
    """Where requests go.

    url      up to the version, as https://host/v1
    key      what it asks for; None where it asks for none
    sign     the headers that carry a key
    query    what stands after the path of every request: Azure's api-version
    further  headers beside
    proxy    the URL of a proxy on the way there
    ca       a file of certificates that may sign the host's, beside those that this machine knows
    """

    url: str
    key: Secret | None = None
    sign: Callable[[str], Mapping[str, str]] = bearer
    query: str = ""
    further: tuple[tuple[str, str | Secret], ...] = ()
    proxy: Secret | None = None
    ca: str | None = None

    @classmethod
    def at(
        cls,
        url: str,
        key: Secret | None = None,
        insecure: bool = False,
        sign: Callable[[str], Mapping[str, str]] = bearer,
        headers: Sequence[str] = (),
        proxy: str | None = None,
        ca: str | None = None,
    ) -> "Endpoint":
        """The endpoint of a URL; UsageError where it cannot be asked, or not safely."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise UsageError(f"`model` names no URL, got {url!r}: {error}") from None
        if parts.scheme not in ("http", "https") or not host or port == 0:
            raise UsageError(f"`model` must name a URL as https://host/v1, got {url!r}")
        if parts.username or parts.password:
            raise UsageError("`model` names a URL with a password; put the key into an environment variable")
        if not _PLAIN.fullmatch(url):
            raise UsageError(f"`model` must name a URL of plain ASCII characters (a host as xn--…), got {url!a}")
        if parts.fragment or (parts.query and not re.fullmatch(r"api-version=[\w.-]+", parts.query)):
            raise UsageError(
                f"`model` must name a URL without ? and #, but for ?api-version=VERSION, got "
                f"{re.split('[?#]', url)[0]!r} and more; a key belongs into an environment variable"
            )
        if parts.scheme == "http" and not insecure and not is_loopback(host):
            raise UsageError(f"`model` at {host} must be https, got http; ask for `insecure` where you trust the way")
        url = url.partition("?")[0]
        further = tuple(map(header_from, headers))
        through = None if proxy is None else _proxy_from(proxy, parts.scheme == "https" or insecure)
        return cls(url.rstrip("/"), key, sign, parts.query, further, through, ca)

    def below(self, path: str) -> str:
        """The URL of what is asked."""
        return f"{self.url}/{path}" + (f"?{self.query}" if self.query else "")

    @property
    def name(self) -> str:
        """The URL as it was given."""
        return self.url + (f"?{self.query}" if self.query else "")

    @property
    def headers(self) -> dict[str, str]:
        """What every request carries."""
        plain = {"Content-Type": "application/json", "Accept": "application/json"}
        own = self.sign(self.key.reveal()) if self.key else {}
        if self.key and self.query and "Authorization" in own:
            own = {"api-key": self.key.reveal()}
        return {**plain, **own, **{name: _revealed(value) for name, value in self.further}}

    @property
    def headers_shown(self) -> str:
        """The headers that were asked for, for signatures; of secrets the names alone."""
        return ", ".join(
            name if isinstance(value, Secret) else f"{name}={value}" for name, value in sorted(self.further, key=str)
        )

    @cached_property
    def _secrets(self) -> re.Pattern[bytes] | None:
        texts = {value.reveal() for value in (self.key, *(value for _, value in self.further)) if type(value) is Secret}
        texts |= set() if self.proxy is None else {unquote(urlsplit(self.proxy.reveal()).password or "")}
        long = [text for text in sorted(texts, key=len, reverse=True) if len(text) >= SHORTEST]
        spelled = [*map(_spelled, long), *(re.escape(form) for text in long for form in _in_base64(text))]
        return re.compile(b"|".join(spelled)) if spelled else None

    def masked(self, data: bytes) -> bytes:
        """What came from the server, without the secrets that it was sent."""
        return data if self._secrets is None else self._secrets.sub(MASK, data)

    def masked_text(self, text: str) -> str:
        """The same for a text that was put together of parts."""
        if self._secrets is None or not text:
            return text
        return self.masked(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def _revealed(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _spelled(secret: str) -> bytes:
    """The pattern of a secret: each character as it is or in escapes, with lines or zeros (UTF-16) between."""
    signs = [
        rb"(?:\\{0,8}%b|(?i:\\{1,8}u00%02x|%%%02x|&#x0{0,6}%x;|&#0{0,6}%d;))"
        % (re.escape(sign.encode()), ord(sign), ord(sign), ord(sign), ord(sign))
        for sign in secret
    ]
    return rb"(?:[\0\r\n\t]|\\{1,8}[nrt]){0,4}".join(signs)


def _in_base64(secret: str) -> set[bytes]:
    """What base64 makes of a secret, wherever it stands in what is encoded: the characters that it alone decides."""
    forms: set[bytes] = set()
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + secret.encode())
        form = encoded[-(-8 * before // 6) : 8 * (before + len(secret)) // 6]
        forms |= {form, form.translate(bytes.maketrans(b"+/", b"-_"))}
    return forms


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host.lower() in LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
