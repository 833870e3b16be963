"""Where a heavy map runs: one protocol, providers by name (`here`, `processes:4`).

here           this process, one item after the other
processes[:N]  N processes on this machine, as many as there are processors where N is left out

The standard library's pool runs the processes. Two things are added to it, because it lacks them: workers end when
their parent is killed (they would wait for it for ever), and leaving the map early kills them instead of waiting for
them. A script of one's own that uses processes must do so below `if __name__ == "__main__":`, as with any spawned
process. Other packages add engines through the entry-point group `voirdire.engines`.
"""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeVar

from voirdire.engine.notes import pipe_of_notes, say_through
from voirdire.engine.threads import OneThread, switched_on
from voirdire.errors import UsageError, VoirDireError, shorten
from voirdire.options import MOST_WORKERS
from voirdire.providers import Registry

__all__ = ["ENGINES", "Engine", "Here", "Processes", "WorkerLost", "lost"]

S = TypeVar("S")
R = TypeVar("R")

AHEAD = 4
"""Items per worker that may be under way or wait for their turn: enough that one slow item does not idle the others."""


class Engine(Protocol):
    """Maps a function over items, in order, lazily, somewhere."""

    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> AbstractContextManager[Iterator[R]]:
        """The results in the order of the items.

        `prepare` is called once in each worker, not at all where there are no items. It and its function run with one
        thread of BLAS, torch and numba. Only a bounded number of items is taken ahead of the result that is asked for.
        An exception of the function is raised where its result would stand. Leaving the context stops all work.
        """
        ...


class WorkerLost(VoirDireError):
    """A worker ended without an answer; nothing more is known of it."""


def lost(workers: int, about: str = "") -> WorkerLost:
    """What to raise where one of so many processes is gone; `about` says what was under way, where that is known."""
    return WorkerLost(
        "a worker process ended without an answer: it was killed from outside, ran out of memory or crashed. "
        "What was finished is kept: run the same command again, with fewer processes if memory was short "
        f"(this was processes:{workers}).{' ' if about else ''}{about}"
    )


ENGINES: Registry[Engine] = Registry("engine", "voirdire.engines")


@dataclass(frozen=True)
class Here:
    """This process."""

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results, each computed when it is asked for."""
        yield map(OneThread(prepare), items)


@ENGINES.register("here")
def _here(argument: str | None) -> Here:
    if argument is not None:
        raise UsageError(f"engine `here` takes no argument, got {argument!r}")
    return Here()


@dataclass(frozen=True)
class Processes:
    """Local processes, started afresh (spawned, not forked) for each map."""

    workers: int

    def __post_init__(self) -> None:
        if not 1 <= self.workers <= MOST_WORKERS:
            raise ValueError(f"`workers` must be from 1 to {MOST_WORKERS:,}, got {self.workers}")

    @contextlib.contextmanager
    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> Iterator[Callable[[S], "Future[R]"]]:
        """A function that hands an item to the workers, for work whose order is not known ahead.

        Leaving the block kills workers that are still busy.
        """
        context = multiprocessing.get_context("spawn")
        busy: set[Future[R]] = set()
        # Until it has this process's path, a process that starts would import from the working folder.
        with switched_on("PYTHONSAFEPATH"), pipe_of_notes() as said:
            # The pool is not asked to replace workers after some items: up to Python 3.15 it can then wait for ever.
            pool = ProcessPoolExecutor(self.workers, context, initializer=_start, initargs=(prepare, said))

            def submit(item: S) -> Future[R]:
                _let_interrupts_end_waits()
                with _interrupts_held():
                    future: Future[R] = pool.submit(_work, item)
                busy.add(future)
                future.add_done_callback(busy.discard)
                return future

            ended = False
            try:
                with self._losses_named():
                    yield submit
                ended = not busy
            finally:
                # Ctrl-C may come while an item is handed over, which is then not among the busy ones.
                if not ended:
                    for process in list((pool._processes or {}).values()):
                        process.kill()
                pool.shutdown()

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results in order, with at most `AHEAD` items per worker taken ahead."""
        with self.opened(prepare) as submit:
            yield self._results(submit, iter(items))

    def _results(self, submit: Callable[[S], "Future[R]"], items: Iterator[S]) -> Iterator[R]:
        waiting: deque[Future[R]] = deque()
        while True:
            with self._losses_named():
                waiting.extend(submit(item) for item in islice(items, AHEAD * self.workers - len(waiting)))
                if not waiting:
                    return
                result = waiting.popleft().result()
            yield result

    @contextlib.contextmanager
    def _losses_named(self) -> Iterator[None]:
        try:
            yield
        except BrokenProcessPool:
            raise lost(self.workers) from None


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


_function: OneThread[Any, Any]
"""In a worker: what it was started for."""


def _start(prepare: Callable[[], Callable[[Any], Any]], said: Connection | None) -> None:
    """Make this process a worker. Ctrl-C reaches the whole group; the parent decides what it means."""
    global _function
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    say_through(said)
    _function = OneThread(prepare)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(item: Any) -> Any:
    try:
        return _function(item)
    except (Exception, SystemExit) as error:
        if _travels(error):
            raise
        kind = VoirDireError if isinstance(error, VoirDireError) else RuntimeError
        raise kind(str(error) if kind is VoirDireError else f"{type(error).__name__}: {error}") from error


def _travels(error: BaseException) -> bool:
    """Whether the error can be sent to the parent; one that cannot be built again there would break the pool."""
    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)
    except Exception:
        return False


@ENGINES.register("processes")
def _processes(argument: str | None) -> Processes:
    if argument is None:
        return Processes(os.cpu_count() or 1)
    digits = argument.isascii() and argument.isdigit() and len(argument) < 10
    if not (digits and 1 <= int(argument) <= MOST_WORKERS):
        raise UsageError(
            f"engine `processes` takes the number of processes, from 1 to {MOST_WORKERS:,}, as in processes:4, "
            f"got {shorten(argument)}"
        )
    return Processes(int(argument))
