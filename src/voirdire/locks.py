"""Folders in which one process works at a time."""

import sys
from pathlib import Path
from typing import IO

from voirdire.errors import UsageError

__all__ = ["lock_folder"]


def lock_folder(folder: Path, name: str = "lock") -> IO[bytes]:
    """Make the folder if need be and hold it until the file that is given back is closed, or this process ends.

    Raises a UsageError where another process holds it, and an OSError where nothing can be put there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / name).open("ab")
    if not _try_lock(lock):
        lock.close()
        raise UsageError(f"{folder}: another run is at work here. Wait until it ends, or use another folder.")
    return lock


def _try_lock(file: IO[bytes]) -> bool:
    """Lock the file for this process; the system lets go of it when the process ends, however it ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
