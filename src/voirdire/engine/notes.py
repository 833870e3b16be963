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
from collections.abc import Callable, Hashable, Iterator
from contextvars import ContextVar
from multiprocessing.connection import Connection

Hear = Callable[[Hashable, str], None]
"""Told the process of a worker, and what it does from now on; an empty text where that is over."""

_HEAR: ContextVar[Hear | None] = ContextVar("_HEAR", default=None)
_SAID: ContextVar[str] = ContextVar("_SAID", default="")


class WorkerNotes:
    """What each worker says that it does; `tell` is told all of it whenever that changes."""

    def __init__(self, tell: Callable[[str], None] = lambda text: None) -> None:
        self._tell = tell
        self._said: dict[Hashable, str] = {}
        self._lock = threading.Lock()

    def hear(self, worker: Hashable, text: str) -> None:
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


def note(text: str) -> None:
    """Where a map was started: say something beside what its workers say, until an empty text ends that."""
    hear = _HEAR.get()
    if hear is not None:
        hear("map", text)


@contextlib.contextmanager
def heard_from_afar() -> Iterator[Hear | None]:
    """For an engine: what hears its workers; None where nobody listens. At the end nothing holds that they said."""
    hear = _HEAR.get()
    if hear is None:
        yield None
        return
    heard: set[Hashable] = set()

    def tell(worker: Hashable, text: str) -> None:
        heard.add(worker)
        hear(worker, text)

    try:
        yield tell
    finally:
        for worker in heard:
            hear(worker, "")


@contextlib.contextmanager
def telling(hear: Hear) -> Iterator[None]:
    """In a worker: tell everything that is said in the block so."""
    token = _HEAR.set(hear)
    try:
        yield
    finally:
        _HEAR.reset(token)


@contextlib.contextmanager
def pipe_of_notes() -> Iterator[Connection | None]:
    """For an engine of processes: the end of a pipe for its workers to say something; None where nobody listens.

    The pipe is read until the block ends, by when the workers must have ended.
    """
    with heard_from_afar() as hear:
        if hear is None:
            yield None
            return
        reader, writer = multiprocessing.Pipe(duplex=False)

        def listen() -> None:
            # The pipe ends with the last worker, however that ended.
            with contextlib.suppress(EOFError, OSError):
                while True:
                    hear(*reader.recv())

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

    def tell(worker: Hashable, text: str) -> None:
        # So short a message is written as a whole, also beside those of other workers. A fault must not stop the work.
        with contextlib.suppress(OSError):
            writer.send((worker, text))

    _HEAR.set(tell)
