"""The client against a server that misbehaves: what is tried again, what fails at once, and how hard it asks."""

import asyncio
import email.utils
import logging
import time
from pathlib import Path

import pytest
from scripted import Answer, chat, serving

from voirdire.errors import UsageError
from voirdire.live.client import Client, Limits, Refused, Unanswered
from voirdire.live.endpoint import Endpoint, Secret, key_from

KEY = "sk-planted-4711"


class Clock:
    """Waits for nothing and remembers for how long it was asked to."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


def ask(url: str, times: int = 1, clock: Clock | None = None, key: str = KEY, **limits: float) -> tuple[list, Client]:
    """Ask so many times at once; the replies or errors, and the client."""
    client = Client(Endpoint.at(url, Secret(key)), Limits(**limits), clock=clock or Clock())

    async def go() -> list:
        async with client:
            calls = [client.post("chat/completions", b'{"n": %d}' % number, tokens=10) for number in range(times)]
            return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(go()), client


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Answer(status=500), "500"),
        (Answer(status=503), "503"),
        (Answer(b"no json"), "no JSON"),
        (Answer(b"\xff\xfe"), "no JSON"),
        (Answer(b'{"half": "of a re', headers={"Content-Length": "500"}, cut=120), "connection (RemoteProtocolError)"),
        (Answer(b"", cut=0), "connection (RemoteProtocolError)"),
        (Answer(after=5.0), "time-out"),
    ],
)
def test_what_may_get_better_is_tried_again(fault: Answer, kind: str) -> None:
    answers = iter([fault, fault, chat("yes")])
    with serving(lambda *_: next(answers)) as server:
        (reply,), client = ask(server.url, timeout=0.5 if kind == "time-out" else 30, tries=4)
    assert reply["choices"][0]["message"]["content"] == "yes"
    assert client.faults == {kind: 2}
    assert len(server.seen) == client.sent == 3


def test_waits_double_from_half_a_second_and_a_random_share_of_each_is_waited() -> None:
    clock = Clock()
    with serving(lambda *_: Answer(status=429)) as server:
        (error,), client = ask(server.url, clock=clock, tries=10)
    assert isinstance(error, Unanswered)
    assert error.kind == "429"
    assert len(clock.waits) == 9
    for number, wait in enumerate(clock.waits):
        longest = min(60, 0.5 * 2**number)
        assert longest / 2 <= wait <= longest
    assert len(set(clock.waits)) == 9
    assert client.faults == {"429": 10}


@pytest.mark.parametrize("text", ["3", "moment", "never heard of", "999999"])
def test_the_servers_own_wait_comes_first(text: str) -> None:
    said = email.utils.formatdate(time.time() + 20, usegmt=True) if text == "moment" else text
    answers, clock = iter([Answer(status=429, headers={"Retry-After": said}), chat("yes")]), Clock()
    with serving(lambda *_: next(answers)) as server:
        ask(server.url, clock=clock)
    (wait,) = clock.waits
    low, high = {"3": (3, 3), "moment": (15, 20), "never heard of": (0.25, 0.5), "999999": (60, 60)}[text]
    assert low <= wait <= high


def test_what_cannot_get_better_fails_at_once_with_the_servers_words() -> None:
    body = b'{"error": {"message": "there is no model called gpt"}}'
    with serving(lambda *_: Answer(body, 404)) as server:
        (error,), client = ask(server.url)
    assert isinstance(error, Refused)
    assert "said 404: 'there is no model called gpt'" in str(error)
    assert client.sent == 1


def test_a_redirect_is_not_followed_and_carries_no_key_elsewhere() -> None:
    with serving(lambda *_: chat("stolen")) as other:
        with serving(lambda *_: Answer(status=307, headers={"Location": f"{other.url}/x"})) as server:
            (error,), _ = ask(server.url)
        assert isinstance(error, Refused)
        assert "leads elsewhere" in str(error)
        assert other.seen == []
        assert server.seen[0][1]["authorization"] == f"Bearer {KEY}"


def test_no_more_connections_than_asked_for() -> None:
    with serving(lambda *_: Answer(chat("yes").body, after=0.05)) as server:
        replies, _ = ask(server.url, times=30, connections=4)
    assert len(replies) == 30
    assert 2 <= server.most <= 4


def test_requests_and_tokens_per_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.live.client.monotonic", lambda: 0.0)
    for limits in ({"requests": 60}, {"tokens": 600}):
        clock = Clock()
        with serving(lambda *_: chat("yes")) as server:
            ask(server.url, times=5, clock=clock, connections=1, **limits)
        # One of a second's content is there at the start; each of the others waits for its own.
        assert clock.waits == [1, 2, 3, 4]


def test_a_key_is_in_no_message_log_or_repr(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    caplog.set_level(logging.DEBUG)
    answers = iter([Answer(status=500), Answer(b"no json"), Answer(b"", cut=0), Answer(status=401)])
    with serving(lambda *_: next(answers)) as server:
        (error,), client = ask(server.url)
    monkeypatch.setenv("VD_KEY", KEY)
    said = [caplog.text, repr(error), str(error), repr(client), repr(client.endpoint), repr(key_from("VD_KEY"))]
    assert caplog.records
    assert not any(KEY in text for text in said)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://models.example/v1", "must be https, got http"),
        ("ftp://models.example", "must name a URL as https://host/v1"),
        ("models.example/v1", "must name a URL as https://host/v1"),
        ("https://me:pw@models.example/v1", "with a password"),
        ("https://models.example/v1?key=1", r"without \? and #"),
        ("https://models.example/v1#pw", r"without \? and #"),
        ("https://models.example:port/v1", "names no URL"),
        ("http://[::ffff:8.8.8.8]/v1", "must be https"),
        ("http://127.0.0.1.example.com/v1", "must be https"),
        ("https://fa\u00df.example/v1", "plain ASCII"),
        ("https://\uff45vil.example/v1", "plain ASCII"),
        ("https://good.example\t.evil/v1", "plain ASCII"),
        ("https://good.example\\.evil/v1", "plain ASCII"),
        ("https://models.example/v1\x01", "plain ASCII"),
        ("https://models.example /v1", "plain ASCII"),
    ],
)
def test_urls_that_are_refused(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        Endpoint.at(url)
    assert "pw" not in str(caught.value)


def opened(endpoint: Endpoint) -> None:
    """Connect to nobody."""

    async def go() -> None:
        async with Client(endpoint):
            pass

    asyncio.run(go())


@pytest.mark.parametrize("url", ["https://[v1.a]/v1", f"https://models.example/{'v' * 70_000}"])
def test_urls_that_the_client_cannot_ask_are_refused(url: str) -> None:
    with pytest.raises(UsageError, match="`model` names no URL that can be asked: "):
        opened(Endpoint.at(url))


@pytest.mark.parametrize("proxy", ["http://fa\u00df\u200b.example:80", "http://[v1.a]:80"])
def test_a_proxy_that_the_client_cannot_ask_is_refused(proxy: str) -> None:
    with pytest.raises(UsageError, match=r"`proxy` names no URL that can be asked$"):
        opened(Endpoint.at("https://models.example/v1", proxy=proxy))


@pytest.mark.parametrize("url", ["http://localhost:8000/v1/", "http://[::1]/v1", "http://127.1.2.3/v1"])
def test_this_machine_needs_no_https(url: str) -> None:
    assert Endpoint.at(url).url == url.rstrip("/")


def test_insecure_is_asked_for() -> None:
    assert Endpoint.at("http://lab:8000/v1", insecure=True).url == "http://lab:8000/v1"


def test_a_key_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert key_from(None) is None
    monkeypatch.delenv("VD_KEY", raising=False)
    with pytest.raises(UsageError, match="VD_KEY, which is not set"):
        key_from("VD_KEY")
    with pytest.raises(UsageError, match="must name an environment variable") as caught:
        key_from("sk-planted-4711")  # The key itself, where its variable's name belongs.
    assert "planted" not in str(caught.value)
    monkeypatch.setenv("VD_KEY", "a\nb")
    with pytest.raises(UsageError, match="no key has"):
        key_from("VD_KEY")


def test_a_missing_extra_says_the_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx2", None)
    with pytest.raises(Exception, match=r'pip install "httpx2>='):
        ask("http://127.0.0.1:9/v1")
