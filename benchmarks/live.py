"""How near the client comes to the throughput that an endpoint's own time allows, beside the openai SDK.

A server on loopback, in a process of its own, answers every request after a fixed time. With 64 connections and t
seconds per reply nobody can have more than 64 / t replies a second: that is the ideal. Each request carries a picture
of 30 kB as a data URI. Ours goes through the journal as in an exam; the SDK is called as its documentation says, with
as many tasks at once. Bars: 80 % of the ideal at 200 ms, 90 % at 2 s; memory of our process grows by less than 50 MB.

    live.py                      5,000 requests at 0.2 s, 1,280 at 2 s
    live.py --requests 1000      fewer, for a first look
"""

import argparse
import asyncio
import base64
import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from voirdire.live.client import Client, Limits
from voirdire.live.endpoint import Endpoint
from voirdire.live.journal import Journal, key_of

CONNECTIONS, PICTURE = 64, 30_000
BARS = {0.2: 0.8, 2.0: 0.9}
MEMORY = 50.0
REPLY = (
    b'{"id":"x","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"finish_reason":"stop",'
    b'"message":{"role":"assistant","content":"yes"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}'
)


async def serve(delay: float) -> None:
    """Answer everything after `delay` seconds; the port is printed first."""
    whole = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(REPLY) + REPLY

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
                await asyncio.sleep(delay)
                writer.write(whole)
                await writer.drain()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, limit=2**20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def server(delay: float) -> Iterator[str]:
    """The URL of such a server in another process."""
    process = subprocess.Popen([sys.executable, __file__, "--serve", str(delay)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()


def request(number: int, picture: str) -> dict[str, object]:
    """A question about a picture."""
    content = [
        {"type": "text", "text": f"Question {number}: is there a dog?"},
        {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{picture}"}},
    ]
    return {"model": "m", "messages": [{"role": "user", "content": content}], "max_tokens": 8}


async def ours(url: str, count: int, picture: str, folder: Path) -> None:
    """Every request through the client and the journal, by as many workers as connections."""
    import msgspec

    numbers = iter(range(count))
    with Journal(folder / "journal.jsonl") as journal:
        async with Client(Endpoint.at(url), Limits(connections=CONNECTIONS)) as client:

            async def work() -> None:
                for number in numbers:
                    kept = {"number": number, "picture": "sha256"}
                    reply = await client.post("chat/completions", msgspec.json.encode(request(number, picture)))
                    journal.add(key_of(kept), kept, reply)

            await asyncio.gather(*(work() for _ in range(CONNECTIONS)))


async def sdk(url: str, count: int, picture: str) -> None:
    """The same through the openai SDK."""
    import openai

    numbers = iter(range(count))
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def work() -> None:
            for number in numbers:
                asked = request(number, picture)
                await client.chat.completions.create(**asked)  # type: ignore[call-overload]

        await asyncio.gather(*(work() for _ in range(CONNECTIONS)))


def resident() -> float:
    """Megabytes of this process now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, help="at every time per reply")
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        asyncio.run(serve(given.serve))
        return 0
    picture, missed = base64.b64encode(os.urandom(PICTURE)).decode(), 0
    for delay, bar in BARS.items():
        count = given.requests or (5_000 if delay < 1 else 1_280)
        ideal = CONNECTIONS / delay
        load = f"{count:,} requests of {PICTURE // 1000} kB, {CONNECTIONS} connections"
        print(f"{load}, {delay} s per reply: ideal {ideal:.0f}/s")
        with server(delay) as url, tempfile.TemporaryDirectory() as folder:
            asyncio.run(ours(url, CONNECTIONS, picture, Path(folder) / "warm"))
            before, cpu, start = resident(), time.process_time(), time.perf_counter()
            asyncio.run(ours(url, count, picture, Path(folder) / "run"))
            took, spent, grown = time.perf_counter() - start, time.process_time() - cpu, resident() - before
            share = count / took / ideal
            missed += share < bar or grown > MEMORY
            each = f"{1000 * spent / count:.2f} ms of CPU per request, memory {grown:+.0f} MB"
            print(f"  ours  {share:6.1%} of it (bar {bar:.0%}), {each}")
            with contextlib.suppress(ImportError):
                asyncio.run(sdk(url, CONNECTIONS, picture))
                cpu, start = time.process_time(), time.perf_counter()
                asyncio.run(sdk(url, count, picture))
                took, spent = time.perf_counter() - start, time.process_time() - cpu
                print(f"  SDK   {count / took / ideal:6.1%} of it, {1000 * spent / count:.2f} ms of CPU per request")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
