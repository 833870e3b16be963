"""Whether another process sees a folder: by a random token that is left there, in a file of a new name.

A folder of the same name on another machine may hold a file of an earlier run; it does not have this token. A name that
never existed before is looked up on a file server at once, where what is known of an old one may be stale.
"""

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PREFIX = ".seen-"


@dataclass(frozen=True)
class FolderToken:
    """A token that lies in a folder; it travels to whoever is to look for it."""

    path: Path
    token: str

    def is_visible(self) -> bool:
        """Whether this process sees the folder in which the token was left."""
        try:
            return self.path.read_text(errors="replace") == self.token
        except OSError:
            return False


@contextlib.contextmanager
def left_token(folder: Path) -> Iterator[FolderToken]:
    """Leave a token in a folder, which is made if need be, while the block runs."""
    left = FolderToken(folder.absolute() / f"{PREFIX}{secrets.token_hex(8)}", secrets.token_hex(16))
    left.path.parent.mkdir(parents=True, exist_ok=True)
    left.path.write_text(left.token)
    try:
        yield left
    finally:
        left.path.unlink(missing_ok=True)


def remove_tokens(folder: Path) -> None:
    """Remove tokens of killed runs; only for a folder in which nobody else works at this moment."""
    for left in folder.glob(f"{PREFIX}*"):
        left.unlink(missing_ok=True)
