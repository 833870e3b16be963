"""One call of the command in a process of its own, forked from this one, so that nothing is imported twice.

The process has limits of time, of memory and of the size of files, an environment and a folder of its own; what it
prints and how it ends comes back. This process imports what is heavy and must never use it: threads do not survive a
fork, so a pool of threads that has begun here would never answer there.
"""

import contextlib
import dataclasses
import io
import json
import os
import resource
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

__all__ = ["CPU", "Done", "Limits", "call", "import_all"]

CPU = 20
"""Seconds of the processor that a call may take."""
STILL = 5
"""Seconds: a process that sleeps and does nothing for three times this waits for what never comes."""
MEMORY = 3 * 1024**3
"""Bytes that a call may take beside what is loaded already."""
LONGEST = 1_000_000
"""Characters of what is printed that are kept."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a call has to do with.

    file_size    bytes that any file may have, as where the disk is full
    full         whether nothing can be printed
    encoding     of standard output and standard error
    environment  variables that are set; those with None are not
    stop_after   ends the process, as a kill would, when so many files were put in their places
    cpu          seconds of the processor
    """

    file_size: int | None = None
    full: bool = False
    encoding: str = "utf-8"
    environment: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    stop_after: int | None = None
    cpu: int = CPU


@dataclasses.dataclass(frozen=True)
class Done:
    """How a call ended.

    code     its exit code; None where a signal ended it
    signal   the signal's name, or "waiting" where it had to be ended
    seconds  of the processor
    out      what it printed, and `err` what it printed on standard error
    found    what `look` found afterwards
    """

    code: int | None
    signal: str
    seconds: float
    out: str
    err: str
    found: tuple[str, ...]


def import_all() -> None:
    """Import what calls need, and use none of it."""
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", POLARS_MAX_THREADS="1")
    import h5py
    import numba
    import polars
    import scipy.stats
    import torch

    import voirdire.cli.main
    import voirdire.report.make
    import voirdire.session.session
    import voirdire.world.witness_session
    from voirdire.exam import PATH, exams, load

    assert all((h5py, numba, polars, scipy, torch, voirdire))
    for exam in exams():
        for part in exam.parts:
            readers = (source.read for source in part.inputs if source.read != PATH)
            for place in filter(None, (part.function, part.tables, part.measures, part.views, *readers)):
                load(place)


def call(
    words: Sequence[str],
    folder: Path,
    limits: Limits = Limits(),  # noqa: B008
    before: Callable[[], None] = lambda: None,
    look: Callable[[int], list[str]] = lambda code: [],
) -> Done:
    """Call `voirdire` with these words in a folder; `before` runs first and `look` afterwards, both in its process."""
    pipes = {name: os.pipe() for name in ("out", "err", "told")}
    child = os.fork()
    if not child:
        for reading, _ in pipes.values():
            os.close(reading)
        _child(words, folder, limits, before, look, {name: writing for name, (_, writing) in pipes.items()})
    for _, writing in pipes.values():
        os.close(writing)
    said, waited = _read({name: reading for name, (reading, _) in pipes.items()}, child)
    _, status, used = os.wait4(child, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    told = json.loads(said["told"] or "{}")
    ended = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""
    # A process that could still tell its code had ended; that it died afterwards is no matter of the command.
    return Done(
        told.get("code", None if ended else os.WEXITSTATUS(status)),
        "waiting" if waited else "" if "code" in told else ended,
        used.ru_utime + used.ru_stime,
        said["out"].decode(limits.encoding, "replace"),
        said["err"].decode(limits.encoding, "replace"),
        tuple(told.get("found", ())),
    )


def _read(pipes: dict[str, int], child: int) -> tuple[dict[str, bytes], bool]:
    """What comes through the pipes until the process has closed them, and whether it had to be ended."""
    said = dict.fromkeys(pipes, b"")
    still, used = 0, ""
    with selectors.DefaultSelector() as selector:
        for name, reading in pipes.items():
            selector.register(reading, selectors.EVENT_READ, name)
        while selector.get_map():
            ready = selector.select(STILL)
            if not ready:
                now = _used(child)
                still = still + 1 if now == used else 0
                used = now
                if still == 3:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(child, signal.SIGKILL)
                if still > 3:
                    break
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fd)
                elif len(said[key.data]) < LONGEST:
                    said[key.data] += data
    for reading in pipes.values():
        os.close(reading)
    return said, still >= 3


def _used(child: int) -> str:
    """What a sleeping process has used of the processor; of one that runs, what is never the same."""
    try:
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "gone"
    return f"{fields[11]} {fields[12]}" if fields[0] in "SDZ" else f"{time.monotonic()}"


def _child(
    words: Sequence[str],
    folder: Path,
    limits: Limits,
    before: Callable[[], None],
    look: Callable[[int], list[str]],
    pipes: dict[str, int],
) -> None:
    """Never returns."""
    told: dict[str, object] = {}
    try:
        os.setsid()
        os.chdir(folder)
        before()
        _stand(limits, pipes)
        sys.argv = ["voirdire", *words]
        code = _run()
        soft = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, soft))
        told = {"code": code, "found": look(code)}
    except BaseException:
        told = {"code": -1, "found": [f"the harness: {traceback.format_exc()}"]}
    finally:
        os.write(pipes["told"], json.dumps(told).encode()[:60_000])
        os._exit(0)


def _stand(limits: Limits, pipes: dict[str, int]) -> None:
    """Put the process under its limits."""
    for name, value in limits.environment.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open("/dev/full", os.O_WRONLY) if limits.full else pipes["out"], 1)
    os.dup2(pipes["err"], 2)
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
    for name, number, errors in (("stdout", 1, "strict"), ("stderr", 2, "backslashreplace")):
        file = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
        setattr(sys, name, io.TextIOWrapper(file, encoding=limits.encoding, errors=errors))
    # Of what is written to alone: some libraries reserve far more addresses than they ever use.
    held = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (held + MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.file_size is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, resource.RLIM_INFINITY))
    if limits.stop_after is not None:
        _stop_after(limits.stop_after)


def _run() -> int:
    """The exit code, as the interpreter would give it."""
    from voirdire.cli.main import run

    code = 0
    try:
        run()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        code = code or 120
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    return code


def _stop_after(count: int) -> None:
    """End the process when so many files were put in their places."""
    left = count
    rename = os.replace

    def counted(source: str, target: str, **more: int) -> None:
        nonlocal left
        rename(source, target, **more)
        left -= 1
        if not left:
            os._exit(0)

    os.replace = os.rename = counted
