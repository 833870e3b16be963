"""The design of a study: what a task is, how people answer it, and the options of every study.

    deselect     answers to a question, all kept at first; people take out those that cannot be (dense-visdial, Table 2)
    yes-no       one question: yes or no
    yes-no-na    one question: yes, no or n/a, where neither fits (effective-questions, the oracle)
    true-shared  two questions about a sentence: is it true, has it been said? (scorekeeping, Table 3)

An exam draws tasks and later gets them back as `Judged`. What it needs for that is in a task's `key`, which never
leaves the machine that serves the study, nor does the truth of an attention check.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import msgspec

from voirdire.options import LARGEST_SEED, OptionError, Options, option

Way = Literal["deselect", "yes-no", "yes-no-na", "true-shared"]
YES, NO, NEITHER = "yes", "no", "n/a"
WAYS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "deselect": (("keep", (YES, NO)),),
    "yes-no": (("answer", (YES, NO)),),
    "yes-no-na": (("answer", (YES, NO, NEITHER)),),
    "true-shared": (("true", (YES, NO)), ("shared", (YES, NO))),
}
"""The questions of each kind of task and their choices; the one question of `deselect` is asked of each answer."""
assert set(WAYS) == set(get_args(Way))

Answers = tuple[str | None, ...]
"""One choice per question, or per answer of `deselect`; None where nothing is chosen yet."""
Line = tuple[Literal["caption", "question", "answer"], str]
_Share = Annotated[float, msgspec.Meta(ge=-1, le=2)]


class StudyTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing to judge.

    text     the question or the sentence that it is about
    image    the image's id; None where there is nothing to see
    picture  the name of the picture's file in the study's folder; empty until it is there
    box      what is marked on the picture: x, y, width, height in shares of it, from the upper left
    lines    the dialogue before it, in its order
    items    the answers of `deselect`
    key      what the exam needs to read the judgement later
    truth    the right choices of an attention check, None where any will do; empty for other tasks
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
        """The choices of each of its questions, or of each of its answers."""
        asked = WAYS[self.way]
        return (asked[0][1],) * len(self.items) if self.way == "deselect" else tuple(words for _, words in asked)

    def public(self) -> dict[str, Any]:
        """What is sent to a judge's page."""
        return {name: getattr(self, name) for name in ("way", "text", "picture", "box", "lines", "items")}


@dataclass(frozen=True)
class Judged:
    """One judge's answers to a task; `at` is when, in ISO 8601."""

    task: StudyTask
    number: int
    judge: str
    answers: tuple[str, ...]
    at: str


def fits(task: StudyTask, answers: Sequence[str | None], whole: bool) -> bool:
    """Whether these are answers to a task; `whole` says whether all have to be there."""
    return len(answers) == len(task.choices) and all(
        (answer is None and not whole) or answer in choices
        for answer, choices in zip(answers, task.choices, strict=True)
    )


def failed(task: StudyTask, answers: Sequence[str | None]) -> bool:
    """Whether an attention check is failed: an answer differs from a known truth."""
    return any(truth is not None and truth != answer for truth, answer in zip(task.truth, answers, strict=True))


def checks_among(tasks: int, share: float) -> int:
    """How many attention checks go with so many tasks: at least one, unless the share is 0."""
    return max(1, round(tasks * share)) if share > 0 else 0


PILOT = 30
"""Tasks of a pilot: from fewer images or games than these `voirdire plan` calls a plan rough."""


@dataclass(frozen=True)
class StudyOptions(Options):
    """How many people judge each task and how many tasks each person gets; an exam adds how many tasks are drawn."""

    judges: int = option(5, "People per task.", least=1, most=1_000)
    per_judge: int | None = option(
        None, "At most so many tasks per person.", least=1, most=1_000_000, metavar="N", shown="all"
    )
    checks: float = option(
        0.1, "Attention checks, whose truth is known, as a share of the tasks; 0 for none.", least=0, most=1
    )
    pilot: bool = option(False, f"A small study first: {PILOT} tasks, of which `voirdire plan` says how many it takes.")
    pictured: bool = option(False, "Draw only from images that have a picture, in place of refusing.")
    minutes: float = option(
        30.0, "An unfinished task is given to somebody else after so many minutes.", least=0.01, most=100_000
    )
    seed: int = option(
        0, "Of what is drawn, and of the order in which each person sees it.", least=0, most=LARGEST_SEED
    )

    def sizes(self, name: str, wanted: int | None, usual: int, most: int) -> tuple[int, int]:
        """How many tasks and how many attention checks to draw from `most` different ones.

        name    the option that `wanted` comes from; None takes as many as usual, or all if there are fewer
        """
        tasks = wanted if wanted is not None else PILOT if self.pilot else usual
        room = max(1, int(most / (1 + self.checks)))
        if wanted is None:
            tasks = min(tasks, room)
        checks = checks_among(tasks, self.checks)
        if tasks + checks > most:
            raise OptionError(
                name, f"`{name}` must be at most {room:,}, as there are {most:,} to draw from, got {tasks:,}"
            )
        return tasks, checks


@dataclass(frozen=True)
class CollectOptions(Options):
    """Whose judgements count, and when a judge is named."""

    without: tuple[str, ...] = option((), "A judge whose judgements are left out.", metavar="JUDGE")
    without_named: bool = option(False, "Leave out every judge whom the rule names.")
    failed: float = option(0.2, "Share of failed attention checks above which a judge is named.", least=0, most=1)
    gap: float = option(0.04, "How far below the median judge's agreement a judge is named.", least=0, most=1)
    seed: int = option(0, "Of the resamples that the intervals come from.", least=0, most=LARGEST_SEED)
