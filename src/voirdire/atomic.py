"""Files that are there whole or not at all, whatever happens while they are written."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

__all__ = ["atomic_path", "sweep", "write_atomic"]


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it takes its place when the block ends well, else it is removed.

    The temporary name ends as `path` does, so that writers which look at the ending do the same as for `path`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{secrets.token_hex(6)}.partial.{path.name}")
    try:
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(path)
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
