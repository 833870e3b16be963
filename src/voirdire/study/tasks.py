"""What is put before people: a task, what it shows, and what may be said to it.

    deselect     answers to a question, all kept at first; those that cannot be are taken out (dense-visdial, Table 2)
    yes-no       one question: yes or no
    yes-no-na    one question: yes, no or n/a, where neither fits (effective-questions, the oracle)
    true-shared  two questions about a sentence: is it true, has it been said? (scorekeeping, Table 3)

An exam draws tasks and later gets them back as `Judged`. What it needs for that stands in a task's `key`, which never
leaves the machine that serves the study, nor does the truth of an attention check.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import msgspec

Way = Literal["deselect", "yes-no", "yes-no-na", "true-shared"]
YES, NO, NEITHER = "yes", "no", "n/a"
WAYS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "deselect": (("keep", (YES, NO)),),
    "yes-no": (("answer", (YES, NO)),),
    "yes-no-na": (("answer", (YES, NO, NEITHER)),),
    "true-shared": (("true", (YES, NO)), ("shared", (YES, NO))),
}
"""The questions of each way and what may be said to them; the one question of `deselect` is put for each answer."""
assert set(WAYS) == set(get_args(Way))

Answers = tuple[str | None, ...]
"""What was said, question by question or answer by answer; None where nothing was said yet."""
Line = tuple[Literal["caption", "question", "answer"], str]
_Share = Annotated[float, msgspec.Meta(ge=-1, le=2)]


class StudyTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing to judge.

    text     the question or the sentence that it is about
    image    the image's id; None where there is nothing to see
    picture  the name of the picture's file in the study's folder; empty until it lies there
    box      what is marked on the picture: x, y, width, height in shares of it, from the upper left
    lines    what was said before, in its order
    items    of `deselect`: the answers
    key      what the exam needs to take the judgement up
    truth    of an attention check: what has to be said, None where anything may be; of other tasks empty
    """

    way: Way
    text: str
    image: int | None = None
    picture: str = ""
    box: tuple[_Share, _Share, _Share, _Share] | None = None
    lines: tuple[Line, ...] = ()
    items: tuple[str, ...] = ()
    key: dict[str, Any] = {}
    truth: tuple[str | None, ...] = ()

    @property
    def choices(self) -> tuple[tuple[str, ...], ...]:
        """What may be said to each of its questions, or of each of its answers."""
        asked = WAYS[self.way]
        return (asked[0][1],) * len(self.items) if self.way == "deselect" else tuple(words for _, words in asked)

    def public(self) -> dict[str, Any]:
        """What a judge's page gets of it."""
        return {
            "way": self.way,
            "text": self.text,
            "picture": self.picture,
            "box": self.box,
            "lines": self.lines,
            "items": self.items,
        }


@dataclass(frozen=True)
class Judged:
    """What one judge said to a task; `at` is when, in ISO 8601."""

    task: StudyTask
    number: int
    judge: str
    answers: tuple[str, ...]
    at: str


def fits(task: StudyTask, answers: Sequence[str | None], whole: bool) -> bool:
    """Whether these are answers to a task; `whole`, whether all have to be there."""
    return len(answers) == len(task.choices) and all(
        (said is None and not whole) or said in choices for said, choices in zip(answers, task.choices, strict=True)
    )


def failed(task: StudyTask, answers: Sequence[str | None]) -> bool:
    """Whether an attention check is failed: something else is said where the truth is known."""
    return any(true is not None and true != said for true, said in zip(task.truth, answers, strict=True))


def checks_among(tasks: int, share: float) -> int:
    """How many attention checks go with so many tasks: at least one where any are wanted."""
    return max(1, round(tasks * share)) if share > 0 else 0
