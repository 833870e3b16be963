"""Where a model is asked: a URL that may be trusted with a key, and the key, which nothing ever prints.

A URL must be https, unless its host is this machine or insecurity is asked for. Redirects are not followed: a key goes
to the host that was named and to no other.
"""

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from voirdire.errors import UsageError

LOCAL = ("localhost", "localhost.localdomain")


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


def key_from(variable: str | None) -> Secret | None:
    """The key that an environment variable holds; None where no variable is named."""
    if not variable:
        return None
    text = os.environ.get(variable, "").strip()
    if not text:
        raise UsageError(f"`key` names the environment variable {variable}, which is not set; set it to the key")
    if not text.isascii() or not text.isprintable():
        raise UsageError(
            f"the environment variable {variable} holds characters that no key has; set it to the key alone"
        )
    return Secret(text)


def bearer(key: str) -> Mapping[str, str]:
    """The header with a key that most endpoints ask for."""
    return {"Authorization": f"Bearer {key}"}


@dataclass(frozen=True)
class Endpoint:
    """Where requests go.

    url   up to the version, as https://host/v1
    key   what it asks for; None where it asks for none
    sign  the headers that carry a key
    """

    url: str
    key: Secret | None = None
    sign: Callable[[str], Mapping[str, str]] = bearer

    @classmethod
    def at(
        cls,
        url: str,
        key: Secret | None = None,
        insecure: bool = False,
        sign: Callable[[str], Mapping[str, str]] = bearer,
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
        if parts.query or parts.fragment:
            raise UsageError(f"`model` must name a URL without ? and #, got {url!r}")
        if parts.scheme == "http" and not insecure and not is_loopback(host):
            raise UsageError(f"`model` at {host} must be https, got http; ask for `insecure` where you trust the way")
        return cls(url.rstrip("/"), key, sign)

    @property
    def headers(self) -> dict[str, str]:
        """What every request carries."""
        plain = {"Content-Type": "application/json", "Accept": "application/json"}
        return {**plain, **self.sign(self.key.reveal())} if self.key else plain


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host.lower() in LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
