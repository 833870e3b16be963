"""Witnesses of the world on the stand, as any model: `witness:truthful`, `witness:keen`, `witness:keen:3` by its seed.

A witness is shown no picture. It knows the scene itself, by the number of the image, and says in each task what it says
before files: so a live exam of a witness has the figures of its files.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voirdire.errors import UsageError
from voirdire.formats.scenes import Scene
from voirdire.live.model import AnswerTask, LiveModel, RankTask, Reply, Skill, Task
from voirdire.live.settings import LiveOptions
from voirdire.world.folder import scenes_by_id
from voirdire.world.witnesses import flawed  # noqa: F401 (registers its witnesses)
from voirdire.world.witnesses.answerer import WITNESSES, History, Witness, make_witness, seed_from
from voirdire.world.witnesses.judges import JUDGES, JudgingWitness
from voirdire.world.witnesses.players import Player, players, plays

__all__ = ["AnsweringWitness", "make_model"]


@dataclass
class AnsweringWitness:
    """A witness that answers questions and ranks answers."""

    witness: Witness
    scenes: Mapping[int, Scene]
    skills: frozenset[Skill] = frozenset({"answer", "rank"})
    knows_scenes: bool = True

    @property
    def name(self) -> str:
        """As it was asked for."""
        return f"witness:{self.witness.name}"

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on beside the task."""
        return {"model": self.name}

    def opened(self, note: Callable[[str], None]) -> contextlib.AbstractAsyncContextManager[Any]:
        """Nothing is to be opened."""
        return contextlib.nullcontext()

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """What it says."""
        scene = self.scenes.get(task.seen.image)
        if scene is None:
            raise UsageError(f"{self.name} knows no scene of image {task.seen.image}")
        match task:
            case AnswerTask():
                history = None if task.alone else History(task.caption, task.rounds)
                return Reply(self.witness.generate(scene, task.question, history, task.sample + 1)[-1])
            case RankTask():
                ranks = self.witness.rank(scene, task.question, History(task.caption, task.rounds), task.options)
                return Reply(scores=tuple(float(-rank) for rank in ranks))
        raise UsageError(f"{self.name} is not asked for such a thing")


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
            return JudgingWitness(JUDGES.make(name), scenes_by_id(options.scenes))
        return AnsweringWitness(make_witness(name, number), scenes_by_id(options.scenes))

    return make
