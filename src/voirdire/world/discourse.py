"""Who a pronoun refers to: the last thing spoken of that it fits.

A caption mentions things; so does every question, by its description or by a pronoun. What a question is about comes to
the front, before anything else that it names; the answers change nothing, but that an existence question mentions
something only where it is there. he and she are people, it is any single other thing, they are several.
"""

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.truth import denotes
from voirdire.world.understand import describe

__all__ = ["Discourse", "pronoun_for"]


def pronoun_for(things: list[Thing]) -> str:
    """The pronoun for these things."""
    if len(things) > 1:
        return "they"
    return {"male": "he", "female": "she"}.get(things[0].gender, "it")


class Discourse:
    """The state of one dialogue: `focus` maps each pronoun to what it refers to now."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.focus: dict[str, list[Thing]] = {}

    def hear_caption(self, caption: str) -> None:
        """Take in what a caption mentions, in its order."""
        for part in caption.replace(" in the foreground", "").split(" and "):
            for phrase in _phrases(part):
                ref = describe(phrase)
                if ref is not None:
                    self._mention(ref)

    def hear(self, meaning: Meaning) -> None:
        """Take in a question."""
        if meaning.to is not None and meaning.kind not in ("is_a", "is_holding", "nth", "more"):
            self._mention(meaning.to)
        if meaning.of is not None and meaning.kind not in ("what", "more"):
            if meaning.of.other is not None:
                self._mention(meaning.of.other)
            self._mention(meaning.of)

    def _mention(self, ref: Ref) -> None:
        things = denotes(ref, self.scene, self.focus)
        if things:
            self.focus[ref.pronoun or pronoun_for(things)] = things


def _phrases(part: str) -> list[str]:
    """The noun phrases of one part of a caption: split at the words that join two."""
    for joint in _JOINTS:
        part = part.replace(joint, "|")
    return part.split("|")


_JOINTS = (" next to ", " with ", " on ", " in ", " at ", " is ", " are ", ", ")
