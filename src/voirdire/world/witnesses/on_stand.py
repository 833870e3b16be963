"""Witnesses of the world on the stand, as any model: `witness:truthful`, `witness:keen`, `witness:keen:3` by its seed.

A witness is shown no picture. It knows the scene itself, by the number of the image, and says in each task what it says
before files: so a live exam of a witness has the figures of its files.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from voirdire.errors import UsageError
from voirdire.formats.scenes import Scene
from voirdire.live.model import AnswerTask, InProcess, JudgeTask, LiveModel, RankTask, Reply, Skill, Task
from voirdire.live.settings import LiveOptions
from voirdire.world.folder import scenes_by_id
from voirdire.world.witnesses import flawed  # noqa: F401 (registers its witnesses)
from voirdire.world.witnesses.answerer import WITNESSES, History, Witness, make_witness, seed_from
from voirdire.world.witnesses.judges import JUDGES, JudgeWitness
from voirdire.world.witnesses.players import Player, players, plays
from voirdire.world.witnesses.states import Heard


@dataclass
class _WithScene(InProcess):
    """Base of those who know the scenes by image; `spec` is the witness's name, with its seed where that is not 0."""

    spec: str
    scenes: Mapping[int, Scene]
    knows_scenes: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """As it was asked for."""
        return f"witness:{self.spec}"

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task."""
        return {"model": self.name}

    def scene(self, task: Task) -> Scene:
        """What the task is about."""
        if task.seen.image not in self.scenes:
            raise UsageError(f"{self.name} knows no scene of image {task.seen.image}")
        return self.scenes[task.seen.image]

    def wrong(self) -> UsageError:
        """That somebody asked for what it cannot do."""
        return UsageError(f"{self.name} is not asked for such a thing")


@dataclass
class AnsweringWitness(_WithScene):
    """A witness that answers questions and ranks answers."""

    witness: Witness
    skills: ClassVar[frozenset[Skill]] = frozenset({"answer", "rank"})

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """What it says."""
        match task:
            case AnswerTask():
                history = None if task.alone else History(task.caption, task.rounds)
                return Reply(self.witness.generate(self.scene(task), task.question, history, task.sample + 1)[-1])
            case RankTask():
                history = History(task.caption, task.rounds)
                ranks = self.witness.rank(self.scene(task), task.question, history, task.options)
                return Reply(scores=tuple(float(-rank) for rank in ranks))
        raise self.wrong()


@dataclass
class JudgingWitness(_WithScene):
    """A witness who judges."""

    judge: JudgeWitness
    skills: ClassVar[frozenset[Skill]] = frozenset({"judge"})

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """Yes, no, or that it cannot tell."""
        if not isinstance(task, JudgeTask):
            raise self.wrong()
        heard = Heard(self.scene(task), task.caption, [question for question, _ in task.rounds])
        found = self.judge.judge(heard, task.sentence, task.about)
        value = None if found is None else "yes" if found else "no"
        return Reply(value or "I cannot tell.", value)


def make_model(argument: str | None) -> Callable[[LiveOptions], LiveModel]:
    """The witness of this name, on the stand."""
    name, _, seed = (argument or "").partition(":")
    number, judges = seed_from(seed), name in JUDGES.names()
    known = {*WITNESSES.names(), *JUDGES.names(), *players()}
    if name not in known:
        raise UsageError(f"there is no witness {name!r}; there are: {', '.join(sorted(known))}")

    def make(options: LiveOptions) -> LiveModel:
        if plays(name):
            return Player(name, number, {} if options.scenes is None else scenes_by_id(options.scenes))
        if options.scenes is None:
            raise UsageError("`model` witness needs the scenes of its world; name their file with `scenes`")
        if judges:
            return JudgingWitness(name, scenes_by_id(options.scenes), JUDGES.make(name))
        spec = f"{name}:{number}" if number else name
        return AnsweringWitness(spec, scenes_by_id(options.scenes), make_witness(name, number))

    return make
