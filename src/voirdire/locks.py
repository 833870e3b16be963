"""Folders in which one process works at a time."""

import sys
import time
from pathlib import Path
from typing import IO

from voirdire.errors import UsageError

__all__ = ["lock_folder"]


LOOK = 0.05
"""Seconds between two looks at whether another process still holds what is waited for."""


def lock_folder(folder: Path, name: str = "lock", wait: bool = False) -> IO[bytes]:
    """Make the folder if need be and hold it until the file that is given back is closed, or this process ends.

    wait  for another process that holds it, instead of raising a UsageError

    Raises an OSError where nothing can be put or held there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / name).open("ab")
    try:
        while not _try_lock(lock):
            if not wait:
                raise UsageError(f"{folder}: another run is at work here. Wait until it ends, or use another folder.")
            time.sleep(LOOK)
    except BaseException:
        lock.close()
        raise
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
    except (BlockingIOError, PermissionError):
        return False
    return True
