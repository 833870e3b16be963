"""The engine `here`: this process, one item after the other."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from voirdire.engine.protocol import ENGINES
from voirdire.engine.threads import OneThread
from voirdire.errors import UsageError

__all__ = ["Here"]

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True)
class Here:
    """This process."""

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results, each computed when it is asked for."""
        yield map(OneThread(prepare), items)


@ENGINES.register("here")
def _make(argument: str | None) -> Here:
    if argument is not None:
        raise UsageError(f"engine `here` takes no argument; {argument!r} came")
    return Here()
