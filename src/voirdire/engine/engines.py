"""Where a heavy map runs: one protocol, providers by name (`here`, `processes:4`, `ray:10.0.0.1:6379`).

here           this process, one item after the other
processes[:N]  N processes on this machine, as many as there are processors where N is left out
ray[:ADDRESS]  a Ray cluster; one of this machine alone, started and ended with the program, where ADDRESS is left out

The standard library's pool runs the processes. Three things are added to it, because it lacks them: workers end when
their parent is killed (they would wait for it for ever), leaving the map early kills them instead of waiting for them,
and a pool that lost a worker is built anew. A script of one's own that uses processes must do so below
`if __name__ == "__main__":`, as with any spawned process. Other packages add engines through the entry-point group
`voirdire.engines`.
"""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from voirdire.engine.crew import Crew, Finished, InOrder, Lost
from voirdire.engine.notes import pipe_of_notes, say_through
from voirdire.engine.seen import sweep_words
from voirdire.engine.threads import OneThread, switched_on
from voirdire.errors import UsageError, VoirDireError, shorten
from voirdire.options import MOST_WORKERS
from voirdire.providers import Registry

__all__ = ["ENGINES", "Engine", "FarEngine", "Here", "Processes", "SharedEngine", "on_files_in", "sendable"]

S = TypeVar("S")
R = TypeVar("R")


class Engine(Protocol):
    """Maps a function over items, in order, lazily, somewhere."""

    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> AbstractContextManager[Iterator[R]]:
        """The results in the order of the items.

        `prepare` is called once in each worker, not at all where there are no items. It and its function run with one
        thread of BLAS, torch and numba. Only a bounded number of items is taken ahead of the result that is asked for.
        An exception of the function is raised where its result would stand, and the next result can still be asked
        for. An item whose worker was lost is tried again some times, then a `WorkerLost` is raised in its place.
        Leaving the context stops all work.
        """
        ...


@runtime_checkable
class SharedEngine(Engine, Protocol):
    """An engine whose workers also take items in an order that is not known ahead."""

    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> AbstractContextManager[Crew[S, R]]:
        """Workers that are given items one by one; leaving the context stops all work."""
        ...


@runtime_checkable
class FarEngine(Engine, Protocol):
    """An engine whose workers may be on machines that do not see what is written here."""

    def seeing(self, folder: Path) -> Engine:
        """The same engine for work on files of this folder, by name. A machine that does not see it is refused: those
        that are there now at once, one that comes later when it is given its first item."""
        ...


def on_files_in(engine: Engine | None, folder: Path) -> Engine | None:
    """An engine for work on files of a folder that nobody else works in; all of its workers have to see it."""
    sweep_words(folder)
    return engine.seeing(folder) if isinstance(engine, FarEngine) else engine


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
    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> Iterator[Crew[S, R]]:
        """Workers for items whose order is not known ahead; leaving the block kills those that are still busy."""
        remedy = (
            "What was finished is kept: run the same command again, with fewer processes if memory was short "
            f"(this was processes:{self.workers})."
        )
        # Until it has this process's path, a process that starts would import from the working folder.
        with switched_on("PYTHONSAFEPATH"), pipe_of_notes() as said:
            pool: _Pool[S] = _Pool(self.workers, prepare, said)
            ended = False
            try:
                yield Crew(pool, remedy)
                ended = not pool.futures
            finally:
                # Ctrl-C may come while an item is handed over, which is then not among the busy ones.
                pool.end(kill=not ended)

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results in order, with at most `AHEAD` items per worker taken ahead."""
        with self.opened(prepare) as crew:
            yield InOrder(crew, items)


class _Pool(Generic[S]):
    """The hands of `Processes`: a pool, and another one when a worker of it is lost.

    The pool begins items in the order in which they are given. So where it breaks, those at work were among the oldest
    that are not done, as many as there are workers; which of them it was nobody knows.
    """

    def __init__(self, workers: int, prepare: Callable[[], Callable[[S], Any]], said: Connection | None) -> None:
        self.workers = workers
        self.futures: dict[Future[Any], int] = {}
        self._start = prepare, said
        self._pool: ProcessPoolExecutor | None = None

    def give(self, number: int, item: S) -> None:
        """Put it in the pool's queue."""
        _let_interrupts_end_waits()
        # A pool that is made starts a process of the library's own, after which Ctrl-C is not held any more.
        pool = self._made()
        with _interrupts_held():
            try:
                future = pool.submit(_work, item)
            except BrokenProcessPool as error:
                # It broke since it was last looked at; that is told when it is waited for.
                future = Future()
                future.set_exception(error)
        self.futures[future] = number

    def wait(self) -> Sequence[tuple[int, Finished[Any] | Lost]]:
        """What the pool has done, or all that it lost."""
        done = wait(self.futures, return_when=FIRST_COMPLETED).done
        errors = {future: future.exception() for future in done}
        found: list[tuple[int, Finished[Any] | Lost]] = [
            (self.futures.pop(future), Finished(None if error else future.result(), error))
            for future, error in errors.items()
            if not isinstance(error, BrokenProcessPool)
        ]
        if any(isinstance(error, BrokenProcessPool) for error in errors.values()):
            self.end(kill=True)
            for place, future in enumerate(list(self.futures)):
                # Some may have ended well while the pool broke.
                number, error = self.futures[future], future.exception()
                if not isinstance(error, BrokenProcessPool):
                    found.append((number, Finished(None if error else future.result(), error)))
                else:
                    alone = self.workers == 1 or len(self.futures) == 1
                    found.append((number, Lost(certain=alone, waiting=place >= self.workers)))
            self.futures.clear()
        return found

    def _made(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            # The pool is not asked to replace workers after some items: up to Python 3.15 it can then wait for ever.
            self._pool = ProcessPoolExecutor(self.workers, context, initializer=_start, initargs=self._start)
        return self._pool

    def end(self, kill: bool) -> None:
        """Let the processes end, or end them."""
        if self._pool is None:
            return
        pool, self._pool = self._pool, None
        if kill:
            for process in list((pool._processes or {}).values()):
                process.kill()
        pool.shutdown()


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
        raise sendable(error) from error


def sendable(error: BaseException) -> BaseException:
    """The error as it can be sent to the parent; one that cannot be built again there would break the pool."""
    with contextlib.suppress(Exception):
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    if isinstance(error, VoirDireError):
        return VoirDireError(str(error))
    return RuntimeError(f"{type(error).__name__}: {error}")


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


@ENGINES.register("ray")
def _ray(argument: str | None) -> Engine:
    from voirdire.engine.on_ray import make_engine

    return make_engine(argument)
