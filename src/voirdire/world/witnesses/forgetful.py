"""`forgetful`: sees the image, but takes every question as if nothing had been said before.

A pronoun is for it what somebody would take it for who looks at the picture and has heard nothing: he the largest
man or boy, she the largest woman or girl, it the largest other thing, they the largest group of one category.
"""

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.truth import Focus
from voirdire.world.witnesses.answerer import Answerer
from voirdire.world.witnesses.protocol import WITNESSES, History, seed_from

__all__ = ["Forgetful"]


class Forgetful(Answerer):
    """Does not listen."""

    name = "forgetful"

    def listen(self, scene: Scene, history: History | None) -> Focus:
        """The things that strike the eye, whatever was said."""
        if history is None:
            return {}
        focus: dict[str, list[Thing]] = {}
        for thing in sorted(scene.things, key=lambda thing: -thing.bbox[2] * thing.bbox[3]):
            focus.setdefault({"male": "he", "female": "she"}.get(thing.gender, "it"), [thing])
        categories = [thing.category for thing in scene.things]
        crowd = max(dict.fromkeys(categories), key=categories.count)
        if categories.count(crowd) > 1:
            focus["they"] = [thing for thing in scene.things if thing.category == crowd]
        return focus


@WITNESSES.register("forgetful")
def _make(argument: str | None) -> Forgetful:
    return Forgetful(seed_from(argument))
