"""Files and folders that are there whole or not at all, whatever happens while they are written; and folders in which
one process works at a time.

A new folder is filled beside its place under a hidden name, brought to disk, and renamed. Where there is one already,
the two names are exchanged in one step of the system (Linux); a system that cannot do so moves the old one aside, and a
kill between these two steps leaves no folder in place, the old one whole under its hidden name.
"""

import contextlib
import ctypes
import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from voirdire.errors import OutputError, UsageError

if TYPE_CHECKING:
    from filelock import BaseFileLock

__all__ = ["atomic_folder", "atomic_path", "check_above", "check_output", "lock_folder", "sweep", "write_atomic"]

AT_FDCWD = -100
RENAME_EXCHANGE = 2


def check_output(path: Path) -> None:
    """Refuse a path at which no file can be put, before any work is done for it.

    A device, a pipe or a folder would be replaced by a rename, so only plain files may be in place.
    """
    try:
        kind = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        kind = stat.S_IFREG
    except OSError as error:
        raise OutputError(str(path), error.strerror or str(error)) from error
    except ValueError as error:  # A zero byte, or half of a sign.
        raise OutputError(str(path), "it is a name that no file can have") from error
    if stat.S_ISDIR(kind):
        raise OutputError(str(path), "it is a folder; name a file")
    if not stat.S_ISREG(kind):
        raise OutputError(str(path), "it is a device or a pipe; name a file, or - for standard output")
    check_above(path)


def check_above(path: Path) -> None:
    """Refuse a path under something that is no folder, or one in which nothing may be put."""
    above = path.parent
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir():
        raise OutputError(str(path), f"{above} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise OutputError(str(path), f"nothing may be put into {above}")


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it takes its place when the block ends well, else it is removed.

    The temporary name ends as `path` does, so that writers which look at the ending do the same as for `path`. Where
    `path` is a link, the file that it leads to is replaced and the link stays.
    """
    check_output(path)
    target = path.resolve()
    partial = target.with_name(f".{secrets.token_hex(6)}.partial.{target.name}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise OutputError(str(path), error.strerror or str(error)) from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all."""
    with atomic_path(path) as partial:
        partial.write_bytes(data)


def sweep(folder: Path) -> None:
    """Remove what killed writers left in `folder`; only for a folder that nobody else writes to at this moment."""
    for partial in folder.glob(".*.partial.*"):
        partial.unlink(missing_ok=True)


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


def lock_folder(folder: Path, name: str = "lock", wait: bool = False) -> "BaseFileLock":
    """Make the folder if need be and hold it until the lock is released, as at the end of a block, or the process ends.

    wait  for another process that holds it, instead of raising a UsageError

    Raises an OSError where nothing can be put or held there.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / name)
    try:
        lock.acquire(timeout=-1 if wait else 0)
    except Timeout:
        raise UsageError(f"{folder}: another run is at work here. Wait until it ends, or use another folder.") from None
    return lock
