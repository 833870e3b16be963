"""Where a heavy map runs: one protocol, providers by name (`here`, `processes:4`)."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from voirdire.errors import VoirDireError
from voirdire.providers import Registry

__all__ = ["ENGINES", "Engine", "WorkerLost"]

S = TypeVar("S")
R = TypeVar("R")


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
    """A worker ended without an answer, so nobody can say more than that."""


ENGINES: Registry[Engine] = Registry("engine", "voirdire.engines")
