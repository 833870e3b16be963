"""A pool of workers that are given items, wherever they run; items whose worker was lost are given again.

    pool.submit(item)  ->  number            number, outcome = pool.next()

An engine brings a `WorkerBackend`, which knows how to start work and to wait for some of it. What all engines have in
common is here: an item whose worker was lost is tried again, at most `RETRIES` times, and results come in the order of
the items.

Where others were at work beside it, in the same memory, it is given again when nothing else is at work: what did not
fit beside them may fit alone.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from voirdire.errors import VoirDireError
from voirdire.figures import counted

S = TypeVar("S")
R = TypeVar("R")
S_in = TypeVar("S_in", contravariant=True)

AHEAD = 4
"""Items per worker that may be under way or wait for their turn: enough that one slow item does not idle the others."""
RETRIES = 3
"""How often an item is tried again whose worker was lost."""


class WorkerLost(VoirDireError):
    """A worker ended without an answer, each time that it was tried; nothing more is known of it."""


@dataclass(frozen=True)
class Lost:
    """The outcome of an item whose worker is gone.

    why      the reason, where it is known
    crowded  whether others were at work beside it, in the same memory
    waiting  whether the item was not begun yet
    """

    why: str = ""
    crowded: bool = False
    waiting: bool = False


@dataclass(frozen=True)
class Finished(Generic[R]):
    """The outcome of an item that was done: a value, or what was raised."""

    value: R | None = None
    error: BaseException | None = None

    def get(self) -> R:
        """The value, or its error raised."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


class WorkerBackend(Protocol[S_in]):
    """What does the work, for one map."""

    @property
    def workers(self) -> int:
        """How many items are at work at once."""
        ...

    def give(self, number: int, item: S_in) -> None:
        """Begin the item, or have it wait until there is room."""
        ...

    def wait(self) -> Sequence[tuple[int, "Finished[Any] | Lost"]]:
        """The outcome of at least one of those that were given, as soon as it is known."""
        ...


class WorkerPool(Generic[S, R]):
    """A backend, with those items given again whose worker was lost."""

    def __init__(self, backend: WorkerBackend[S], remedy: str) -> None:
        """`remedy` says what may help where an item is lost again and again."""
        self._backend, self._remedy = backend, remedy
        self._items: dict[int, S] = {}
        self._count = 0
        self._tries: dict[int, int] = {}
        self._given: set[int] = set()
        self._ready: deque[int] = deque()
        self._alone: deque[int] = deque()
        self._ended: deque[tuple[int, Finished[R]]] = deque()

    @property
    def workers(self) -> int:
        """How many items are at work at once."""
        return self._backend.workers

    def submit(self, item: S) -> int:
        """Have the item done; gives its number, by which `next` names it."""
        number, self._count = self._count, self._count + 1
        self._items[number] = item
        self._ready.append(number)
        self._feed()
        return number

    def next(self) -> tuple[int, Finished[R]]:
        """The outcome of one of the items, whichever is done first; each comes once."""
        while not self._ended:
            for number, outcome in self._backend.wait():
                self._given.discard(number)
                if isinstance(outcome, Lost):
                    self._retry(number, outcome)
                else:
                    self._end(number, outcome)
            self._feed()
        return self._ended.popleft()

    def _feed(self) -> None:
        if self._alone:
            if not self._given:
                self._give(self._alone.popleft())
            return
        while self._ready:
            self._give(self._ready.popleft())

    def _give(self, number: int) -> None:
        self._given.add(number)
        self._backend.give(number, self._items[number])

    def _retry(self, number: int, lost: Lost) -> None:
        if lost.waiting:
            self._ready.append(number)
            return
        tries = self._tries[number] = self._tries.get(number, 0) + 1
        if tries > RETRIES:
            why = lost.why or "it was killed from outside, ran out of memory or crashed"
            text = f"its worker ended without an answer {counted(tries, 'time')}: {why}. {self._remedy}"
            self._end(number, Finished(error=WorkerLost(text)))
        elif lost.crowded:
            self._alone.append(number)
        else:
            self._ready.appendleft(number)

    def _end(self, number: int, outcome: Finished[R]) -> None:
        del self._items[number]
        self._tries.pop(number, None)
        self._ended.append((number, outcome))


class InOrder(Generic[S, R]):
    """The results of items in their order. One that failed is raised in its place; those after it go on."""

    def __init__(self, pool: WorkerPool[S, R], items: Iterable[S]) -> None:
        self._pool, self._items = pool, iter(items)
        self._waiting: deque[int] = deque()
        self._outcomes: dict[int, Finished[R]] = {}

    def __iter__(self) -> Iterator[R]:
        return self

    def __next__(self) -> R:
        room = AHEAD * self._pool.workers - len(self._waiting)
        self._waiting.extend(self._pool.submit(item) for item in islice(self._items, room))
        if not self._waiting:
            raise StopIteration
        number = self._waiting.popleft()
        while number not in self._outcomes:
            ended, outcome = self._pool.next()
            self._outcomes[ended] = outcome
        return self._outcomes.pop(number).get()
