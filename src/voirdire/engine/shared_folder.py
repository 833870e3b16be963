"""Whether another process sees a folder: by a random word that is left there, in a file of a name that is new.

A folder of the same name on another machine may hold a file of an earlier run; it has not this word. A name that was
never there before is looked up on a file server at once, where what is known of an old one may be stale.
"""

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PREFIX = ".seen-"


@dataclass(frozen=True)
class LeftWord:
    """A word that lies in a folder; it travels to whoever is to look for it."""

    path: Path
    word: str

    def is_seen(self) -> bool:
        """Whether this process sees the folder in which the word was left."""
        try:
            return self.path.read_text(errors="replace") == self.word
        except OSError:
            return False


@contextlib.contextmanager
def left_word(folder: Path) -> Iterator[LeftWord]:
    """Leave a word in a folder, which is made if need be, while the block runs."""
    left = LeftWord(folder.absolute() / f"{PREFIX}{secrets.token_hex(8)}", secrets.token_hex(16))
    left.path.parent.mkdir(parents=True, exist_ok=True)
    left.path.write_text(left.word)
    try:
        yield left
    finally:
        left.path.unlink(missing_ok=True)


def sweep_words(folder: Path) -> None:
    """Remove words of killed runs; only for a folder in which nobody else works at this moment."""
    for left in folder.glob(f"{PREFIX}*"):
        left.unlink(missing_ok=True)
