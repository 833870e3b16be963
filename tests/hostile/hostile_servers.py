"""Servers that mean no good, or are broken: whatever they send, a call ends in order and keeps its key."""

import gzip
import itertools
import json
import zlib
from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from behaviours import KEY, Answer, Behaviour, Say, always, chat, error, message, of_item, reply, some

__all__ = ["HEAVY", "HOSTILE"]

GOOD = chat("yes").body
HEAD = b"HTTP/1.1 200 OK\r\n"
ESCAPED = "".join(f"\\u{ord(sign):04x}" for sign in KEY)
QUICK = {"timeout": 0.2, "tries": 1}
SLOW = {"timeout": 30.0, "tries": 1, "connections": 8}


def _raw(*pieces: bytes | float) -> Answer:
    return Answer(raw=pieces)


def _endless(head: bytes, piece: bytes) -> Answer:
    """Without an end, as long as somebody reads."""
    return Answer(raw=_again(head, piece))


class _again:
    """Pieces that can be sent anew for each request."""

    def __init__(self, head: bytes, piece: bytes, pause: float = 0.0) -> None:
        self.head, self.piece, self.pause = head, piece, pause

    def __iter__(self) -> Any:
        yield self.head
        while True:
            yield self.piece
            yield self.pause


def _bodies(*bodies: bytes) -> dict[str, bytes]:
    return {f"{number}": body for number, body in enumerate(bodies)}


def _broken(name: str, answer: Answer, kind: str) -> Behaviour:
    """Something that is tried again: it comes now and then, and is counted."""
    return Behaviour(name, some(answer), scored=kind)


def _body(name: str, body: bytes, kind: str = "Tried again: no JSON") -> Behaviour:
    return _broken(name, Answer(body), kind)


def _choice(name: str, document: Any, kind: str = "Tried again: no chat completion") -> Behaviour:
    return _broken(name, reply(document), kind)


def _well(name: str, answer: Answer, scored: str = "Asked live") -> Behaviour:
    """Something odd that is a reply all the same."""
    return Behaviour(name, always(answer), scored=scored)


def _retry_after(text: str) -> Behaviour:
    return _broken(f"Retry-After: {text[:24]}", Answer(b"{}", 429, {"Retry-After": text}), "Tried again: 429")


def _echo(status: int, kind: str = "") -> Behaviour:
    """A server that says the key aloud: in its message, in a header and in its status line."""
    answer = error(status, f"the key Bearer {KEY} is not liked")
    answer.headers.update({"X-Echo": KEY, "WWW-Authenticate": f"Bearer {KEY}"})
    return Behaviour(f"{status} with the key in it", always(answer), explained=kind or f"said {status}")


def _nested(depth: int) -> bytes:
    return b'{"choices": ' + b"[" * depth + b"]" * depth + b"}"


_packer = zlib.compressobj(9, wbits=-15)
_ZEROS = _packer.compress(bytes(2**20)) + _packer.flush(zlib.Z_FULL_FLUSH)
BOMB = gzip.compress(b"")[:10] + _ZEROS * 5000
"""5 GB of nothing in 5 MB, as gzip."""
HEAVY: tuple[Behaviour, ...] = (
    Behaviour(
        "a body without an end",
        always(_endless(HEAD + b"\r\n", b"a" * 65_536)),
        explained="more than 8,388,608",
        options=SLOW,
    ),
    Behaviour(
        "JSON without an end",
        always(_endless(HEAD + b'\r\n{"choices": [', b"{}," * 20_000)),
        explained="more than 8,388,608",
        options=SLOW,
    ),
    Behaviour(
        "an error without an end",
        always(_endless(b"HTTP/1.1 400 no\r\n\r\n", b"a" * 65_536)),
        explained="said 400",
        options=SLOW,
    ),
    Behaviour(
        "a gzip bomb",
        always(Answer(BOMB, headers={"Content-Encoding": "gzip"})),
        explained="more than 8,388,608",
        options=SLOW,
    ),
    Behaviour(
        "a gzip bomb inside another",
        always(Answer(gzip.compress(BOMB), headers={"Content-Encoding": "gzip, gzip"})),
        explained="content encoding 'gzip, gzip'",
        options=SLOW,
    ),
    Behaviour(
        "8 MB of {}",
        always(Answer(b"[" + b"{}," * 2_700_000 + b"1]")),
        explained="more than 500,000 values",
        options=SLOW,
    ),
    Behaviour("8 MB of [", always(Answer(b"[" * 8_000_000)), explained="more than 500,000 values", options=SLOW),
    Behaviour(
        "a list of models without an end", always(chat("yes"), _endless(HEAD + b"\r\n", b"a" * 65_536)), "Asked live"
    ),
    Behaviour(
        "a reply of 8 MB of one word",
        always(chat("yes " * 2_000_000)),
        scored="cut off at the limit of tokens",
        options=SLOW,
    ),
)
"""What would take much memory."""

_TRANSPORT = (
    Behaviour("nobody listens", always(chat("yes")), explained="is the server running?", closed=True),
    _broken("hangs up at once", _raw(), "Tried again: connection (RemoteProtocolError)"),
    _broken("hangs up after the head", _raw(HEAD, b"Content-Length: 10\r\n\r\n"), "connection (RemoteProtocolError)"),
    _broken("half a body", Answer(GOOD, cut=90), "connection (RemoteProtocolError)"),
    _broken("a body longer than its head says", _raw(HEAD, b"Content-Length: 4\r\n\r\n", GOOD), "Tried again: "),
    Behaviour("never answers", always(Answer(GOOD, after=9.0)), explained="time-out", options=QUICK),
    Behaviour(
        "a byte now and then",
        always(Answer(raw=_again(HEAD + b"\r\n", b" ", 0.05))),
        explained="time-out",
        options=QUICK,
    ),
    Behaviour(
        "headers without an end", always(_endless(HEAD, b"X-A: b\r\n" * 1000)), explained="connection", options=QUICK
    ),
    _broken(
        "a header of 200 kB", _raw(HEAD, b"X-A: ", b"b" * 200_000, b"\r\n\r\n"), "connection (RemoteProtocolError)"
    ),
    Behaviour(
        "100 Continue without an end",
        always(_endless(b"", b"HTTP/1.1 100 go on\r\n\r\n")),
        explained="no reply",
        options=QUICK,
    ),
    _broken("no HTTP", _raw(b"220 ftp.example ready\r\n"), "connection (RemoteProtocolError)"),
    _broken("a status of letters", _raw(b"HTTP/1.1 OK fine\r\n\r\n"), "connection (RemoteProtocolError)"),
    _broken("status 999", Answer(b"{}", 999), "Tried again: 999"),
    Behaviour("status 204", always(Answer(b"", 204)), explained="said 204"),
    Behaviour(
        "status 101",
        always(_raw(b"HTTP/1.1 101 up\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")),
        explained="connection",
    ),
    Behaviour(
        "a way to another host",
        always(Answer(b"", 302, {"Location": f"http://127.0.0.2:9/{KEY}"})),
        None,
        "leads elsewhere",
    ),
    _broken("a negative length", _raw(HEAD, b"Content-Length: -5\r\n\r\n"), "connection (RemoteProtocolError)"),
    _broken("two lengths", _raw(HEAD, b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n123456"), "connection"),
    _broken("pieces of no size", _raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), "connection"),
    _broken(
        "a piece of 2^60 bytes", _raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\nab"), "connection"
    ),
    _broken("headers of bytes", _raw(HEAD, b"X-\xff: \x00\r\n\r\n"), "connection (RemoteProtocolError)"),
    _well("a thousand cookies", Answer(GOOD, headers={"Set-Cookie": f"a={'b' * 3000}; expires=\u00b2"})),
    _broken("gzip that is none", Answer(GOOD, headers={"Content-Encoding": "gzip"}), "no gzip, as its header says"),
    _broken("half of gzip", Answer(gzip.compress(GOOD)[:40], headers={"Content-Encoding": "gzip"}), "no JSON"),
    _broken("brotli", Answer(GOOD, headers={"Content-Encoding": "br"}), "the content encoding 'br'"),
    _well("gzip", Answer(gzip.compress(GOOD), headers={"Content-Encoding": "gzip"})),
    _well("deflate without its head", Answer(zlib.compress(GOOD, wbits=-15), headers={"Content-Encoding": "deflate"})),
)

_JSON = (
    _body("bytes that are no UTF-8", b'{"choices": [{"message": {"content": "\xff\xfe"}}]}', "Tried again: no UTF-8"),
    _body("UTF-16", GOOD.decode().encode("utf-16")),
    _body("JSON of 900 levels", _nested(900), "nested deeper than 64 levels"),
    _body("JSON of 100,000 levels", _nested(100_000), "nested deeper than 64 levels"),
    _body("NaN", b'{"choices": NaN}'),
    _body("1e999", b'{"choices": 1e999}', "JSON of another shape"),
    _body("a number of 100,000 digits", b'{"choices": ' + b"1" * 100_000 + b"}", "JSON of another shape"),
    _body("nothing", b""),
    _body("two documents", GOOD + GOOD),
    _body("half a document", GOOD[:60]),
    *(
        _body(f"the document {text}", text.encode(), "no chat completion")
        for text in ("null", "[]", '"yes"', "5", "true", "{}")
    ),
    _well("half of an emoji", Answer(GOOD.replace(b"yes", b"yes \\ud83d"))),
    _well("a byte order mark", Answer(b"\xef\xbb\xbf" + GOOD)),
    _well("a zero byte and signs of a terminal", chat("yes \0 \x1b[31m\x1b]0;owned\x07 \u202e")),
    _well(
        "fields twice", Answer(GOOD[:-1] + b', "choices": ' + json.dumps(json.loads(GOOD)["choices"]).encode() + b"}")
    ),
)

_TYPES = (
    *(_choice(f"choices: {text}", {"choices": json.loads(text)}) for text in ("{}", '"x"', "[null]", "[[]]", "[5]")),
    *(
        _choice(f"message: {text}", {"choices": [{"message": json.loads(text)}]})
        for text in ("5", '"yes"', "[]", "null")
    ),
    *(
        _broken(f"content: {text}", message(content=json.loads(text)), "no chat completion")
        for text in ("5", "true", "[5]")
    ),
    *(
        _well(f"reasoning_content: {text}", message(content="yes", reasoning_content=json.loads(text)))
        for text in ("5", '{"a": 1}', "[[1]]")
    ),
    *(_well(f"finish_reason: {text}", chat("yes", finish_reason=json.loads(text))) for text in ("5", "[]", '{"a": 1}')),
    *(
        _well(f"usage: {text}", reply({"choices": [{"message": {"content": "yes"}}], "usage": json.loads(text)}))
        for text in (
            "5",
            '{"prompt_tokens": -5}',
            '{"prompt_tokens": 1e300, "completion_tokens": "x"}',
            '{"prompt_tokens": []}',
        )
    ),
    *(
        _well(f"logprobs: {text}", chat("yes", logprobs=json.loads(text)))
        for text in (
            "5",
            '{"content": [5]}',
            '{"content": [{"top_logprobs": [{"token": "yes", "logprob": 1e308}]}]}',
            '{"content": [{"top_logprobs": [{"token": "yes", "logprob": "NaN"}]}]}',
            '{"content": [{"top_logprobs": [{"token": null, "logprob": null}]}]}',
        )
    ),
    _well("tool_calls: 5 beside a text", message(content="yes", tool_calls=5)),
    Behaviour("refusal: {}", of_item(message(content=None, refusal={"a": 1})), scored="Replies without use: refusal 1"),
    _well(
        "model and fingerprint of other types", Answer(GOOD[:-1] + b', "model": 5, "system_fingerprint": {"a": []}}')
    ),
    *(
        _choice(f"error: {text}", {"error": json.loads(text)}, "error in place of a reply")
        for text in ("5", "[[[]]]", '{"code": []}', '{"message": 5}')
    ),
    _choice("error with code 10^18", {"error": {"code": 10**18, "message": "x"}}, "error in place of a reply"),
)

_HEADS = tuple(
    map(
        _retry_after,
        (
            "\u00b2".encode().decode("latin-1"),
            "Fri, 31 Dec 99999999999999 23:59:59 GMT",
            "-5",
            "nan",
            "1e400",
            "9" * 400,
            "Mon, 99 Foo 2020 99:99:99 GMT",
        ),
    )
)

_ERRORS = (
    Behaviour("400 with bytes that are no UTF-8", always(Answer(b'{"error": "\xff\xfe"}', 400)), explained="said 400"),
    Behaviour("400 with JSON of 10,000 levels", always(Answer(b"[" * 10_000, 400)), explained="said 400"),
    Behaviour(
        "400 with signs of a terminal", always(error(400, "\x1b]0;owned\x07 [red]x[/red]\n\n" * 99)), None, "said 400"
    ),
    Behaviour(
        "400 with a message of another type", always(reply({"error": {"message": {"a": [1]}}}, 400)), None, "said 400"
    ),
    Behaviour("/models: nested", always(chat("yes"), Answer(_nested(50_000))), scored="Asked live"),
    Behaviour("/models: data: 5", always(chat("yes"), reply({"data": 5})), scored="Asked live"),
    Behaviour(
        "/models: names of a megabyte",
        always(error(404, "no model"), reply({"data": [{"id": "a" * 10**6}] * 7})),
        None,
        "it serves",
    ),
    Behaviour("/models: 500", always(chat("yes"), Answer(b"no", 500)), scored="Asked live"),
)


def _naming_the_key(text: str) -> Iterable[tuple[str, Say, str]]:
    """Replies that have the key in a text."""
    body = chat("SECRET").body
    yield "in a reply", always(Answer(body.replace(b"SECRET", text.encode()))), "Asked live"
    yield "in a thought", always(message(content="yes", reasoning_content=text)), "Asked live"
    yield (
        "in parts of a message",
        always(message(content=[{"type": "text", "text": half} for half in (text[:9], text[9:])])),
        "Asked live",
    )
    yield "in escapes of JSON", always(Answer(body.replace(b"SECRET", ESCAPED.encode()))), "Asked live"
    yield (
        "with one escape",
        always(Answer(body.replace(b"SECRET", (text[:5] + ESCAPED[30:36] + text[6:]).encode()))),
        "Asked live",
    )
    yield (
        "broken into lines",
        always(Answer(body.replace(b"SECRET", f"{text[:8]}\\n{text[8:]}".encode()))),
        "Asked live",
    )
    yield "as the name of the model", always(Answer(GOOD[:-1] + f', "model": "{text}"}}'.encode())), "Asked live"
    yield "in the list of models", always(error(404, "no model"), reply({"data": [{"id": text}]})), ""
    yield "at /models, with 401", always(chat("yes"), error(401, f"wrong key {text}")), ""
    yield (
        "in escapes of a URL in an error",
        always(Answer("".join(f"%{ord(sign):02X}" for sign in text).encode(), 400)),
        "",
    )
    yield "in UTF-16", always(Answer(text.encode("utf-16"), 400)), ""
    yield "in base64", always(error(400, b64encode(f"Bearer {text}".encode()).decode())), ""
    yield "as its content encoding", some(Answer(GOOD, headers={"Content-Encoding": text})), "content encoding '****'"
    yield "in a name of the error", always(reply({"error": {text: text}}, 400)), ""
    yield (
        "in a refused item",
        of_item(error(400, f"content management policy, {text}", code="content_filter")),
        "content filter 1",
    )
    yield (
        "in the call of a tool",
        of_item(message(content=None, tool_calls=[{"function": {"name": text}}])),
        "tool call 1",
    )


_ECHOES = (
    *map(_echo, (400, 401, 402, 403, 404, 405, 410, 413, 418)),
    *(_echo(status, f"the last time: {status}") for status in (408, 409, 429, 500, 503)),
    *(
        Behaviour(f"the key {name}", say, scored=scored or None, explained=None if scored else "")
        for name, say, scored in _naming_the_key(KEY)
    ),
)
HOSTILE: tuple[Behaviour, ...] = tuple(itertools.chain(_TRANSPORT, _JSON, _TYPES, _HEADS, _ERRORS, _ECHOES))
