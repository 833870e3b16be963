"""The way to an endpoint: through a proxy, and with certificates of a company's own; never by the environment alone."""

import asyncio
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from scripted import chat, serving

from voirdire.errors import UsageError
from voirdire.live.client import Client, Limits, Refused
from voirdire.live.endpoint import Endpoint, Secret

KEY = "sk-planted-4711"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of a server that no machine knows, with its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl, to make a certificate")
    folder = tmp_path_factory.mktemp("certificates")
    made = ["-subj", "/CN=company", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "ca.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *made, *files]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture
def tls(authority: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "ca.pem", authority / "key.pem")
    return context


class Proxy:
    """Connects through, and keeps what it is told and what it sees."""

    def __init__(self) -> None:
        self.url = ""
        self.heads: list[str] = []
        self.seen = b""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        if not head.startswith("CONNECT"):
            writer.write(b"HTTP/1.1 407 no\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
        host, _, port = head.split()[1].rpartition(":")
        there, out = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(self.pass_on(reader, out), self.pass_on(there, writer))

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            self.seen += data
            writer.write(data)
        writer.close()


@contextmanager
def a_proxy() -> Iterator[Proxy]:
    proxy, loop, ready = Proxy(), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
        proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    yield proxy
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


def ask(endpoint: Endpoint) -> str:
    async def go() -> str:
        async with Client(endpoint, Limits(tries=1, timeout=10)) as client:
            await client.greet()
            reply = await client.post("chat/completions", b"{}")
            return str(reply["choices"][0]["message"]["content"])

    return asyncio.run(go())


def test_a_companys_certificate_is_taken_where_it_is_named_and_nowhere_else(
    authority: Path, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority / "ca.pem"))
    with serving(lambda *_: chat("yes"), tls=tls) as server:
        assert ask(Endpoint.at(server.url, Secret(KEY), ca=str(authority / "ca.pem"))) == "yes"
        with pytest.raises(Refused, match="name the file of a company's own certificates with `ca`"):
            ask(Endpoint.at(server.url, Secret(KEY)))


@pytest.mark.parametrize("content", [None, b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_a_file_without_certificates_is_refused_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "ca.pem").write_bytes(content)
    with pytest.raises(UsageError, match=r"`ca`: .*ca\.pem (is no file|has no certificates)") as caught:
        ask(Endpoint.at("https://127.0.0.1:9/v1", ca=str(tmp_path / "ca.pem")))
    assert "\n" not in str(caught.value)


def test_a_proxy_sees_neither_the_key_nor_what_is_asked(authority: Path, tls: ssl.SSLContext) -> None:
    with serving(lambda *_: chat("a secret reply"), tls=tls) as server, a_proxy() as proxy:
        endpoint = Endpoint.at(server.url, Secret(KEY), proxy=proxy.url, ca=str(authority / "ca.pem"))
        assert ask(endpoint) == "a secret reply"
        assert all(headers["authorization"] == f"Bearer {KEY}" for _, headers, _ in server.seen)
    assert proxy.heads
    assert all(head.startswith("CONNECT 127.0.0.1:") for head in proxy.heads)
    assert KEY not in "".join(proxy.heads)
    assert KEY.encode() not in proxy.seen
    assert b"a secret reply" not in proxy.seen


def test_the_environments_proxies_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda *_: chat("yes")) as server, a_proxy() as proxy:
        for name in ("http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert ask(Endpoint.at(server.url, Secret(KEY))) == "yes"
        assert proxy.heads == []


@pytest.mark.parametrize(
    ("url", "proxy", "why"),
    [
        ("https://h.example/v1", "proxy.example", "must be a URL as http://HOST:PORT"),
        ("https://h.example/v1", "socks5://proxy.example:1080", "must be a URL as http://HOST:PORT"),
        ("https://h.example/v1", "http://proxy.example:99999", "must be a URL as http://HOST:PORT"),
        ("https://h.example/v1", "http://me:password1@proxy.example:3128", "has a password; put the URL into"),
        ("https://h.example/v1", "env:", "must be a URL as http://HOST:PORT, or env:VARIABLE"),
        ("https://h.example/v1", "env:NOT_SET", "names the environment variable NOT_SET, which is not set"),
        ("http://127.0.0.1:8000/v1", "http://proxy.example:3128", "would see all that is sent to an http URL"),
    ],
)
def test_a_proxy_that_cannot_be_or_must_not_be_is_refused(url: str, proxy: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"`proxy`.*{why}") as caught:
        Endpoint.at(url, Secret(KEY), proxy=proxy)
    assert "password1" not in str(caught.value)


def test_a_proxys_password_comes_from_a_variable_and_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANY_PROXY", "http://me:pass%20word-1@127.0.0.1:9")
    endpoint = Endpoint.at("https://127.0.0.1:9/v1", proxy="env:COMPANY_PROXY")
    assert endpoint.masked(b"you sent pass word-1") == b"you sent ****"
    assert "word-1" not in repr(endpoint)
    with pytest.raises(Refused, match="is the proxy the right one") as caught:
        ask(endpoint)
    assert "word-1" not in str(caught.value)
