"""Tasks for a model that answers several at once: sent when there are enough, or when no more come for a moment."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeAlias

from voirdire.errors import UsageError
from voirdire.figures import counted
from voirdire.live.model import LiveModel, Reply, Task

MOMENT = 0.02
"""Seconds for which a model that answers in batches waits for more tasks."""
_Waiting: TypeAlias = "tuple[Task, tuple[bytes, ...], asyncio.Future[Reply]]"


@dataclass
class Batches:
    """The tasks of one model that wait for a batch.

    A model in this process is given one batch after the other, and what comes meanwhile fills the next one; where an
    endpoint answers, its connections say how many batches are on the way.
    """

    model: LiveModel
    waiting: list[_Waiting] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None
    sending: "set[asyncio.Task[None]]" = field(default_factory=set)

    async def reply(self, task: Task, pictures: tuple[bytes, ...]) -> Reply:
        """The reply to a task, once its batch has been answered."""
        coming: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.waiting.append((task, pictures, coming))
        self._look()
        return await coming

    async def stop(self) -> None:
        """Send nothing more, and wait until what is on the way has stopped."""
        self.waiting = []
        self._rest()
        for sent in (left := list(self.sending)):
            sent.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _look(self) -> None:
        """Send a whole batch at once, fewer tasks after a moment."""
        self._rest()
        if len(self.waiting) >= self.model.batch:
            self._send()
        elif self.waiting:
            self.timer = asyncio.get_running_loop().call_later(MOMENT, self._send)

    def _rest(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _send(self) -> None:
        if self.model.local and self.sending:
            return  # It is looked again when that batch has been answered.
        # Nobody waits for a task whose script was stopped.
        open_tasks = [waiting for waiting in self.waiting if not waiting[2].done()]
        most = max(1, self.model.batch)
        batch, self.waiting = open_tasks[:most], open_tasks[most:]
        if batch:
            sent = asyncio.get_running_loop().create_task(self._answer(batch))
            self.sending.add(sent)
            sent.add_done_callback(self._sent)

    def _sent(self, sent: "asyncio.Task[None]") -> None:
        self.sending.discard(sent)
        self._look()

    async def _answer(self, batch: list[_Waiting]) -> None:
        try:
            replies = list(await self.model.reply_many([(task, pictures) for task, pictures, _ in batch]))
            if len(replies) != len(batch):
                raise UsageError(
                    f"{self.model.name} gave {counted(len(replies), 'reply', 'replies')} to a batch of "
                    f"{counted(len(batch), 'task')}; `reply_many` must give one per task, in their order"
                )
        except BaseException as error:
            for _, _, coming in batch:
                if not coming.done():
                    coming.set_exception(error)
            if not isinstance(error, Exception):
                raise
            return
        for (_, _, coming), reply in zip(batch, replies, strict=True):
            if not coming.done():
                coming.set_result(reply)
