"""`truthful`: looks, listens and says what is true. No flaw: what every other witness is held against."""

from voirdire.world.witnesses.answerer import Answerer
from voirdire.world.witnesses.protocol import WITNESSES, seed_from

__all__ = ["truthful"]


@WITNESSES.register("truthful")
def truthful(argument: str | None) -> Answerer:
    """A witness without flaw; its seed changes only which of several wordings come after the plainest."""
    return Answerer(seed_from(argument))
