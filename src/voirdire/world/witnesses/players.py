"""Witnesses in the seats of a game that is played on the stand: they say what they say in games from files.

    keen, confirming, repetitive, random   ask, each in its way
    consistent, random, salient            guess, each in its way
    truth                                  answers

Who asks also guesses, as `consistent`, and answers the truth where nobody else is named, as in `voirdire questions
play`; `random` guesses by chance, too. What is asked and guessed depends on the seed, the game and the turn alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import Answer
from voirdire.formats.scenes import Scene, Thing
from voirdire.live.model import AskTask, BoxedObject, GuessTask, InProcess, PointTask, Reply, Skill, Task
from voirdire.world.oracle import true_answer
from voirdire.world.witnesses.play import GUESSERS, make_guesser
from voirdire.world.witnesses.questioners import QUESTIONERS, GameState, make_questioner

TRUTH, CONSISTENT, RECORDED = "truth", "consistent", "recorded"
EVERYTHING: frozenset[Skill] = frozenset({"ask", "guess", "point"})


def plays(name: str) -> frozenset[Skill]:
    """What the witness of this name can do in a game; nothing where it is no player."""
    if name in QUESTIONERS.names() and name != RECORDED:
        return EVERYTHING
    found: frozenset[Skill] = frozenset()
    if name in GUESSERS.names():
        found |= {"guess"}
    return found | {"point"} if name == TRUTH else found


def players() -> list[str]:
    """The names of all who play."""
    return sorted({*QUESTIONERS.names(), *GUESSERS.names(), TRUTH} - {RECORDED})


@dataclass(frozen=True)
class Player(InProcess):
    """One witness at a game, as a model; `scenes` are what it knows, by image: none where it plays real games."""

    witness: str
    seed: int
    scenes: Mapping[int, Scene]
    knows_scenes: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """As it was asked for."""
        return f"witness:{self.witness}" + (f":{self.seed}" if self.seed else "")

    @property
    def skills(self) -> frozenset[Skill]:
        """What it can be asked."""
        return plays(self.witness)

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task."""
        return {"model": self.name}

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """What it says; an empty question where it stops."""
        if not isinstance(task, AskTask | GuessTask | PointTask) or task.__struct_config__.tag not in self.skills:
            raise UsageError(f"{self.name} is not asked for such a thing")
        return self.say(task)

    def say(self, task: AskTask | GuessTask | PointTask) -> Reply:
        """The same, at once."""
        match task:
            case AskTask():
                said = make_questioner(self.witness, self.seed).ask(self._state(task)) or ""
                return Reply(said, said)
            case GuessTask():
                guesser = make_guesser(self.witness if self.witness in GUESSERS.names() else CONSISTENT, self.seed)
                state = self._state(task)
                place = [thing.id for thing in state.candidates].index(guesser.guess(state).id)
                return Reply(str(place + 1), place)
        answer = true_answer(task.question, self._scene(task.seen.image), self._thing(task.seen.image, task.thing))
        return Reply(answer, answer)

    def _state(self, task: AskTask | GuessTask) -> GameState:
        image = task.seen.image
        known = self.scenes.get(image)
        things = tuple(_boxed(one) if known is None else self._thing(image, one) for one in task.things)
        return GameState(task.game, known, things, cast("tuple[tuple[str, Answer], ...]", task.rounds))

    def _scene(self, image: int) -> Scene:
        if image not in self.scenes:
            raise UsageError(f"there is no scene of image {image}, which {self.name} needs; name the `scenes`")
        return self.scenes[image]

    def _thing(self, image: int, one: BoxedObject | str) -> Thing:
        scene = self._scene(image)
        found = [thing for thing in scene.things if not isinstance(one, str) and thing.id == one.id]
        if not found:
            what = repr(one) if isinstance(one, str) else f"object {one.id}"
            raise UsageError(f"{what} is no thing of scene {image}, which is all that {self.name} knows")
        return found[0]


def _boxed(one: BoxedObject | str) -> Thing:
    """A thing of which no more than category and box is known."""
    if isinstance(one, str):
        raise UsageError("witnesses play with pictures, not with words; name a model that does")
    return Thing(one.id, one.category, 0, one.box, "")
