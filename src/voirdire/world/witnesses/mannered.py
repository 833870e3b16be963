"""A witness with a manner as a live model: what it says is a text, and is read as any chat model's text is.

Of what a witness without a manner gives, no more than its plain words are taken; yes or no, the place of an object and
a question are then read in the text (`live.reading`). A text that is longer than a reply to such a task may be is cut
off, a token counted as four characters; `thinking` leaves more room. Log-likelihoods of given answers have no manner.

With `lists` each question of a text that holds several is answered, as the witness answers the text from that question
on: so one that answers the last of several does so in each line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

import msgspec

from voirdire.live.chat import longest, read_reply
from voirdire.live.model import (
    AnswerTask,
    AskTask,
    GuessTask,
    JudgeTask,
    LiveModel,
    PointTask,
    RankTask,
    Reply,
    Skill,
    Task,
)
from voirdire.world.understand import split_questions
from voirdire.world.witnesses.manners import LISTS, MANNERS, Kind, Plain, numbered

READY = "READY"
"""What a player says who stops, where it is told that it may."""
_KINDS: dict[type, Kind] = {GuessTask: "number", AskTask: "question"}


@dataclass
class ManneredWitness(LiveModel):
    """A witness with a manner.

    witness   the witness without it
    thinking  tokens that a reply may have beyond those of an answer
    """

    witness: LiveModel
    manner: str
    thinking: int = 0
    knows_scenes: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The name by which the user asks for it."""
        kind, name, *seed = self.witness.name.split(":")
        return ":".join([kind, f"{name}+{self.manner}", *seed])

    @property
    def skills(self) -> frozenset[Skill]:
        """Those of the witness."""
        return self.witness.skills

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task."""
        return {"model": self.name} | ({"thinking": str(self.thinking)} if self.thinking else {})

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """What is read in what it says."""
        plain = await self.witness.reply(task)
        if isinstance(task, RankTask):
            return plain
        text = plain.text
        if isinstance(task, AskTask) and not text:
            if not task.may_stop:
                return plain
            text = READY
        if self.manner == LISTS and isinstance(task, AnswerTask):
            text = await self._list(task)
        key = msgspec.json.encode(task).decode()
        text = MANNERS[self.manner](
            Plain(_KINDS.get(type(task), "words"), text, _asked(task), Random(f"{self.manner}/{key}"))
        )
        most = 4 * (longest(task) + self.thinking)
        return read_reply(task, text[:most], cut=len(text) > most)

    async def _list(self, task: AnswerTask) -> str:
        """The answers to all questions of a text, each as if the text began with it."""
        questions = split_questions(task.question)
        rest = [" ".join(questions[place:]) for place in range(len(questions))]
        answers = [(await self.witness.reply(msgspec.structs.replace(task, question=text))).text for text in rest]
        return numbered(answers) if len(answers) > 1 else answers[0]


def _asked(task: Task) -> str:
    """What a witness repeats of a task; questions of datasets may lack their mark, which a model writes."""
    match task:
        case AnswerTask() | PointTask():
            return f"{task.question.rstrip(' ?')}?"
        case JudgeTask():
            return f"Statement: {task.sentence}"
        case AskTask():
            return "What is your next question?"
    return "Which one is meant?"
