"""How the replies of a live model were read: in which ways, how many could not be, and what some of these were.

    share read = replies in which what was asked for could be read / replies that were asked for

A reply that was refused, is empty or was cut off before an answer is not read, as one in which a rule finds nothing.
"""

from collections import Counter

import msgspec

from voirdire.errors import shorten
from voirdire.figures import counted

EXAMPLES = 5
"""Of what could not be read so many are kept."""


class Readings(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Of the replies of one interview.

    ways      how many were read in which way
    asked     how many there are
    examples  texts in which nothing was found, shortened
    """

    ways: dict[str, int] = {}
    asked: int = 0
    examples: tuple[str, ...] = ()

    @property
    def read(self) -> int:
        """How many could be read."""
        return sum(self.ways.values())

    @property
    def complete(self) -> bool:
        """Whether all could be read."""
        return self.read == self.asked

    def __str__(self) -> str:
        if self.complete:
            return f"all of {counted(self.asked, 'reply', 'replies')} read"
        return f"{self.read:,} of {counted(self.asked, 'reply', 'replies')} read ({100 * self.read / self.asked:.1f} %)"

    @property
    def line(self) -> str:
        """All of it in words."""
        ways = ", ".join(f"{count:,} by {way}" for way, count in Counter(self.ways).most_common())
        shown = "; ".join(self.examples)
        text = str(self)
        return (
            f"{text[0].upper()}{text[1:]}{f': {ways}' if ways else ''}."
            f"{f' Nothing could be read, for example, in {shown}.' if shown else ''}"
        )


class ReadingCount:
    """Counts readings while replies come in."""

    def __init__(self) -> None:
        self.ways: Counter[str] = Counter()
        self.asked = 0
        self.examples: dict[str, None] = {}

    def add(self, way: str, text: str) -> None:
        """One reply; `way` is empty where nothing could be read in it."""
        self.asked += 1
        if way:
            self.ways[way] += 1
        elif text and len(self.examples) < EXAMPLES:
            self.examples[shorten(text)] = None

    def move(self, way: str, to: str, count: int) -> None:
        """So many of one way were read in another one, as turned out later."""
        self.ways[way] -= count
        self.ways[to] += count

    def readings(self) -> Readings:
        """What there is so far."""
        return Readings(
            {way: count for way, count in sorted(self.ways.items()) if count}, self.asked, tuple(self.examples)
        )
