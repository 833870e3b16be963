"""Serve a study from this machine: uvicorn on one address, one process at a time.

The loopback address is the default, and the only one on which people may be let in without a link. Others can read and
change what goes over a network unencrypted, so a study for people elsewhere stays on the loopback address behind a
server with TLS, or on a trusted network.
"""

import contextlib
import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from voirdire.atomic import lock_folder
from voirdire.errors import MissingExtra, OutputError, UsageError
from voirdire.study.database import JudgedStore
from voirdire.study.folder import OpenedStudy

if TYPE_CHECKING:
    import uvicorn

DEFAULT_PORT = 8377
MOST_CONNECTIONS = 1_000
LOCK = "serving.lock"
BACKLOG = 2_048
LOOK, LINGER = 2.0, 60.0
"""Seconds between two looks at whether all is done, and from then until the server stops."""


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def url_host(host: str) -> str:
    """An address as links have it."""
    return f"[{host}]" if ":" in host else host


def serve_study(
    study: OpenedStudy,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    open: bool = False,
    until_done: bool = False,
    announce: Callable[[str], None] = lambda line: None,
) -> None:
    """Serve until the process is stopped, or every task has its judges; `announce` is called with the address."""
    try:
        import uvicorn

        from voirdire.study.app import make_app
        from voirdire.study.connections import BoundedConnection
    except ImportError:
        raise MissingExtra("`voirdire study serve`", "study") from None
    if open and not is_loopback(host):
        raise UsageError(f"`open` lets in anybody who comes, so it is for this machine alone; `host` is {host}")
    store = JudgedStore(study)
    invited = sum(not person.revoked for person in store.read().people)
    store.close()
    if not open and not invited:
        raise UsageError(
            "nobody is invited yet: `voirdire study invite` makes links, or let in `open`, on this machine alone"
        )
    try:
        lock = lock_folder(study.folder, LOCK)
    except OSError as error:
        raise OutputError(
            str(study.folder), f"{error.strerror or error}; a study is served from a folder to write to"
        ) from None
    with lock, _bound(host, port) as bound:
        config = uvicorn.Config(
            make_app(study, open),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            http=BoundedConnection,
            ws="none",
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=5,
        )
        address = f"http://{url_host(host)}:{bound.getsockname()[1]}/"
        announce(f"{study.about.exam}: {len(study.tasks):,} tasks at {address}")
        with contextlib.suppress(KeyboardInterrupt):
            server = uvicorn.Server(config)
            if until_done:
                threading.Thread(target=_stop_when_done, args=(study, server), daemon=True).start()
            server.run(sockets=[bound])


def _stop_when_done(study: OpenedStudy, server: "uvicorn.Server") -> None:
    """Stop the server a minute after the last judgement, so that whoever gave it sees their code."""
    store = JudgedStore(study)
    began = True
    while not server.should_exit:
        if min(store.taken()) >= study.about.judges:
            time.sleep(0 if began else LINGER)
            server.should_exit = True
            break
        began = False
        time.sleep(LOOK)
    store.close()


def _bound(host: str, port: int) -> socket.socket:
    try:
        # With its protocol named, connections wait for no acknowledgement before they send the rest of an answer.
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"`host`: {host} is no address of this machine ({error})") from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        # From here on requests wait, though nobody takes them yet.
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise UsageError(f"`port`: nothing can be served at {host}:{port} ({error.strerror})") from None
    return bound
