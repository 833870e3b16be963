"""Tasks for the tests of the engine; in a module of their own, because worker processes must be able to import them.

As a command it runs one map to a file: engine_tasks.py TASK ENGINE STORE OUT SIDE SHARDS
"""

import functools
import hashlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from voirdire.engine import ENGINES, Span, Task, run_map, shards
from voirdire.engine.notes import has_listener, noting
from voirdire.engine.shared_files import SharedFile
from voirdire.errors import InputError, MissingExtra, Problem


def digest(side: str | None, pause: float) -> Callable[[Span], bytes]:
    def compute(span: Span) -> bytes:
        if side:
            # One short line appended by one write: whole lines even from several processes.
            with open(side, "ab", buffering=0) as file:  # noqa: PTH123
                file.write(f"{span.start}\n".encode())
        time.sleep(pause)
        return b"".join(hashlib.sha256(str(i).encode()).digest() for i in range(*span))

    return compute


def digests(side: Path | None = None, pause: float = 0.0) -> Task[Span]:
    return Task("test.digest", 1, functools.partial(digest, side and str(side), pause), {"hash": "sha256"})


def product() -> Callable[[Span], bytes]:
    import numpy as np

    table = np.random.default_rng(1).standard_normal((900, 700), dtype=np.float32)

    def compute(span: Span) -> bytes:
        rows = np.random.default_rng(span.start).standard_normal((span.stop - span.start, 900), dtype=np.float32)
        return (rows @ table).tobytes()

    return compute


def threads() -> Callable[[Span], bytes]:
    import numba
    import numpy as np
    import threadpoolctl

    np.ones((2, 2)) @ np.ones((2, 2))

    def compute(span: Span) -> bytes:
        most = max(pool["num_threads"] for pool in threadpoolctl.threadpool_info())
        return f"{most} {numba.get_num_threads()}".encode()

    return compute


def faulty(fault: str) -> Callable[[Span], bytes]:
    if fault == "prepare":
        raise InputError("table.npz", [Problem("", "", "nothing", "a table")])

    class Local(Exception):
        pass

    def compute(span: Span) -> bytes:
        if span.start == 30:
            match fault:
                case "bug":
                    raise ZeroDivisionError("no such ratio")
                case "user":
                    raise InputError("games.json", [Problem("game 7", "status", "'won'", "'success'")])
                case "extra":
                    raise MissingExtra("tagger spacy", "spacy")
                case "local":
                    raise Local("cannot be pickled")
                case "memory":
                    raise MemoryError("Unable to allocate 2.00 TiB")
                case "torch":
                    raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")
                case "exit":
                    sys.exit(0)
                case "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "slow":
                    time.sleep(600)
        return b"x"

    return compute


def faulty_task(fault: str) -> Task[Span]:
    return Task("test.faulty", 1, functools.partial(faulty, fault))


def collect(task: Task[Span], n: int, engine: str, store: Path | None = None) -> list[bytes]:
    with run_map(task, shards(n, 10), engine=ENGINES.make(engine), store=store) as results:
        return list(results)


def mortal(folder: str, deaths: int) -> Callable[[Span], bytes]:
    """Every third shard kills its worker the first times that it is tried."""

    def compute(span: Span) -> bytes:
        if span.start % 30 == 10:
            tried = Path(folder) / f"tried-{span.start}"
            with tried.open("a") as file:
                file.write("x")
            if len(tried.read_text()) <= deaths:
                os.kill(os.getpid(), signal.SIGKILL)
        return str(span.start).encode()

    return compute


def echo() -> Callable[[bytes], bytes]:
    return bytes


def odd() -> Callable[[Span], bytes]:
    def compute(span: Span) -> bytes:
        if span.start // 10 % 2:
            raise ValueError("odd")
        return b"x"

    return compute


def environment() -> Callable[[Span], bytes]:
    """What a worker has in its environment; with a pause, so that there is time to stop it."""

    def compute(span: Span) -> bytes:
        time.sleep(0.2)
        found = {**os.environ, "WORKS IN": str(Path.cwd())}
        return "\n".join(f"{name}={value}" for name, value in found.items()).encode()

    return compute


def total(file: SharedFile, side: str) -> Callable[[Span], bytes]:
    """Of a file that all workers read: its sum, and whether this worker sees and maps it.

    Workers that see it stay at any item but the first until one that does not see it is done with one.
    """
    import numpy as np

    def compute(span: Span) -> bytes:
        array, sees, met = file.array(), file.path.exists(), Path(side)
        if not sees:
            met.touch()
        for _ in range(600 if span.start else 0):
            if met.exists():
                break
            time.sleep(0.1)
        assert sees == isinstance(array, np.memmap)
        return f"{array.sum()} {sees}".encode()

    return compute


class Idle:
    """An actor that takes a processor and does nothing."""

    def ready(self) -> None: ...


def talk(pause: float) -> Callable[[Span], bytes]:
    with noting("getting ready"):
        time.sleep(0.2)

    def compute(span: Span) -> bytes:
        with noting(f"at {span}"):
            time.sleep(pause)
            return str(has_listener()).encode()

    return compute


def talking(pause: float = 0.2) -> Task[Span]:
    return Task("test.talk", 1, functools.partial(talk, pause))


def main(task: str, engine: str, store: str, out: str, side: str, count: str) -> None:
    made = {
        "digest": digests(Path(side), 0.05),
        "environment": Task("test.environment", 1, environment),
        "slow": Task("test.slow", 1, functools.partial(faulty, "slow")),
    }[task]

    def say(done: int, total: int) -> None:
        print(done, total, flush=True)

    with run_map(
        made, shards(10 * int(count), 10), engine=ENGINES.make(engine), store=Path(store), progress=say
    ) as found:
        data = b"".join(found)
    Path(out).write_bytes(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
