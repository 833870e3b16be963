"""Who a pronoun refers to: the last thing spoken of that it fits.

A caption mentions things ("a man and two dogs"), and so does every question, by a description or by a pronoun. What a
question is about comes last, so that it is in front of anything else that it names. Answers change nothing, but that an
existence question mentions something only where it is there. he and she are people, it is any other single thing, they
are several.
"""

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.truth import denotes
from voirdire.world.understand import chunk, normal_words

__all__ = ["Discourse", "pronoun_for"]


def pronoun_for(things: list[Thing]) -> str:
    """The pronoun for these things."""
    if len(things) > 1:
        return "they"
    return {"male": "he", "female": "she"}.get(things[0].gender, "it")


class Discourse:
    """The state of one dialogue.

    focus  each pronoun with what it refers to now
    last   the pronoun for what was spoken of last; empty at the start and after something that is not there
    known  the ids of all things that have been spoken of one by one
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.focus: dict[str, list[Thing]] = {}
        self.last = ""
        self.known: dict[int, Thing] = {}

    def hear_caption(self, caption: str) -> None:
        """Take in what a caption mentions, in its order; a description that fits too many or too few says nothing."""
        for piece in chunk(list(normal_words(caption))):
            if piece.symbol in ("I", "B"):
                things = denotes(piece.payload, self.scene)
                if (len(things) == 1) == (piece.symbol == "I"):
                    self._mention(piece.payload)

    def hear(self, meaning: Meaning) -> None:
        """Take in a question."""
        of, to = meaning.of, meaning.to
        if to is not None and meaning.kind not in ("is_a", "is_holding", "nth", "more"):
            self._mention(to)
        if of is not None and meaning.kind not in ("what", "more"):
            if of.other is not None:
                self._mention(of.other)
            self._mention(of)

    def _mention(self, ref: Ref) -> None:
        things = denotes(ref, self.scene, self.focus)
        if not things:
            self.last = ""
        else:
            self.last = ref.pronoun or pronoun_for(things)
            self.focus[self.last] = things
            if len(things) == 1:
                self.known[things[0].id] = things[0]
