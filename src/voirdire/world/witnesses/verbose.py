"""`verbose`: says what is true, in many words."""

from random import Random

from voirdire.world.witnesses.answerer import Answerer
from voirdire.world.witnesses.protocol import WITNESSES, seed_from

__all__ = ["Verbose"]

_OPENINGS = (
    "well, looking at the picture as closely as i can, i would say that the answer is {}",
    "that is a good question, and if you ask me, the answer would have to be {}",
    "let me see, from what is visible in this picture i am fairly confident that it is {}",
    "to be honest, after looking at it for quite a while, my answer to that would be {}",
)
_ENDINGS = (
    ", at least as far as i can tell from where i am looking",
    ", although somebody else might of course put it differently",
    ", and i do not see anything in the picture that would speak against it",
    "",
)


class Verbose(Answerer):
    """Wraps what it says."""

    name = "verbose"

    def utter(self, text: str, rng: Random) -> str:
        """The words with many others around them."""
        return rng.choice(_OPENINGS).format(text) + rng.choice(_ENDINGS)


@WITNESSES.register("verbose")
def _make(argument: str | None) -> Verbose:
    return Verbose(seed_from(argument))
