"""Files that are there whole or not at all, whatever happens while they are written."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from voirdire.errors import OutputError

__all__ = ["atomic_path", "check_above", "check_output", "sweep", "write_atomic"]


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
