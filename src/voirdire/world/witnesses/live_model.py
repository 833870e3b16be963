"""Witnesses of the world as live models: `witness:truthful`, `witness:keen`, `witness:keen:3` by its seed.

A witness gets no picture. It knows the scene itself, by the number of the image, and gives for each task what it gives
for files: so a live exam of a witness has the figures of its files. In a game:

    keen, confirming, repetitive, random   ask, each in its way
    consistent, random, salient            guess, each in its way
    truth                                  answers

Who asks also guesses, as `consistent`, and answers the truth where nobody else is named, as in `voirdire questions
play`; `random` guesses by chance, too. Questions and guesses depend on the seed, the game and the turn alone.

Any of them may have a manner: `witness:truthful+hedges`. It then speaks, and what it says is read (`manners`).
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, cast

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import Answer
from voirdire.formats.scenes import Scene, Thing
from voirdire.live.model import (
    AnswerTask,
    AskTask,
    BoxedObject,
    GuessTask,
    JudgeTask,
    LiveModel,
    PointTask,
    RankTask,
    Reply,
    Skill,
    Task,
)
from voirdire.live.settings import LiveOptions
from voirdire.world.scenes_oracle import true_answer
from voirdire.world.witnesses.answerers import WITNESSES, History, Witness, make_witness, seed_from
from voirdire.world.witnesses.listeners import JUDGES, DialogueSoFar
from voirdire.world.witnesses.mannered import ManneredWitness
from voirdire.world.witnesses.manners import MANNERS
from voirdire.world.witnesses.play import GUESSERS, make_guesser
from voirdire.world.witnesses.questioners import QUESTIONERS, GameState, make_questioner
from voirdire.world.world_folder import scenes_by_id

TRUTH, CONSISTENT, RECORDED = "truth", "consistent", "recorded"
IN_GAMES: frozenset[Skill] = frozenset({"ask", "guess", "point"})


@dataclass
class _WithScenes(LiveModel):
    """A witness as a model; `scenes` are what it knows, by image: none where it plays real games."""

    witness: str
    seed: int
    scenes: Mapping[int, Scene]
    knows_scenes: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The name by which the user asks for it."""
        return f"witness:{self.witness}" + (f":{self.seed}" if self.seed else "")

    @property
    @abstractmethod
    def skills(self) -> frozenset[Skill]:
        """The tasks that it can do."""

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task."""
        return {"model": self.name}

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """Its reply to a task that it can do."""
        if task.__struct_config__.tag not in self.skills:
            raise UsageError(f"{self.name} is not asked for such a thing")
        return self.say(task)

    @abstractmethod
    def say(self, task: Task) -> Reply:
        """The same, at once."""

    def scene(self, image: int) -> Scene:
        """The scene of an image."""
        if image not in self.scenes:
            raise UsageError(f"{self.name} knows no scene of image {image}; name the `scenes`")
        return self.scenes[image]


@dataclass
class AnsweringWitness(_WithScenes):
    """A witness that answers questions and ranks answers."""

    @property
    def skills(self) -> frozenset[Skill]:
        """Answers and ranks."""
        return frozenset({"answer", "rank"})

    @cached_property
    def _answerer(self) -> Witness:
        return make_witness(self.witness, self.seed)

    def say(self, task: Task) -> Reply:
        """The answer, or a score for each option."""
        assert isinstance(task, AnswerTask | RankTask)
        scene, history = self.scene(task.seen.image), History(task.caption, task.rounds)
        if isinstance(task, RankTask):
            ranks = self._answerer.rank(scene, task.question, history, task.options)
            return Reply(scores=tuple(float(-rank) for rank in ranks))
        answers = self._answerer.generate(scene, task.question, None if task.alone else history, task.sample + 1)
        return Reply(answers[-1])


@dataclass
class JudgingWitness(_WithScenes):
    """A witness who judges."""

    @property
    def skills(self) -> frozenset[Skill]:
        """Judges."""
        return frozenset({"judge"})

    def say(self, task: Task) -> Reply:
        """Yes or no, or one of the labels of a score; or that it cannot tell."""
        assert isinstance(task, JudgeTask)
        questions = [question for question, _ in task.rounds]
        dialogue = DialogueSoFar(self.scene(task.seen.image), task.caption, questions)
        judge = partial(JUDGES.make(self.witness).judge, dialogue, task.sentence)
        if task.about != "score":
            value = _named(judge(task.about), "yes", "no")
        elif (settled := judge("sharing")) is not None:
            value = _named(judge("truth"), "true", "false") if settled else "open"
        else:
            value = None
        return Reply(value or "I cannot tell.", value)


def _named(verdict: bool | None, yes: str, no: str) -> str | None:
    return None if verdict is None else yes if verdict else no


def plays(name: str) -> frozenset[Skill]:
    """What the witness of this name can do in a game; nothing where it is no player."""
    if name in QUESTIONERS.names() and name != RECORDED:
        return IN_GAMES
    guesses: frozenset[Skill] = frozenset({"guess"} if name in GUESSERS.names() else ())
    return guesses | {"point"} if name == TRUTH else guesses


@dataclass
class Player(_WithScenes):
    """A witness at a game."""

    @property
    def skills(self) -> frozenset[Skill]:
        """Its part in a game."""
        return plays(self.witness)

    def say(self, task: Task) -> Reply:
        """A question, empty where it stops; a guess; or an answer."""
        assert isinstance(task, AskTask | GuessTask | PointTask)
        if isinstance(task, PointTask):
            image = task.seen.image
            answer = true_answer(task.question, self.scene(image), self._thing(image, task.thing))
            return Reply(answer, answer)
        state = self._state(task)
        if isinstance(task, AskTask):
            question = make_questioner(self.witness, self.seed).ask(state) or ""
            return Reply(question, question)
        guesser = make_guesser(self.witness if self.witness in GUESSERS.names() else CONSISTENT, self.seed)
        place = [thing.id for thing in state.candidates].index(guesser.guess(state).id)
        # The number is that of the list, whose order may be another one.
        return Reply(str((task.order.index(place) if task.order else place) + 1), place)

    def _state(self, task: AskTask | GuessTask) -> GameState:
        image = task.seen.image
        known = self.scenes.get(image)
        things = tuple(_boxed(thing) if known is None else self._thing(image, thing) for thing in task.things)
        return GameState(task.game, known, things, cast("tuple[tuple[str, Answer], ...]", task.rounds))

    def _thing(self, image: int, thing: BoxedObject | str) -> Thing:
        """The thing of the scene that a task names."""
        id_ = None if isinstance(thing, str) else thing.id
        for known in self.scene(image).things:
            if known.id == id_:
                return known
        what = repr(thing) if isinstance(thing, str) else f"object {thing.id}"
        raise UsageError(f"{what} is no thing of scene {image}, which is all that {self.name} knows")


def _boxed(thing: BoxedObject | str) -> Thing:
    """A thing of which no more than category and box is known."""
    if isinstance(thing, str):
        raise UsageError("witnesses play with pictures, not with words; name a model that does")
    return Thing(thing.id, thing.category, 0, thing.box, "")


def make_model(argument: str | None) -> Callable[[LiveOptions], LiveModel]:
    """What makes a model of the witness of this name."""
    spoken, _, seed = (argument or "").partition(":")
    name, plus, manner = spoken.partition("+")
    number = seed_from(seed)
    known = {*WITNESSES.names(), *JUDGES.names(), *QUESTIONERS.names(), *GUESSERS.names(), TRUTH} - {RECORDED}
    if name not in known:
        raise UsageError(f"there is no witness {name!r}; there are: {', '.join(sorted(known))}")
    if plus and manner not in MANNERS:
        raise UsageError(f"witnesses have no manner {manner!r}; there are: {', '.join(MANNERS)}")

    def make(options: LiveOptions) -> LiveModel:
        witness = without_manner(options)
        return ManneredWitness(witness, manner, options.thinking) if manner else witness

    def without_manner(options: LiveOptions) -> LiveModel:
        if plays(name):
            return Player(name, number, {} if options.scenes is None else scenes_by_id(options.scenes))
        if options.scenes is None:
            raise UsageError("`model` witness needs the scenes of its world; name their file with `scenes`")
        if name in JUDGES.names():
            return JudgingWitness(name, 0, scenes_by_id(options.scenes))
        return AnsweringWitness(name, number, scenes_by_id(options.scenes))

    return make
