"""What a model is: something that can do some of these tasks.

    answer   a question about a picture, alone or in a dialogue, in words
    rank     how likely it finds each of some given answers, as log-likelihoods
    ask      a question of its own, in a guessing game
    guess    which object is meant, after the questions of a game
    point    yes, no or n/a to a question about one object of the picture: an oracle's answer
    judge    whether a sentence is true of the picture, or what a dialogue has established about it
    states   vectors, one per dialogue and turn

A witness of the world, a chat model behind an endpoint and a function of a user's own are models alike. A task
is a value, and so is the reply, so that both can be kept and read back.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

import msgspec

from voirdire.exam import Skill as Skill
from voirdire.providers import Registry

if TYPE_CHECKING:
    from voirdire.live.settings import LiveOptions

Share: TypeAlias = tuple[float, float, float, float]
"""A box as x, y, width and height in shares of the picture."""
DRY_RUN = "dry run"
"""The fault of a reply in a dry run: requests are counted and not sent."""
CUT = "cut off at the limit of tokens"
DECLINED = "refused in words"
UNLIKELY = "words against their likelihoods"
"""The marks of a reply that has a text: it counts as it is, and a run says how many have each mark."""
TEXT, LOGPROBS, TEXT_LOW, TYPED = "text", "logprobs", "text-low", "typed"
"""The ways in which a reply is read."""


class VisualInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model is shown.

    image    the number of the picture
    picture  its SHA-256 as it is sent; empty where no picture is
    told     the scene in words, in place of a picture or beside it
    marks    boxes that are drawn onto the picture, in shares of it; several have their numbers, from 1
    """

    image: int
    picture: str = ""
    told: str = ""
    marks: tuple[Share, ...] = ()


class BoxedObject(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object of a picture: its category, its box in shares of the picture, and its id, which stands in no prompt."""

    category: str
    box: Share
    id: int = 0


class AnswerTask(msgspec.Struct, frozen=True, omit_defaults=True, tag="answer"):
    """A question, after the dialogue so far.

    alone   whether it stands alone, as in VQA, and a word or two are wanted
    sample  the number of this answer among several to the same question
    main    of several questions, which `question` joins, that which is to be answered, and `added`, the others
    """

    seen: VisualInput
    question: str
    caption: str = ""
    rounds: tuple[tuple[str, str], ...] = ()
    alone: bool = False
    temperature: float = 0.0
    sample: int = 0
    main: str = ""
    added: tuple[str, ...] = ()


class RankTask(msgspec.Struct, frozen=True, omit_defaults=True, tag="rank"):
    """A question with the answers that it may have.

    start  for one answer that is scored alone: how many tokens of the prompt are before it; None to score all
    """

    seen: VisualInput
    question: str
    options: tuple[str, ...]
    caption: str = ""
    rounds: tuple[tuple[str, str], ...] = ()
    start: int | None = None


class AskTask(msgspec.Struct, frozen=True, omit_defaults=True, tag="ask"):
    """A game so far, of which the next question is wanted. The reply's value is the question; empty where it stops.

    left      how many more questions are allowed
    things    the candidate objects, as the game has them, which stand in no prompt; or words, in a game
              without a picture, which do
    game      its number
    may_stop  whether the prompt says that it may stop earlier
    """

    seen: VisualInput
    rounds: tuple[tuple[str, str], ...]
    left: int
    things: tuple[BoxedObject | str, ...] = ()
    game: int = 0
    may_stop: bool = False


class GuessTask(msgspec.Struct, frozen=True, omit_defaults=True, tag="guess"):
    """A game at its end, and the objects among which one is meant. The reply's value is a place in `things`, from 0.

    things  as the game has them
    order   the places of these in the order in which they are listed; as they are where it is empty
    game    its number
    """

    seen: VisualInput
    rounds: tuple[tuple[str, str], ...]
    things: tuple[BoxedObject, ...]
    order: tuple[int, ...] = ()
    game: int = 0

    def listed(self) -> tuple[BoxedObject, ...]:
        """The objects in the order in which they are listed."""
        return tuple(self.things[place] for place in self.order) or self.things


class PointTask(msgspec.Struct, frozen=True, omit_defaults=True, tag="point"):
    """A question about one object, or about a thing that is known by its name alone."""

    seen: VisualInput
    question: str
    thing: BoxedObject | str


class JudgeTask(msgspec.Struct, frozen=True, omit_defaults=True, tag="judge"):
    """A sentence after a dialogue so far. The reply's value is yes or no, or one of the labels.

    about   what is asked: is it true of the picture (truth), is it settled by now whether it is true (sharing), or is
            it established as true, established as false, or open (score)
    labels  of the score, in the order in which they are named: `LABELS` in any order
    """

    seen: VisualInput
    caption: str
    rounds: tuple[tuple[str, str], ...]
    sentence: str
    about: Literal["truth", "sharing", "score"]
    labels: tuple[str, ...] = ()


LABELS = ("true", "false", "open")
"""What a dialogue may have established about a sentence."""


Task: TypeAlias = AnswerTask | RankTask | AskTask | GuessTask | PointTask | JudgeTask


def skill_of(task: Task) -> Skill:
    """What a model has to be able to do for a task."""
    skill: Skill = type(task).__struct_config__.tag  # type: ignore[assignment]
    return skill


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model's reply to a task.

    text      the reply itself
    value     what a stated rule read in it: a question, the place of an object, yes, no or n/a; None where it could
              read nothing
    scores    of given answers
    how       what `value` was read from: the words of the reply (TEXT), the likelihoods of its first token (LOGPROBS),
              the words because these likelihoods say too little (TEXT_LOW), an answer of a type (TYPED)
    fault     why there is no reply: "refusal", "empty", "length", or what the endpoint did
    kept      whether it is the model's own and goes to the journal; a fault on the way does not
    why       the endpoint's message about that fault
    tokens    sent and received; zeros where the endpoint does not say
    thought   its reasoning before the answer, where that is given
    mark      a peculiarity of the text: CUT, DECLINED or UNLIKELY
    served    the model that the endpoint says it served, with the fingerprint of its system
    """

    text: str = ""
    value: str | int | None = None
    scores: tuple[float, ...] = ()
    how: str = "text"
    fault: str = ""
    kept: bool = True
    why: str = ""
    tokens: tuple[int, int] = (0, 0)
    thought: str = ""
    mark: str = ""
    served: str = ""


class LiveModel(ABC):
    """Base of all models: `name`, `skills`, `identity` and `reply` say what one is; the rest has a default.

    name         as the user names it
    skills       the tasks that it can do
    knows_scenes whether it has the scenes of a world, or features of the pictures, itself, and is shown nothing
    local        whether it runs in this process: it costs nothing, and has no connections
    batch        how many tasks it is given at once by `reply_many`, one batch after the other where it is local; with 1
                 each goes to `reply` alone
    """

    if TYPE_CHECKING:  # An attribute or a property, as a model likes it.

        @property
        def name(self) -> str: ...
        @property
        def skills(self) -> frozenset[Skill]: ...

    knows_scenes: ClassVar[bool] = False
    local: ClassVar[bool] = True
    batch: int = 1

    @property
    @abstractmethod
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task: for signatures, and for the names of kept replies."""

    @abstractmethod
    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """Its reply to a task; `pictures` are the bytes of what it is shown."""

    async def reply_many(self, tasks: Sequence[tuple[Task, Sequence[bytes]]]) -> Sequence[Reply]:
        """Its replies to several tasks, each with its pictures, in order; none may depend on the other tasks."""
        return [await self.reply(task, pictures) for task, pictures in tasks]

    def in_steps(self, task: Task, ask: "Asking") -> Awaitable[Reply] | None:
        """Asks a task as several tasks; None where it is one request."""
        return None

    def size(self, task: Task) -> tuple[int, int]:
        """About how many tokens a request has, and its reply at most; zeros where that is of no interest."""
        return 0, 0

    def opened(self, note: Callable[[str], None]) -> AbstractAsyncContextManager[Any]:
        """What it needs while it is asked, such as connections; `note` gets each fault that is tried again."""
        return nullcontext()


class Asking(Protocol):
    """What a script asks with: `spec` names another model than the one that is examined."""

    def __call__(self, task: Task, spec: str = "") -> Awaitable[Reply]: ...


MODELS: "Registry[Callable[[LiveOptions], LiveModel]]" = Registry("model", "voirdire.models")
"""By name, what makes a model from its options."""
