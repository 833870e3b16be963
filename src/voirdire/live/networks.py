"""A network of the papers' that was trained here, as a model: `net:FILE`, or `net:FILE,FEATURES` where it sees.

    answer  the class with the highest score for question and features; a dialogue before the question is not read
    rank    log softmax of the options that are classes; an option that is none comes after all of them

It is shown no picture: the features of each image stand in FEATURES under the image's number (`voirdire models
features`). The questions of a batch are answered together, with the answers that each has alone.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from voirdire.errors import UsageError
from voirdire.live.model import MODELS, AnswerTask, LiveModel, RankTask, Reply, Skill, Task
from voirdire.live.settings import LiveOptions

if TYPE_CHECKING:
    from voirdire.models.answering import VqaAnswerer

BATCH = 256
"""Tasks that are answered together."""


class NetworkModel(LiveModel):
    """A trained network; its files are read for the first task."""

    name: str
    skills: frozenset[Skill] = frozenset({"answer", "rank"})
    knows_scenes: ClassVar[bool] = True
    batch: int = BATCH

    def __init__(self, network: str, features: str | None) -> None:
        self.name = f"net:{network}" + (f",{features}" if features else "")
        self.network, self.features = network, features
        self._one_by_one = threading.Lock()

    @cached_property
    def _answerer(self) -> "VqaAnswerer":
        from voirdire.models.answering import VqaAnswerer

        return VqaAnswerer.from_files(self.network, self.features)

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task: its weights and its features."""
        return {"model": Path(self.network).name, "sha256": self._answerer.identity}

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """Its reply to a task."""
        return (await self.reply_many([(task, pictures)]))[0]

    async def reply_many(self, tasks: Sequence[tuple[Task, Sequence[bytes]]]) -> Sequence[Reply]:
        """Its replies to several tasks, answered together."""
        return await asyncio.to_thread(self._replies, [task for task, _ in tasks])

    def _replies(self, tasks: Sequence[Task]) -> list[Reply]:
        replies: dict[int, Reply] = {}
        answering: list[tuple[int, AnswerTask]] = []
        with self._one_by_one:
            for place, task in enumerate(tasks):
                if isinstance(task, AnswerTask):
                    answering.append((place, task))
                elif isinstance(task, RankTask):
                    scores = self._answerer.log_likelihoods(task.question, task.seen.image, task.options)
                    replies[place] = Reply(scores=tuple(scores))
                else:
                    raise UsageError(f"{self.name} cannot do this task")
            if answering:
                questions = [task.question for _, task in answering]
                images = np.array([task.seen.image for _, task in answering], np.int64)
                answers = self._answerer.answer(questions, images)
                replies |= {place: Reply(text) for (place, _), text in zip(answering, answers, strict=True)}
        return [replies[place] for place in range(len(tasks))]


@MODELS.register("net")
def _network(argument: str | None) -> Callable[[LiveOptions], LiveModel]:
    if not argument:
        raise UsageError("`model` net needs the file of a trained network after it, as in net:mutan.npz,features.h5")
    network, _, features = argument.partition(",")
    if Path(argument).is_file():
        network, features = argument, ""  # Its own name has a comma.
    return lambda options: NetworkModel(network, features or None)
