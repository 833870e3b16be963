"""The engine `processes:N`: local processes, each with a pipe of its own.

One thread owns the processes. It starts one when there is an item and nobody idle to do it, hands out the items in the
order in which they were given, and notices who is gone: a pipe that ends has lost its worker, and the item that it was
at is known. The others go on.

The standard library's pool does less: one lost worker breaks the whole of it, nobody knows at which item, and before
Python 3.12.1 an item that is handed over at that moment may end in any error or never end. Its workers also wait for
ever for a parent that was killed, and leaving it early waits for them.

A script of one's own that uses processes must do so below `if __name__ == "__main__":`, as with any spawned process.
"""

import atexit
import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, TypeVar

from voirdire.engine.engines import sendable
from voirdire.engine.notes import note_pipe, send_notes_through
from voirdire.engine.threads import OneThread, switched_on
from voirdire.engine.workers import Finished, InOrder, Lost, WorkerPool
from voirdire.options import MOST_WORKERS

S = TypeVar("S")
R = TypeVar("R")

Prepare = Callable[[], Callable[[Any], Any]]

SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Processes:
    """Local processes, started afresh (spawned, not forked) for each map."""

    workers: int

    def __post_init__(self) -> None:
        if not 1 <= self.workers <= MOST_WORKERS:
            raise ValueError(f"`workers` must be from 1 to {MOST_WORKERS:,}, got {self.workers}")

    @contextlib.contextmanager
    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> Iterator[WorkerPool[S, R]]:
        """Workers for items whose order is not known ahead; leaving the block kills those that are still busy."""
        remedy = (
            "What was finished is kept: run the same command again, with fewer processes if memory was short "
            f"(this was processes:{self.workers})."
        )
        # Until it has this process's path, a process that starts would import from the working folder.
        with switched_on("PYTHONSAFEPATH"), note_pipe() as notes:
            backend: _ProcessBackend[S] = _ProcessBackend(self.workers, prepare, notes)
            try:
                yield WorkerPool(backend, remedy)
            finally:
                backend.end()

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results in order, with at most `AHEAD` items per worker taken ahead."""
        with self.opened(prepare) as pool:
            yield InOrder(pool, items)


@dataclass
class _Worker:
    """A process, and the number of the item that it is at; None while it is idle."""

    process: SpawnProcess
    pipe: Connection
    number: int | None = None


class _ProcessBackend(Generic[S]):
    """The backend of `Processes`. Items and outcomes pass through queues; the rest belongs to the thread alone."""

    def __init__(self, workers: int, prepare: Prepare, notes: Connection | None) -> None:
        self.workers = workers
        self._start = prepare, notes
        self._queue: deque[tuple[int, bytes]] = deque()
        self._outcomes: queue.SimpleQueue[tuple[int, Finished[Any] | Lost] | BaseException] = queue.SimpleQueue()
        self._running: list[_Worker] = []
        self._entered, self._over = threading.Event(), False
        self._thread: threading.Thread | None = None
        self._wake_end, self._wake = multiprocessing.Pipe(duplex=False)

    def give(self, number: int, item: S) -> None:
        """Have it done as soon as a worker is free."""
        try:
            data = pickle.dumps(item)
        except Exception as error:
            self._outcomes.put((number, Finished(error=error)))
            return
        self._queue.append((number, data))
        if self._thread is None:
            # It would start with the first process, too, and Ctrl-C is not blocked after that.
            if os.name == "posix":
                resource_tracker.ensure_running()
            atexit.register(self.end)
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        self._wake.send_bytes(b"")

    def wait(self) -> Sequence[tuple[int, Finished[Any] | Lost]]:
        """What the workers have done or lost."""
        # Polars, once it is loaded, takes Ctrl-C in a way that has the parent go on waiting for its workers.
        if hasattr(signal, "siginterrupt"):
            signal.siginterrupt(signal.SIGINT, True)
        outcome = self._outcomes.get()
        if isinstance(outcome, BaseException):
            self._outcomes.put(outcome)  # Nobody works any more, whoever asks again.
            raise outcome
        return [outcome]

    def end(self) -> None:
        """Let idle workers end, and kill those that are busy."""
        atexit.unregister(self.end)
        self._over = True
        # Ctrl-C may come while the thread starts. Where it has not begun by now, it finds that all is over.
        if self._thread is not None and self._entered.is_set() and not self._wake.closed:
            self._wake.send_bytes(b"")
            self._thread.join()
        self._wake_end.close()
        self._wake.close()

    def _run(self) -> None:
        self._entered.set()
        try:
            with _interrupts_blocked():
                while not self._over:
                    self._hand_out()
                    self._collect()
        except BaseException as error:
            self._outcomes.put(error)
        finally:
            _end_workers(self._running)

    def _hand_out(self) -> None:
        idle = [worker for worker in self._running if worker.number is None]
        # All start before one is given anything, which it may not take before it has started.
        while len(idle) < len(self._queue) and len(self._running) < self.workers:
            idle.append(self._started())
        for worker in idle[: len(self._queue)]:
            worker.number, data = self._queue.popleft()
            # One that is gone is noticed by its pipe, like those that go later.
            with contextlib.suppress(OSError):
                worker.pipe.send_bytes(data)

    def _started(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        with theirs:
            process = SPAWN.Process(target=_serve, args=(*self._start, theirs))
            process.start()
        worker = _Worker(process, ours)
        self._running.append(worker)
        return worker

    def _collect(self) -> None:
        """Wait until there is something to do, and take what workers have done."""
        ready = connection.wait([self._wake_end, *(worker.pipe for worker in self._running)])
        while self._wake_end.poll():
            self._wake_end.recv_bytes()
        for worker in [worker for worker in self._running if worker.pipe in ready]:
            try:
                data = worker.pipe.recv_bytes()
            except (EOFError, OSError):
                self._lose(worker)
            else:
                assert worker.number is not None
                number, worker.number = worker.number, None
                self._outcomes.put((number, _read(data)))

    def _lose(self, worker: _Worker) -> None:
        self._running.remove(worker)
        _end_workers([worker])
        if worker.number is not None:
            crowded = any(other.number is not None for other in self._running)
            self._outcomes.put((worker.number, Lost(crowded=crowded)))


def _end_workers(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.pipe.close()  # At which an idle one ends.
        if worker.number is not None:
            worker.process.kill()
    for worker in workers:
        worker.process.join()


def _read(data: bytes) -> Finished[Any]:
    try:
        done, value = pickle.loads(data)
    except Exception as error:
        return Finished(error=error)
    return Finished(value) if done else Finished(error=value)


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in processes that start and inherit this: they would die noisily before they can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(prepare: Prepare, notes: Connection | None, pipe: Connection) -> None:
    """In a worker: do what comes until the pipe ends."""
    # Ctrl-C reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    send_notes_through(notes)
    function = OneThread(prepare)
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(_done(function, pipe.recv_bytes()))


def _done(function: OneThread[Any, Any], item: bytes) -> bytes:
    try:
        return pickle.dumps((True, function(pickle.loads(item))))
    except (Exception, SystemExit) as error:
        return pickle.dumps((False, sendable(error)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
