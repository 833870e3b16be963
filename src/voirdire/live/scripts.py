"""Put tasks to a model: many at once, each reply kept before it counts, nothing that is kept asked again.

A *script* is a coroutine that asks and goes on by the replies: a single question, a dialogue with the model's own
answers, a whole game. It is given `ask` and knows nothing of connections, journals or limits. When a run that was
killed is called again, its scripts start again, get the earlier replies from the journal, and so come to where they
were. What an endpoint did not answer is not kept: it is a fault of this call, and asked again by the next one.

A request that is refused for what is in it is a missing answer, and the others go on. Such refusals are kept when all
is over; where there are too many of them, it stops, and they are asked again by the next call.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from voirdire.errors import UsageError, shorten
from voirdire.live.batches import Batches
from voirdire.live.client import Refused, Unanswered
from voirdire.live.journal import Journal, key_of
from voirdire.live.model import Asking, LiveModel, Reply, Task, VisualInput
from voirdire.live.prices import Price, Prices
from voirdire.live.ways import way_of
from voirdire.progress import Progress, silent
from voirdire.runs.provenance import CONTENT, CONTEXT, IMAGE_SAFETY, PICTURE, REFUSALS, REFUSED, TOOL_CALL
from voirdire.runs.readings import ReadingCount

T = TypeVar("T")
Served = Counter[tuple[str, str]]
"""How many replies there are by the model that was asked and what its endpoint says it served."""

Script = Callable[[Asking], Awaitable[T]]
ABREAST = 2
"""Scripts at work for each connection, so that none is idle while a script thinks."""
IN_VAIN = 16
"""Requests without a reply, one after the other, before the call gives up."""


AT_FIRST = 4
"""Refusals that nobody knows, before any reply, that are no longer a matter of single items."""
FEWEST_REFUSED = 20
"""Refused items below which their share stops nothing."""
_HELP = {
    CONTENT: "Its filter is set at the server; with `max_refused` 1 nothing stops",
    IMAGE_SAFETY: "Its filter is set at the server; with `max_refused` 1 nothing stops",
    CONTEXT: "Serve the model with a longer context, or show it smaller pictures (`longest`)",
    PICTURE: "Show it smaller pictures (`longest`), words or nothing (`show`)",
    TOOL_CALL: 'Forbid it tools with `extra_body` {"tool_choice": "none"}',
    REFUSED: "`extra_body` and `header` change what is sent",
}
"""What helps where the most refusals are of a kind."""


class Spent(UsageError):
    """A ceiling was reached: the replies so far are kept, and nothing more is asked."""


@dataclass(frozen=True)
class Ceiling:
    """How much may be asked in one call; 0 for no limit.

    requests  that are sent
    cost      in the currency of the prices
    prices    what tokens cost, by model
    """

    requests: int = 0
    cost: float = 0.0
    prices: Prices = field(default_factory=Prices)


@dataclass
class Spending:
    """What a call has asked for and spent so far, over all its models; estimated where the endpoint gives no tokens."""

    requests: int = 0
    cost: float = 0.0
    estimated: bool = False


@dataclass
class ScriptResults(Generic[T]):
    """What became of the scripts.

    results   in the order of the scripts; None for one that a ceiling cut short
    asked     tasks that went to the model in this call
    kept      tasks whose reply was in the journal already
    faults    why there is no reply, by kind, over all tasks
    marks     peculiarities of replies, by kind, over all tasks
    tokens    sent and received, over all tasks
    unanswered  tasks that the endpoint gave no reply to: they are not kept
    why       what happened to the last of these
    keep        puts the replies into the journal that it does not have yet
    """

    results: list[T | None]
    asked: int = 0
    kept: int = 0
    unanswered: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    tokens: tuple[int, int] = (0, 0)
    stopped: str = ""
    why: str = ""
    keep: Callable[[], None] = field(default=lambda: None, compare=False)


async def run_scripts(
    scripts: Iterable[Script[T]],
    model: LiveModel,
    journal: Journal,
    *,
    pictures: Callable[[VisualInput], bytes | None] = lambda seen: None,
    others: Callable[[str], LiveModel] | None = None,
    connections: int = 8,
    ceiling: Ceiling | None = None,
    spending: Spending | None = None,
    max_refused: float = 1.0,
    keep: bool = True,
    progress: Progress = silent,
    total: int = 0,
    on_reply: Callable[[int], None] = lambda count: None,
    served: Served | None = None,
    readings: ReadingCount | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> ScriptResults[T]:
    """Let all scripts ask the model, several at once.

    others     makes a model that a script asks by its name
    spending   of the whole call, where the ceiling covers more than these scripts
    max_refused  the share of refused items above which it stops
    keep       whether replies go to the journal; else the caller decides, by the `keep` of what is returned
    on_reply   called after each reply with how many came in this call
    served     counts who gave the replies, where that covers more than these scripts
    readings   counts in which ways they were read
    say        called with a line when an endpoint begins to serve another model
    """
    limits = ceiling or Ceiling(), spending or Spending()
    servers = Counter() if served is None else served
    count = ReadingCount() if readings is None else readings
    loop = _Loop(model, journal, pictures, *limits, others, on_reply, servers, count, say, max_refused, keep)
    results: dict[int, T | None] = {}
    waiting = enumerate(scripts)

    async def work() -> None:
        for number, script in waiting:
            results[number] = None
            try:
                results[number] = await script(loop.ask)
            except Spent as error:
                loop.stopped = str(error)
                return
            loop.done += 1
            progress(loop.done, max(total, len(results)))

    at_once = max(connections, model.batch)
    try:
        async with loop.opened, _stopping_together([work for _ in range(ABREAST * at_once)]):
            pass
        loop.check_answered()
    finally:
        if keep and not loop.too_many_refused:
            loop.keep()
    finished = [results[number] for number in sorted(results)]
    counts = loop.asked, loop.kept, loop.unanswered
    return ScriptResults(finished, *counts, loop.faults, loop.marks, loop.tokens, loop.stopped, loop.why, loop.keep)


@contextlib.asynccontextmanager
async def _stopping_together(workers: Iterable[Callable[[], Awaitable[None]]]) -> AsyncIterator[None]:
    """All workers to their end; where one fails the others are stopped, and its own error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for worker in workers:
                group.create_task(worker())  # type: ignore[arg-type]
            yield
    except* Exception as group_of_errors:
        first: BaseException = group_of_errors
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None


@dataclass
class _Loop:
    """Gets the replies for all scripts: from the journal, or from the model and then into the journal."""

    model: LiveModel
    journal: Journal
    pictures: Callable[[VisualInput], bytes | None]
    ceiling: Ceiling
    spending: Spending
    others: Callable[[str], LiveModel] | None = None
    on_reply: Callable[[int], None] = lambda count: None
    served: Served = field(default_factory=Counter)
    readings: ReadingCount = field(default_factory=ReadingCount)
    say: Callable[[str], None] = lambda line: None
    max_refused: float = 1.0
    keeps: bool = True
    asked: int = 0
    kept: int = 0
    unanswered: int = 0
    in_vain: int = 0
    counted: int = 0
    too_many_refused: bool = False
    faults: Counter[str] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    tokens: tuple[int, int] = (0, 0)
    done: int = 0
    stopped: str = ""
    opened: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)
    _batches: dict[int, Batches] = field(default_factory=dict)
    _in_vain: Unanswered | None = None
    _answered: bool = False
    _unknown: Refused | None = None
    _unknowns: int = 0
    _waiting: "dict[str, tuple[Any, Reply]]" = field(default_factory=dict)
    _on_the_way: dict[str, "asyncio.Future[Reply]"] = field(default_factory=dict)
    _asked: "dict[str, asyncio.Future[LiveModel]]" = field(default_factory=dict)

    async def ask(self, task: Task, spec: str = "") -> Reply:
        """The reply to a task; the same task that is asked twice at once goes out once."""
        model = await self._model(spec)
        if (steps := model.in_steps(task, partial(self.ask, spec=spec))) is not None:
            return await steps
        request = {"task": msgspec.to_builtins(task), "model": model.identity}
        key = key_of(request)
        if key in self._waiting:
            self.kept += 1
            return self._counted(task, self._waiting[key][1], model)
        if (kept := self.journal.get(key)) is not None:
            self.kept += 1
            self._answered = self._answered or not kept.fault
            return self._counted(task, kept, model)
        if key in self._on_the_way:
            return await asyncio.shield(self._on_the_way[key])
        self._check_ceiling()
        price = self.ceiling.prices.of(model)
        self.asked += 1
        self.spending.requests += 1
        coming = self._on_the_way[key] = asyncio.get_running_loop().create_future()
        try:
            picture = self.pictures(task.seen)
            reply = await self._replied(model, task, () if picture is None else (picture,))
            if reply.kept and self.keeps and reply.fault not in REFUSALS:
                self.journal.add(key, request, reply)
            elif reply.kept:
                self._waiting[key] = request, reply
        except BaseException as error:
            coming.set_exception(error)
            coming.exception()  # Nobody may be waiting for it.
            raise
        finally:
            del self._on_the_way[key]
        coming.set_result(reply)
        self.on_reply(self.asked - len(self._on_the_way))
        self._pay(price, model, task, reply)
        return self._counted(task, reply, model)

    async def _model(self, spec: str) -> LiveModel:
        """The model of a task, opened by the first script that needs it while the others wait."""
        if spec not in self._asked:
            ready = self._asked[spec] = asyncio.get_running_loop().create_future()
            try:
                model = self.model if not spec or self.others is None else self.others(spec)
                await self.opened.enter_async_context(model.opened(self.journal.note))
            except BaseException as error:
                ready.set_exception(error)
                ready.exception()
                raise
            ready.set_result(model)
        return await asyncio.shield(self._asked[spec])

    async def _replied(self, model: LiveModel, task: Task, pictures: tuple[bytes, ...]) -> Reply:
        try:
            reply = await self._send(model, task, pictures)
        except Unanswered as error:
            self.unanswered += 1
            # The tasks of a batch share one request, and its error.
            self.in_vain += error is not self._in_vain
            self._in_vain = error
            if self.in_vain >= IN_VAIN:
                raise UsageError(
                    f"{error}; so it was {IN_VAIN} times, and nothing more is asked; replies are kept: call again"
                ) from None
            return Reply(fault=error.kind, kept=False, why=str(error))
        except Refused as error:
            if not error.kind:
                self._check_unknown(error)
            return Reply(fault=error.kind or REFUSED, why=str(error))
        self.in_vain = 0
        self._answered = True
        return reply

    def _check_unknown(self, error: Refused) -> None:
        """Stop at a refusal that nobody knows, unless it may be one item's matter: others are answered."""
        unknown = error.error.status in (400, 413, 422, 451) and not error.error.takes_no_pictures
        self._unknown = self._unknown or error
        self._unknowns += 1
        if not unknown or (not self._answered and self._unknowns >= AT_FIRST):
            self.too_many_refused = not self._answered
            raise self._unknown if unknown else error

    def check_answered(self) -> None:
        """Stop where nothing was answered, and what was refused is not known to be about the items."""
        if self._unknown is not None and not self._answered:
            self.too_many_refused = True
            raise self._unknown

    @property
    def why(self) -> str:
        """What happened to the last request that was given no reply."""
        return str(self._in_vain or "")

    def keep(self) -> None:
        """Put into the journal what waits for it."""
        for key, (request, reply) in self._waiting.items():
            self.journal.add(key, request, reply)
        self._waiting = {}

    async def _send(self, model: LiveModel, task: Task, pictures: tuple[bytes, ...]) -> Reply:
        """Alone, or with others where the model answers in batches."""
        if model.batch == 1:
            return await model.reply(task, pictures)
        if (batches := self._batches.get(id(model))) is None:
            batches = self._batches[id(model)] = Batches(model)
            # The model was opened before, and so is closed after.
            self.opened.push_async_callback(batches.stop)
        return await batches.reply(task, pictures)

    def _pay(self, price: Price, model: LiveModel, task: Task, reply: Reply) -> None:
        """Add what a reply costs; where the endpoint gives no tokens, by an estimate of them."""
        tokens = reply.tokens
        if not any(tokens) and reply.kept:
            tokens = model.size(task)
            self.spending.estimated = self.spending.estimated or any(tokens)
        self.spending.cost += price.cost(*tokens)

    def _counted(self, task: Task, reply: Reply, model: LiveModel) -> Reply:
        self.counted += 1
        if reply.kept:
            self.readings.add(way_of(task, reply), reply.text)
        if reply.served:
            self._note_served(model.name, reply.served)
        if reply.fault:
            self.faults[reply.fault] += 1
        if reply.fault in REFUSALS:
            self._check_refusals(reply)
        if reply.mark:
            self.marks[reply.mark] += 1
        self.tokens = self.tokens[0] + reply.tokens[0], self.tokens[1] + reply.tokens[1]
        return reply

    def _check_refusals(self, reply: Reply) -> None:
        """Stop where refusals are no longer a matter of single items."""
        kinds = {kind: number for kind, number in self.faults.items() if kind in REFUSALS}
        refused = sum(kinds.values())
        if refused < FEWEST_REFUSED or refused <= self.max_refused * self.counted:
            return
        self.too_many_refused = True
        most = max(kinds, key=lambda kind: kinds[kind])
        last = f"; the last: {reply.why}" if reply.why else ""
        raise UsageError(
            f"{self.model.name} refused {refused:,} of {self.counted:,} requests ("
            f"{', '.join(f'{kind} {number:,}' for kind, number in sorted(kinds.items()))}), more than the "
            f"{self.max_refused:.0%} of `max_refused`{last}. {_HELP.get(most, _HELP[REFUSED])}. Replies are kept, and "
            "what was refused is asked again: call again"
        )

    def _note_served(self, model: str, served: str) -> None:
        """Count who gave a reply; a change is told when it is first seen."""
        before = [name for asked, name in self.served if asked == model]
        self.served[model, served] += 1
        if before and served not in before:
            self.say(f"{model} is now served as {shorten(served)}, before as {shorten(before[-1])}")

    def _check_ceiling(self) -> None:
        if self.stopped:
            raise Spent(self.stopped)
        most = self.ceiling
        if most.requests and self.spending.requests >= most.requests:
            raise Spent(f"`max_requests` of {most.requests:,} is reached; replies are kept, call again to go on")
        if most.cost and self.spending.cost >= most.cost:
            about = " by an estimate of the tokens, which the endpoint does not give" if self.spending.estimated else ""
            raise Spent(f"`max_cost` of {most.cost:g} is reached{about}; replies are kept, call again to go on")
