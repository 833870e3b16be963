"""Notes: what workers do beside their results ("compiling (once)"), for whoever started the map.

    with listening(show):                         with noting("preparing"):
        run_map(…)                                    …

`show` is called with the current notes of all workers together, each text once, and with an empty text where there are
none. A worker in this process passes its notes by a plain call, one in another process through a pipe. Where nobody
listens, notes go nowhere.
"""

import contextlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Hashable, Iterator
from contextvars import ContextVar
from multiprocessing.connection import Connection

Listener = Callable[[Hashable, str], None]
"""Called with the process of a worker, and what it does from now on; an empty text where that is over."""

_LISTENER: ContextVar[Listener | None] = ContextVar("_LISTENER", default=None)
_NOTE: ContextVar[str] = ContextVar("_NOTE", default="")


class WorkerNotes:
    """The latest note of each worker; `show` is called with all of them whenever one changes."""

    def __init__(self, show: Callable[[str], None] = lambda text: None) -> None:
        self._show = show
        self._notes: dict[Hashable, str] = {}
        self._lock = threading.Lock()

    def update(self, worker: Hashable, text: str) -> None:
        """Keep the latest note of a worker."""
        with self._lock:
            if text:
                self._notes[worker] = text
            else:
                self._notes.pop(worker, None)
            self._show(self._text())

    def now(self) -> str:
        """All notes at this moment, each text once."""
        with self._lock:
            return self._text()

    def _text(self) -> str:
        return ", ".join(sorted(set(self._notes.values())))

    def clear(self) -> None:
        """Forget all notes: the workers are gone."""
        with self._lock:
            self._notes.clear()
            self._show("")


@contextlib.contextmanager
def listening(show: Callable[[str], None] = lambda text: None) -> Iterator[WorkerNotes]:
    """Listen to the workers of all maps that are started in the block."""
    notes = WorkerNotes(show)
    with notes_sent_to(notes.update):
        try:
            yield notes
        finally:
            notes.clear()


def has_listener() -> bool:
    """In a worker: whether anybody listens."""
    return _LISTENER.get() is not None


@contextlib.contextmanager
def noting(text: str) -> Iterator[None]:
    """In a worker: note `text` for the length of the block, and then again what was noted before."""
    listener = _LISTENER.get()
    if listener is None:
        yield
        return
    token = _NOTE.set(text)
    listener(os.getpid(), text)
    try:
        yield
    finally:
        _NOTE.reset(token)
        listener(os.getpid(), _NOTE.get())


def note(text: str) -> None:
    """Where a map was started: a note beside those of its workers, until an empty text ends it."""
    listener = _LISTENER.get()
    if listener is not None:
        listener("map", text)


@contextlib.contextmanager
def remote_listener() -> Iterator[Listener | None]:
    """For an engine: the listener to its workers; None where nobody listens. At the end their notes are removed."""
    listener = _LISTENER.get()
    if listener is None:
        yield None
        return
    workers: set[Hashable] = set()

    def pass_on(worker: Hashable, text: str) -> None:
        workers.add(worker)
        listener(worker, text)

    try:
        yield pass_on
    finally:
        for worker in workers:
            listener(worker, "")


@contextlib.contextmanager
def notes_sent_to(listener: Listener) -> Iterator[None]:
    """In a worker: send all notes of the block to this listener."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextlib.contextmanager
def note_pipe() -> Iterator[Connection | None]:
    """For an engine of processes: the end of a pipe for the notes of its workers; None where nobody listens.

    The pipe is read until the block ends, by when the workers must have ended.
    """
    with remote_listener() as listener:
        if listener is None:
            yield None
            return
        reader, writer = multiprocessing.Pipe(duplex=False)

        def read() -> None:
            # The pipe ends with the last worker, however that ended.
            with contextlib.suppress(EOFError, OSError):
                while True:
                    listener(*reader.recv())

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        try:
            yield writer
        finally:
            writer.close()
            thread.join(1.0)
            reader.close()


def send_notes_through(writer: Connection | None) -> None:
    """In a process that has just become a worker: send all notes through this pipe from now on."""
    if writer is None:
        return

    def send(worker: Hashable, text: str) -> None:
        # So short a message is written as a whole, also beside those of other workers. A fault must not stop the work.
        with contextlib.suppress(OSError):
            writer.send((worker, text))

    _LISTENER.set(send)
