"""A server on loopback that says what a test tells it to, also what no good server says."""

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer", "Scripted", "chat", "serving"]


@dataclass
class Answer:
    """What the server does with a request: a status, headers and a body, after a wait; or it breaks off.

    raw  pieces that it writes in place of all that, without an end where they have none; then it hangs up
    """

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    after: float = 0.0
    cut: int | None = None
    raw: Iterable[bytes | float] | None = None


def chat(text: str, **more: Any) -> Answer:
    """The reply of a chat model."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}
    return Answer(json.dumps({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}).encode())


@dataclass
class Scripted:
    """What was asked, and what says how it is answered: from the path, the headers and the body to an `Answer`."""

    say: Callable[[str, dict[str, str], Any], Answer]
    url: str = ""
    seen: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    most: int = 0
    _now: int = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._one(reader, writer):
                pass
        with contextlib.suppress(ConnectionError):
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        data = await reader.readexactly(int(headers.get("content-length", "0")))
        path = first.split()[1]
        self._now += 1
        self.most = max(self.most, self._now)
        body = json.loads(data) if data else None
        self.seen.append((path, headers, body))
        answer = self.say(path, headers, body)
        await asyncio.sleep(answer.after)
        self._now -= 1
        for piece in answer.raw or ():
            if isinstance(piece, float):
                await asyncio.sleep(piece)
            else:
                writer.write(piece)
                await writer.drain()
        if answer.raw is not None:
            return False
        head = {"Content-Length": str(len(answer.body)), "Content-Type": "application/json", **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} x", *(f"{name}: {value}" for name, value in head.items())]
        whole = "\r\n".join(lines).encode() + b"\r\n\r\n" + answer.body
        writer.write(whole[: answer.cut] if answer.cut is not None else whole)
        await writer.drain()
        return answer.cut is None


@contextlib.contextmanager
def serving(
    say: Callable[[str, dict[str, str], Any], Answer], port: int = 0, tls: ssl.SSLContext | None = None
) -> Iterator[Scripted]:
    """A server in a thread of its own for as long as the block lasts, at a port of its own where none is named."""
    script, loop, ready = Scripted(say), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        server = await asyncio.start_server(script.handle, "127.0.0.1", port, ssl=tls)
        script.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        ready.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve())
        loop.run_forever()
        for task in (left := asyncio.all_tasks(loop)):
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield script
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
