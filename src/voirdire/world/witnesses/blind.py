"""`blind`: sees no image. It answers what is usually answered to questions of that form.

It never looks at the scene, so that all that it gets right is what the questions' form gives away.
"""

from random import Random

from voirdire.formats.scenes import Scene
from voirdire.world.meaning import Meaning
from voirdire.world.truth import Focus
from voirdire.world.witnesses.answerer import Answerer, Belief
from voirdire.world.witnesses.prior import prior_answer
from voirdire.world.witnesses.protocol import WITNESSES, History, seed_from

__all__ = ["Blind"]


class Blind(Answerer):
    """Believes the prior."""

    name = "blind"

    def listen(self, scene: Scene, history: History | None) -> Focus:
        """Nothing that was said tells it what it could point at."""
        return {}

    def believe(self, meaning: Meaning, scene: Scene, focus: Focus, rng: Random) -> Belief:
        """The most frequent answer to questions of this kind."""
        return Belief((prior_answer(meaning),))


@WITNESSES.register("blind")
def _make(argument: str | None) -> Blind:
    return Blind(seed_from(argument))
