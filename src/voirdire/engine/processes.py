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
from voirdire.engine.notes import pipe_of_notes, say_through
from voirdire.engine.threads import OneThread, switched_on
from voirdire.engine.workers import Crew, Finished, InOrder, Lost
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
    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> Iterator[Crew[S, R]]:
        """Workers for items whose order is not known ahead; leaving the block kills those that are still busy."""
        remedy = (
            "What was finished is kept: run the same command again, with fewer processes if memory was short "
            f"(this was processes:{self.workers})."
        )
        # Until it has this process's path, a process that starts would import from the working folder.
        with switched_on("PYTHONSAFEPATH"), pipe_of_notes() as said:
            hands: _Hands[S] = _Hands(self.workers, prepare, said)
            try:
                yield Crew(hands, remedy)
            finally:
                hands.end()

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results in order, with at most `AHEAD` items per worker taken ahead."""
        with self.opened(prepare) as crew:
            yield InOrder(crew, items)


@dataclass
class _Worker:
    """A process, and the number of the item that it is at; None while it is idle."""

    process: SpawnProcess
    pipe: Connection
    number: int | None = None


class _Hands(Generic[S]):
    """The hands of `Processes`. What is given and what is found pass through queues; the rest is the thread's own."""

    def __init__(self, workers: int, prepare: Prepare, said: Connection | None) -> None:
        self.workers = workers
        self._start = prepare, said
        self._given: deque[tuple[int, bytes]] = deque()
        self._found: queue.SimpleQueue[tuple[int, Finished[Any] | Lost] | BaseException] = queue.SimpleQueue()
        self._team: list[_Worker] = []
        self._begun, self._over = threading.Event(), False
        self._thread: threading.Thread | None = None
        self._hears, self._calls = multiprocessing.Pipe(duplex=False)

    def give(self, number: int, item: S) -> None:
        """Have it done as soon as a worker is free."""
        try:
            data = pickle.dumps(item)
        except Exception as error:
            self._found.put((number, Finished(error=error)))
            return
        self._given.append((number, data))
        if self._thread is None:
            # With the first process it would start, too, and Ctrl-C is not held back after that.
            if os.name == "posix":
                resource_tracker.ensure_running()
            atexit.register(self.end)
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        self._calls.send_bytes(b"")

    def wait(self) -> Sequence[tuple[int, Finished[Any] | Lost]]:
        """What the workers have done or lost."""
        _let_interrupts_end_waits()
        one = self._found.get()
        if isinstance(one, BaseException):
            self._found.put(one)  # Nobody works any more, whoever asks again.
            raise one
        return [one]

    def end(self) -> None:
        """Let idle workers end, and kill those that are busy."""
        atexit.unregister(self.end)
        self._over = True
        # Ctrl-C may come while the thread starts. Where it has not begun by now, it finds that all is over.
        if self._thread is not None and self._begun.is_set() and not self._calls.closed:
            self._calls.send_bytes(b"")
            self._thread.join()
        self._hears.close()
        self._calls.close()

    def _run(self) -> None:
        self._begun.set()
        try:
            with _interrupts_held():
                while not self._over:
                    self._hand_out()
                    self._look()
        except BaseException as error:
            self._found.put(error)
        finally:
            _part_from(self._team)

    def _hand_out(self) -> None:
        idle = [worker for worker in self._team if worker.number is None]
        # All start before one is given anything, which it may not take before it has started.
        while len(idle) < len(self._given) and len(self._team) < self.workers:
            idle.append(self._hired())
        for worker in idle[: len(self._given)]:
            worker.number, data = self._given.popleft()
            # One that is gone is noticed by its pipe, like those that go later.
            with contextlib.suppress(OSError):
                worker.pipe.send_bytes(data)

    def _hired(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        with theirs:
            process = SPAWN.Process(target=_serve, args=(*self._start, theirs))
            process.start()
        worker = _Worker(process, ours)
        self._team.append(worker)
        return worker

    def _look(self) -> None:
        """Wait until there is something to do, and take what workers have done."""
        ready = connection.wait([self._hears, *(worker.pipe for worker in self._team)])
        while self._hears.poll():
            self._hears.recv_bytes()
        for worker in [worker for worker in self._team if worker.pipe in ready]:
            try:
                data = worker.pipe.recv_bytes()
            except (EOFError, OSError):
                self._lose(worker)
            else:
                assert worker.number is not None
                number, worker.number = worker.number, None
                self._found.put((number, _read(data)))

    def _lose(self, worker: _Worker) -> None:
        self._team.remove(worker)
        _part_from([worker])
        if worker.number is not None:
            crowded = any(one.number is not None for one in self._team)
            self._found.put((worker.number, Lost(crowded=crowded)))


def _part_from(workers: list[_Worker]) -> None:
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
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back in processes that start and inherit this: they would die noisily before they can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _let_interrupts_end_waits() -> None:
    """Polars, once it is loaded, takes Ctrl-C in a way that has the parent go on waiting for its workers."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)


def _serve(prepare: Prepare, said: Connection | None, pipe: Connection) -> None:
    """In a worker: do what comes until the pipe ends."""
    # Ctrl-C reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    say_through(said)
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
