"""A folder that is there whole or not at all, also when it takes the place of another.

The new folder is filled beside its place under a hidden name, brought to disk, and renamed. Where there is one already,
the two names are exchanged in one step of the system (Linux); a system that cannot do so moves the old one aside, and a
kill between these two steps leaves no folder in place, the old one whole under its hidden name.
"""

import contextlib
import ctypes
import errno
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["atomic_folder"]

AT_FDCWD = -100
RENAME_EXCHANGE = 2


@contextlib.contextmanager
def atomic_folder(folder: Path, replace: bool) -> Iterator[Path]:
    """A temporary folder to fill; it takes the place of `folder` when the block ends well, else it is removed.

    Raises FileExistsError where something is in its place and `replace` is false.
    """
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = folder.with_name(f".{secrets.token_hex(6)}.partial.{folder.name}")
    partial.mkdir()
    try:
        yield partial
        for file in partial.iterdir():
            _sync(file)
        _sync(partial)
        _put(partial, folder, replace)
        _sync(folder.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put(partial: Path, folder: Path, replace: bool) -> None:
    """Rename `partial` to `folder`; what was there, if it may go, is then under the hidden name."""
    try:
        partial.rename(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EACCES) or not folder.exists():
            raise
        if not replace:
            raise FileExistsError(errno.EEXIST, "something is in place already", str(folder)) from None
        if not _exchange(partial, folder):
            aside = folder.with_name(f".{secrets.token_hex(6)}.old.{folder.name}")
            folder.rename(aside)
            partial.rename(folder)
            shutil.rmtree(aside, ignore_errors=True)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two names in one step; False where the system has no such step."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    done: int = rename(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), RENAME_EXCHANGE)
    return done == 0


def _sync(path: Path) -> None:
    """Bring a file's or a folder's content to disk; a system that cannot open folders keeps them safe itself."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
