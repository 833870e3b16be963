"""Where a heavy map runs: one protocol, providers by name (`here`, `processes:4`, `ray:10.0.0.1:6379`).

here           this process, one item after the other
processes[:N]  N processes on this machine, as many as there are processors where N is left out
ray[:ADDRESS]  a Ray cluster; one of this machine alone, started and ended with the program, where ADDRESS is left out

Other packages add engines through the entry-point group `voirdire.engines`.
"""

import contextlib
import os
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from voirdire.engine.shared_folder import remove_tokens
from voirdire.engine.threads import OneThread
from voirdire.engine.workers import WorkerPool
from voirdire.errors import UsageError, VoirDireError, shorten
from voirdire.options import MOST_WORKERS
from voirdire.providers import Registry

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

    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> AbstractContextManager[WorkerPool[S, R]]:
        """Workers that are given items one by one; leaving the context stops all work."""
        ...


@runtime_checkable
class RemoteEngine(Engine, Protocol):
    """An engine whose workers may be on machines that do not see what is written here."""

    def seeing(self, folder: Path) -> Engine:
        """The same engine for work on files of this folder, by name. A machine that does not see it is refused: those
        that are there now at once, one that comes later when it is given its first item."""
        ...


def on_files_in(engine: Engine | None, folder: Path) -> Engine | None:
    """An engine for work on files of a folder that nobody else works in; all of its workers have to see it."""
    remove_tokens(folder)
    return engine.seeing(folder) if isinstance(engine, RemoteEngine) else engine


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


def sendable(error: BaseException) -> BaseException:
    """The error as it can be built again where the map was started, with its traceback where it is a fault of ours."""
    try:
        same = type(pickle.loads(pickle.dumps(error))) is type(error)
    except Exception:
        same = False
    if isinstance(error, VoirDireError):
        return error if same else VoirDireError(str(error))
    sent = error if same else RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note("".join(traceback.format_exception(error)))
    return sent


@ENGINES.register("processes")
def _processes(argument: str | None) -> Engine:
    from voirdire.engine.processes import Processes

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
