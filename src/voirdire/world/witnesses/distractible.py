"""`distractible`: of a text with several questions it answers the last one that it can read.

Asked one question it is as good as `truthful`; asked "main? other? other?" it answers the other one.
"""

from voirdire.world.meaning import Meaning
from voirdire.world.understand import split_questions, understand
from voirdire.world.witnesses.answerer import Answerer
from voirdire.world.witnesses.protocol import WITNESSES, seed_from

__all__ = ["Distractible"]


class Distractible(Answerer):
    """Reads on to the end."""

    name = "distractible"

    def read(self, question: str) -> Meaning | None:
        """The last question of the text that can be read; a cut one at its end cannot."""
        for part in reversed(split_questions(question)):
            meaning = understand(part)
            if meaning is not None:
                return meaning
        return None


@WITNESSES.register("distractible")
def _make(argument: str | None) -> Distractible:
    return Distractible(seed_from(argument))
