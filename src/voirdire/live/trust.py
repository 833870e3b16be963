"""What a config may not decide alone: which secrets go to a host, and how requests get there.

    VARIABLE@HOST        the value of an environment variable is sent to the host, as its key or in a header
    proxy:URL@HOST       requests to the host go through a proxy
    ca:DIGEST@HOST       certificates that are signed by those of a file are taken for the host's
    body:DIGEST@HOST     fields are added to every request
    header:DIGEST@HOST   a header is added to every request
    ray@HOST             work and data go to a cluster of this kind

Configs are passed around, and whoever runs one need not have read it. So each of these is *granted*: by the call that
names it, or once by the user, which is remembered outside of any config's folder. A host is written with its port where
that is not the usual one, and with http:// where the way to it is not encrypted. A model of a provider that takes no
URL stands in the host's place itself.
"""

import hashlib
import os
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from voirdire.atomic import atomic_path, unwritten
from voirdire.bounded import Undecodable, decode
from voirdire.errors import UsageError, shorten_text
from voirdire.live.endpoint import check_variable, header_from, header_variables, is_loopback
from voirdire.live.settings import LiveOptions

USUAL = {"https": 443, "http": 80}
REMEMBERED = "trusted.json"


@dataclass(frozen=True)
class Wish:
    """Something that needs a grant.

    option  the option that asks for it
    what    the grant without its host
    host    where it is for
    does    what it would do, in words
    """

    option: str
    what: str
    host: str
    does: str

    @property
    def grant(self) -> str:
        """As users write it: `VARIABLE@HOST`."""
        return f"{self.what}@{self.host}"

    @property
    def is_secret(self) -> bool:
        """Whether the value of a variable is sent."""
        return ":" not in self.what


def host_of(spec: str) -> str:
    """The host of a model's URL; the whole name of a model without one, or with one in other letters."""
    try:
        parts = urlsplit(spec.rpartition("@")[2])
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return spec
    if parts.scheme not in USUAL or not host:
        return spec
    if not host.isascii():
        # Letters of other alphabets look like those of a host that is known, and there are several ways to spell them.
        return spec.encode("unicode_escape").decode()
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != USUAL[parts.scheme]:
        host += f":{port}"
    return f"http://{host}" if parts.scheme == "http" and not is_loopback(parts.hostname or "") else host


def wishes(options: LiveOptions) -> list[Wish]:
    """What a model's options need grants for."""
    host = host_of(options.model)
    asked = [_variable("key", options.key, host)] if options.key else []
    for header in options.header:
        if variables := header_variables([header]):
            asked += [_variable("header", variable, host) for variable in variables]
        else:
            header_from(header)  # One that looks like a secret is not shown.
            does = f"send the header {shorten_text(header)} to {host}"
            asked.append(Wish("header", f"header:{_digest(header)}", host, does))
    if options.extra_body:
        does = f"add {shorten_text(options.extra_body)} to every request to {host}"
        asked.append(Wish("extra_body", f"body:{_digest(options.extra_body)}", host, does))
    if options.proxy:
        asked.append(Wish("proxy", f"proxy:{options.proxy}", host, f"reach {host} through the proxy {options.proxy}"))
    if options.ca:
        what = f"ca:{_digest(_content(options.ca))}"
        asked.append(Wish("ca", what, host, f"take the certificates in {options.ca} for {host}'s"))
    return asked


def _variable(option: str, variable: str, host: str) -> Wish:
    check_variable(variable, option)
    return Wish(option, variable, host, f"send the value of the environment variable {variable} to {host}")


def _digest(content: str | bytes) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:16]


def _content(path: str) -> bytes:
    if not Path(path).is_file():
        raise UsageError(f"`ca`: {path} is no file; name one with certificates (PEM)")
    return Path(path).read_bytes()


def ungranted(asked: Iterable[Wish], granted: Collection[str]) -> list[Wish]:
    """Those that neither the call nor the user has granted, each once."""
    known = {*granted, *remembered()}
    return list({wish.grant: wish for wish in asked if wish.grant not in known}.values())


def without_secrets(options: LiveOptions, first: str) -> tuple[LiveOptions, list[str]]:
    """The options of a second model without the secrets of the first that may not go to its host, and their grants."""
    if host_of(options.model) == host_of(first):
        return options, []
    withheld = ungranted((wish for wish in wishes(options) if wish.is_secret), options.trust)
    refused = {wish.what for wish in withheld}
    key = None if options.key in refused else options.key
    headers = tuple(header for header in options.header if not refused & {*header_variables([header])})
    return replace(options, key=key, header=headers), [wish.grant for wish in withheld]


def place() -> Path:
    """The file in which grants are remembered, in the user's folder for configurations."""
    from platformdirs import user_config_path

    return user_config_path("voirdire", appauthor=False) / REMEMBERED


def remembered() -> list[str]:
    """The grants of earlier calls; a file that others may write to is refused."""
    path = place()
    try:
        about = path.stat()
        if os.name != "nt" and (about.st_uid != os.getuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            raise UsageError(f"{path}: others may write to it, so it grants nothing; make it yours alone, or remove it")
        return decode(path.read_bytes(), list[str])
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; it has the grants of earlier calls") from None
    except Undecodable as error:
        raise UsageError(f"{path}: {error}, where grants are remembered; remove it") from None


def remember(grants: Iterable[str]) -> None:
    """Keep grants for later calls, in a file that its owner alone reads."""
    path = place()
    every = sorted({*remembered(), *grants})
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise unwritten(path, error) from None
    with atomic_path(path) as partial:
        partial.chmod(0o600)
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(every), indent=2) + b"\n")
