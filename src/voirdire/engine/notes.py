"""What workers do beside their results ("compiling (once)"), told to whoever listens where the map was started.

    with hearing(tell):                           with saying("preparing"):
        run_map(…)                                    …

`tell` is told what is said from now on by all workers together, each thing once, and an empty text where nothing is.

A worker in this process tells it by a plain call, one in another process through a pipe. Where nobody listens, nothing
is told.
"""

import contextlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from multiprocessing.connection import Connection

__all__ = ["WorkerNotes", "hearing", "is_heard", "pipe_of_notes", "say_through", "saying"]

Hear = Callable[[int, str], None]
"""Told the process of a worker, and what it does from now on; an empty text where that is over."""

_HEAR: ContextVar[Hear | None] = ContextVar("_HEAR", default=None)
_SAID: ContextVar[str] = ContextVar("_SAID", default="")


class WorkerNotes:
    """What each worker says that it does; `tell` is told all of it whenever that changes."""

    def __init__(self, tell: Callable[[str], None] = lambda text: None) -> None:
        self._tell = tell
        self._said: dict[int, str] = {}
        self._lock = threading.Lock()

    def hear(self, worker: int, text: str) -> None:
        """Keep the latest of what a worker says."""
        with self._lock:
            if text:
                self._said[worker] = text
            else:
                self._said.pop(worker, None)
            self._tell(self._now())

    def now(self) -> str:
        """What is said at this moment, each thing once."""
        with self._lock:
            return self._now()

    def _now(self) -> str:
        return ", ".join(sorted(set(self._said.values())))

    def clear(self) -> None:
        """Forget what was said: the workers are gone."""
        with self._lock:
            self._said.clear()
            self._tell("")


@contextlib.contextmanager
def hearing(tell: Callable[[str], None] = lambda text: None) -> Iterator[WorkerNotes]:
    """Listen to the workers of all maps that are started in the block."""
    notes = WorkerNotes(tell)
    token = _HEAR.set(notes.hear)
    try:
        yield notes
    finally:
        _HEAR.reset(token)
        notes.clear()


def is_heard() -> bool:
    """In a worker: whether anybody listens."""
    return _HEAR.get() is not None


@contextlib.contextmanager
def saying(text: str) -> Iterator[None]:
    """In a worker: say `text` for the length of the block, and then again what was said before."""
    hear = _HEAR.get()
    if hear is None:
        yield
        return
    token = _SAID.set(text)
    hear(os.getpid(), text)
    try:
        yield
    finally:
        _SAID.reset(token)
        hear(os.getpid(), _SAID.get())


@contextlib.contextmanager
def pipe_of_notes() -> Iterator[Connection | None]:
    """For an engine of processes: the end of a pipe for its workers to say something; None where nobody listens.

    The pipe is read until the block ends, by when the workers must have ended.
    """
    hear = _HEAR.get()
    if hear is None:
        yield None
        return
    reader, writer = multiprocessing.Pipe(duplex=False)

    def listen() -> None:
        heard: set[int] = set()
        with contextlib.suppress(EOFError, OSError):
            while True:
                worker, text = reader.recv()
                heard.add(worker)
                hear(worker, text)
        # The pipe ends with the last worker, however that ended: nothing that it said holds any more.
        for worker in heard:
            hear(worker, "")

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield writer
    finally:
        writer.close()
        listener.join(1.0)
        reader.close()


def say_through(writer: Connection | None) -> None:
    """In a process that has just become a worker: say everything through this pipe from now on."""
    if writer is None:
        return

    def tell(worker: int, text: str) -> None:
        # So short a message is written as a whole, also beside those of other workers. A fault must not stop the work.
        with contextlib.suppress(OSError):
            writer.send((worker, text))

    _HEAR.set(tell)
