"""`uncertain`: says the truth four times in five, and else something wrong of the same sort.

Which questions it gets wrong depends on its seed, so that two of them with different seeds are two equally good
models that differ in nothing but chance.
"""

from random import Random

from voirdire.formats.scenes import Scene
from voirdire.world.answering import near_misses
from voirdire.world.meaning import Meaning
from voirdire.world.truth import CANNOT_TELL, Answer, Focus
from voirdire.world.witnesses.answerer import Answerer, Belief
from voirdire.world.witnesses.prior import prior_answer
from voirdire.world.witnesses.protocol import WITNESSES, seed_from
from voirdire.world.words import COLOURS

__all__ = ["TRUE", "Uncertain", "wrong_answers"]

TRUE = 0.8


class Uncertain(Answerer):
    """Believes something else one time in five."""

    name = "uncertain"

    def believe(self, meaning: Meaning, scene: Scene, focus: Focus, rng: Random) -> Belief:
        """The truth with the chance `TRUE`, else one of the near misses."""
        truth = super().believe(meaning, scene, focus, rng)
        if rng.random() < TRUE:
            return truth
        return Belief((rng.choice(wrong_answers(meaning, truth.answers)),))


def wrong_answers(meaning: Meaning, true: tuple[Answer, ...]) -> list[Answer]:
    """Answers of the same sort as the first true one, none of them true; never empty."""
    first = true[0]
    if first.what == "garments":
        colour, _, rest = first.value.partition(" ")
        found = [Answer("garments", f"{other} {rest}") for other in COLOURS if colour in COLOURS and other != colour]
    elif first.what in ("none", "unknown"):
        found = [prior_answer(meaning)]
    else:
        sort = ("yes", "no") if first.what in ("yes", "no") else (first.what,)
        found = [miss for miss in near_misses(meaning, first) if miss.what in sort]
    return [answer for answer in found if answer not in true] or [CANNOT_TELL]


@WITNESSES.register("uncertain")
def _make(argument: str | None) -> Uncertain:
    return Uncertain(seed_from(argument))
