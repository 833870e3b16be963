"""Files and folders that are written whole or not at all; and folders in which one process works at a time.

A new folder is filled beside its place under a hidden name, brought to disk, and renamed. Where there is one already,
the two names are exchanged in one system call (Linux); other systems move the old one aside, and a kill between these
two steps leaves no folder in place, the old one whole under its hidden name.

Whoever fills a hidden name has a lock on it until then. So one without a lock was left by a killed process, and the
next that is written in its place removes it.
"""

import contextlib
import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from voirdire.errors import OutputError, UsageError, VoirDireError

if TYPE_CHECKING:
    from filelock import BaseFileLock

if sys.platform != "win32":
    import fcntl

AT_FDCWD = -100
RENAME_EXCHANGE = 2
SEAL = hashlib.sha256().digest_size
"""Bytes of the seal at the end of a sealed file."""
BLOCK = 1 << 20

_HIDDEN = re.compile(r"\.[0-9a-f]{12}\.(?:partial|old)\.(.+)", re.DOTALL)
# How libraries quote an error of the system in errors of their own.
_QUOTED = re.compile(r"\b(?:os error |errno = )(\d+)")
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_REMEDIES = {
    errno.ENOSPC: "Make room there, or write to another disk.",
    errno.EDQUOT: "Make room in your quota, or write to another disk.",
    errno.EFBIG: "Raise the limit of a file's size (ulimit -f), or write to a disk that takes larger files.",
    errno.EROFS: "Write to another disk.",
    errno.EACCES: "Write to a folder that you may write to.",
    errno.EPERM: "Write to a folder that you may write to.",
}
# From a file system that cannot reserve space.
_UNABLE = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def check_output(path: Path) -> None:
    """Refuse a path at which no file can be put, before any work is done for it.

    A device, a pipe or a folder would be replaced by a rename, so only plain files may be in place.
    """
    try:
        kind = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        kind = stat.S_IFREG
    except OSError as error:
        raise unwritten(path, error) from error
    except ValueError as error:  # A zero byte, or a lone surrogate.
        raise OutputError(str(path), "it is a name that no file can have") from error
    if stat.S_ISDIR(kind):
        # An empty name has become this folder on its way here.
        what = "it is this folder, which an empty name stands for, too" if str(path) == "." else "it is a folder"
        raise OutputError(str(path), f"{what}; name a file")
    if not stat.S_ISREG(kind):
        raise OutputError(str(path), "it is a device or a pipe; name a file, or - for standard output")
    check_above(path)


def check_above(path: Path) -> None:
    """Refuse a path below anything but a folder that can be written to."""
    above = _above(path)
    if not above.is_dir():
        raise OutputError(str(path), f"{above} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise OutputError(str(path), f"nothing may be put into {above}")


def _above(path: Path) -> Path:
    """The nearest folder above `path` that exists."""
    above = path.parent
    while not above.exists() and above != above.parent:
        above = above.parent
    return above


def unwritten(path: Path, error: OSError, needed: int = 0) -> OutputError:
    """The error for a `path` that the system did not let be written: what happened, and what to do.

    needed  how many bytes are to be written, where that is known
    """
    reason = str(error) if error.errno is None else os.strerror(error.errno)
    if error.errno in _FULL:
        room = [f"{_amount(needed)} are needed"] if needed else []
        with contextlib.suppress(OSError):
            room.append(f"{_amount(shutil.disk_usage(_above(path)).free)} are free")
        reason += f" ({', '.join(room)})" if room else ""
    remedy = _REMEDIES.get(error.errno or 0)
    return OutputError(str(path), f"{reason}. {remedy}" if remedy else reason)


def _amount(count: int) -> str:
    return f"{count / 1024**2:,.1f} MB"


@contextlib.contextmanager
def _reported(path: Path, needed: int = 0) -> Iterator[None]:
    """Raise an OutputError for an error of the system."""
    try:
        yield
    except (FileExistsError, VoirDireError):
        raise
    except OSError as error:
        raise unwritten(path, error, needed) from error
    except Exception as error:
        if (quoted := _QUOTED.search(str(error))) is None:
            raise
        raise unwritten(path, OSError(int(quoted[1]), str(error)), needed) from error


@contextlib.contextmanager
def atomic_path(path: Path, needed: int = 0, sweeps: bool = True) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it takes its place when the block ends well, else it is removed.

    needed  how many bytes will be written, where that is known, for the message if there is no room for them
    sweeps  whether to look for files that killed processes left, which takes long in a folder of many files

    The temporary name ends as `path` does, for writers that look at the ending. Where `path` is a link, the file that
    it leads to is replaced and the link stays.
    """
    check_output(path)
    target = path.resolve()
    with _reported(path, needed):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _hidden(target) as partial:
            yield partial
            _sync(partial)
            partial.replace(target)
        if sweeps:
            _sweep_beside(target)


@contextlib.contextmanager
def _hidden(target: Path, folder: bool = False) -> Iterator[Path]:
    """A new empty file, or folder, under a hidden name beside `target`; removed in the end if it is still there."""
    while True:
        partial = target.with_name(f".{secrets.token_hex(6)}.partial.{target.name}")
        partial.mkdir() if folder else partial.touch(exist_ok=False)
        handle = _lock(partial, wait=True)
        # Before it was locked, another process may have removed it as left by a killed one.
        if partial.exists():
            break
        _unlock(handle)
    try:
        yield partial
    finally:
        _remove(partial)
        _unlock(handle)


def _lock(path: Path, wait: bool) -> int | None:
    """A handle that locks a file or folder until it is closed or the process ends; None where that fails."""
    if sys.platform == "win32":
        return None
    try:
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        return None
    return handle


def _unlock(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _sweep_beside(target: Path) -> None:
    """Remove what killed processes left under hidden names of `target`, which is in place; what is locked stays."""
    # `target` is written: an error here must not fail it.
    with contextlib.suppress(OSError):
        for entry in target.parent.iterdir():
            match = _HIDDEN.fullmatch(entry.name)
            if match and match[1] == target.name and (handle := _lock(entry, wait=False)) is not None:
                _remove(entry)
                _unlock(handle)


@contextlib.contextmanager
def hidden_folder(path: Path) -> Iterator[Path]:
    """A folder beside `path` for its parts, removed in the end; after a kill, the next write of `path` removes it."""
    with _reported(path):
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        with _hidden(target, folder=True) as folder:
            yield folder


def write_atomic(path: Path, data: bytes, sweeps: bool = True) -> None:
    """Write `data` to `path`, whole or not at all."""
    with atomic_path(path, sweeps=sweeps) as partial:
        partial.write_bytes(data)


def write_sealed(path: Path, chunks: Iterable[bytes | memoryview], size: int) -> None:
    """Write chunks of `size` bytes together, then their SHA-256, whole or not at all.

    With it a later process can check that the file is as it was written. Its space is reserved before the first chunk
    is made, so that a full disk is noticed before the work.
    """
    digest = hashlib.sha256()
    with atomic_path(path, size + SEAL) as partial, partial.open("r+b") as file:
        _reserve(file, size + SEAL)
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
        if file.tell() != size:
            raise ValueError(f"the chunks must have `size` bytes together, {size:,}, and have {file.tell():,}")
        file.write(digest.digest())


def _reserve(file: IO[bytes], size: int) -> None:
    """Reserve the space of a file that is still empty, where the system can; else the disk may be full later."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno not in _UNABLE:
                raise


def is_sealed(path: Path) -> bool:
    """Whether the file is as `write_sealed` left it; it may be larger than memory."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            left = file.seek(0, os.SEEK_END) - SEAL
            file.seek(0)
            while left > 0 and (block := file.read(min(left, BLOCK))):
                digest.update(block)
                left -= len(block)
            return left == 0 and file.read() == digest.digest()
    except OSError:
        return False


def read_sealed(path: Path) -> bytes | None:
    """The content that `write_sealed` wrote; None where the file is not as it was written."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    content, seal = data[:-SEAL], data[-SEAL:]
    return content if hashlib.sha256(content).digest() == seal else None


def seal_of(path: Path) -> bytes:
    """The seal of a file that `write_sealed` wrote, which identifies its content; empty where there is no file."""
    try:
        with path.open("rb") as file:
            file.seek(-SEAL, os.SEEK_END)
            return file.read()
    except OSError:
        return b""


def sweep(folder: Path) -> None:
    """Remove what killed writers left in `folder`, which nobody else may be writing to."""
    for partial in folder.glob(".*.partial.*"):
        _remove(partial)


@contextlib.contextmanager
def atomic_folder(folder: Path, replace: bool) -> Iterator[Path]:
    """A temporary folder to fill; it takes the place of `folder` when the block ends well, else it is removed.

    Raises FileExistsError where something is in its place and `replace` is false.
    """
    folder = folder.absolute()
    with _reported(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _hidden(folder, folder=True) as partial:
            yield partial
            for file in partial.iterdir():
                _sync(file)
            _sync(partial)
            _put(partial, folder, replace)
            _sync(folder.parent)
        _sweep_beside(folder)


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
    """Exchange two names in one step; False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    done: int = rename(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), RENAME_EXCHANGE)
    return done == 0


def _sync(path: Path) -> None:
    """Bring the content of a file or folder to disk; Windows cannot open folders and keeps them safe itself."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class FolderLock:
    """The lock of a folder, held from its making to its release, or to the end of a block."""

    def __init__(self, lock: "BaseFileLock") -> None:
        self._lock = lock

    def release(self) -> None:
        """Let others work in the folder."""
        self._lock.release()

    def __enter__(self) -> "FolderLock":
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


def lock_folder(folder: Path, name: str = "lock", wait: bool = False) -> FolderLock:
    """Make the folder if need be and lock it until the lock is released, as at the end of a block, or the process ends.

    wait  whether to wait for another process that has the lock, instead of raising a UsageError

    Raises an OSError where no lock can be put there.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / name)
    try:
        lock.acquire(timeout=-1 if wait else 0)
    except Timeout:
        raise UsageError(f"{folder}: another run is at work here. Wait until it ends, or use another folder.") from None
    return FolderLock(lock)
