"""Models that answer in types, not in words: `systemone:MODEL@URL`, behind an endpoint that has /v1/systemone.

    systemone:nimble@http://127.0.0.1:11434/v1         Ollama, llama.cpp and others on this machine
    systemone:jev-latest@https://api.typesafe.ai/v1    with its key in an environment variable

Such an endpoint is given a state and questions of a type, and gives an answer of that type to each; it generates no
text. Of the types two are used: `noul`, a yes/no question, whose answer is the probability of yes, and `choice`, one of
some named options, with the probability of each. One question is asked per request, so that no answer depends on what
else was asked.

    judge    a noul question: yes where p > ½, no where p < ½, nothing where p = ½; of a score, a choice of its labels
    point    a choice among yes, no and n/a

The state has the words of the dialogue, and the description of the scene where it is shown in words. A picture is sent
as a data URL in `images`, beside the state, as llama.cpp and Cloudflare take it. Endpoints that take pictures in
another way refuse that, or do not see it, which is checked before an exam; they can be shown scenes in words.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from voirdire.live.chat import data_uri
from voirdire.live.endpoint_model import EndpointModel
from voirdire.live.model import TYPED, JudgeTask, PointTask, Reply, Skill, Task

NAME = "answer"
"""The name of the one question."""
EMPTY = "A picture."
"""The state where nothing but a picture is shown: it must not be empty."""
OPTIONS = {"yes": "Yes", "no": "No", "n/a": "The question does not apply to the object"}


class _Request(msgspec.Struct, omit_defaults=True):
    """What is sent."""

    model: str
    state: str
    questions: dict[str, dict[str, Any]]
    images: tuple[str, ...] = ()


class _Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0


class _Answers(msgspec.Struct):
    """What comes back: an answer under the name of each question."""

    answers: dict[str, dict[str, Any]]
    usage: _Usage = msgspec.field(default_factory=_Usage)


@dataclass
class TypedModel(EndpointModel):
    """One model of an endpoint with typed answers, prompted by a template."""

    skills: frozenset[Skill] = frozenset({"judge", "point"})
    provider: ClassVar[str] = "systemone"
    path: ClassVar[str] = "systemone"
    greets: ClassVar[bool] = False

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task: it gives no reasoning."""
        own = {name: value for name, value in super().identity.items() if name != "thinking"}
        return {**own, "by": "types"}

    def body(self, task: Task, pictures: Sequence[bytes] = ()) -> "_Request":
        """The state, and the one question about it."""
        assert isinstance(task, JudgeTask | PointTask)
        instructions = self.template.question_text(task)
        question: dict[str, Any] = {"type": "noul", "instructions": instructions}
        if isinstance(task, PointTask) or task.labels:
            criteria = OPTIONS if isinstance(task, PointTask) else self.template.labels(task)
            question = {"type": "choice", "instructions": instructions, "criteria": criteria}
        state = [task.seen.told, self.template.dialogue_text(task) if isinstance(task, JudgeTask) else ""]
        images = tuple(map(data_uri, pictures))
        return _Request(self.model, "\n".join(filter(None, state)) or EMPTY, {NAME: question}, images)

    def read(self, task: Task, reply: Any) -> Reply:
        """The one answer."""
        answers = msgspec.convert(reply, _Answers)
        answer, tokens = answers.answers[NAME], (answers.usage.input_tokens, answers.usage.output_tokens)
        if isinstance(task, JudgeTask) and not task.labels:
            return _judged(answer, tokens)
        return _chosen(answer, task.labels if isinstance(task, JudgeTask) else OPTIONS, tokens)

    def size(self, task: Task) -> tuple[int, int]:
        """About how many tokens a request has: four characters each, and the picture. Its reply has none."""
        if not isinstance(task, JudgeTask | PointTask):
            return 0, 0
        return len(msgspec.json.encode(self.body(task))) // 4 + (1000 if task.seen.picture else 0), 0


def _judged(answer: Mapping[str, Any], tokens: tuple[int, int]) -> Reply:
    """By the probability of yes."""
    share = float(answer["noul"])
    if not 0 <= share <= 1:
        raise ValueError("no probability")
    value = None if share == 0.5 else "yes" if share > 0.5 else "no"
    return Reply(f"p(yes) = {share:.6g}", value, (share,), how=TYPED, tokens=tokens)


def _chosen(answer: Mapping[str, Any], options: Collection[str], tokens: tuple[int, int]) -> Reply:
    """By the option that was chosen."""
    choice = answer["choice"]
    if choice not in options:
        raise ValueError("no option")
    return Reply(choice, choice, how=TYPED, tokens=tokens)
