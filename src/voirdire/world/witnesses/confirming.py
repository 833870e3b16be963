"""`confirming`: as keen, and then one question more, which only the thing that it has found fits.

That question tells it nothing new: it is referring, and not effective.
"""

from collections.abc import Iterator

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.grammar import say
from voirdire.world.meaning import IT, Meaning, Ref
from voirdire.world.reference import refer
from voirdire.world.scene import centre
from voirdire.world.truth import about, is_noun
from voirdire.world.witnesses.keen import Keen
from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.questioner import QUESTIONERS, GameState, asked, remaining
from voirdire.world.words import ORDINALS

__all__ = ["Confirming", "refers"]

_ATTEMPTS = 8


def refers(meaning: Meaning, scene: Scene, thing: Thing) -> bool:
    """A(q, thing) = yes, and A(q, o) = no for every other thing of the scene."""
    return all(about(meaning, scene, other) == ("yes" if other.id == thing.id else "no") for other in scene.things)


class Confirming(Keen):
    """Does not guess before it has been told that it is right."""

    name = "confirming"

    def ask(self, state: GameState) -> str | None:
        """The best question; when one thing is left, the question whether it is this one, once."""
        left = remaining(state)
        if len(left) != 1:
            return super().ask(state)
        before = asked(state)
        if any(meaning is not None and refers(meaning, state.scene, left[0]) for meaning in before):
            return None
        rng = state.rng(self.seed, self.name)
        for meaning in self._questions(state, left[0]):
            if meaning not in before and refers(meaning, state.scene, left[0]):
                return say(meaning, rng, "game")
        return None

    def _questions(self, state: GameState, thing: Thing) -> Iterator[Meaning]:
        """By a description of it, or else by its place in the row of its category or of all things."""
        scene, rng = state.scene, state.rng(self.seed, "refer")
        for _ in range(_ATTEMPTS):
            ref = refer(thing, scene, rng)
            if ref is not None:
                yield Meaning("is_the", IT, to=ref)
        for noun in (thing.category, ""):
            row = [t for t in scene.things if not noun or is_noun(t, noun)]
            for side in ("left", "right"):
                row.sort(key=lambda t: centre(t)[0], reverse=side == "right")
                place = row.index(thing)
                if place < len(ORDINALS):
                    yield Meaning("nth", IT, f"{place + 1} {side}", to=Ref(noun=noun) if noun else None)


@QUESTIONERS.register("confirming")
def _make(argument: str | None) -> Confirming:
    return Confirming(seed_from(argument))
