"""What workers do before their first result, said in files beside their work, for whoever shows progress.

    FOLDER/note-<process>    "preparing" while a ranker is made, "compiling (once)" while its inner loops are compiled

A file is there as long as what it says is true. Compiled code is kept on disk, so a machine compiles once.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["COMPILING", "PREPARING", "clear_notes", "noting", "read_notes"]

PREPARING, COMPILING = "preparing", "compiling (once)"
NAME = "note-"


@contextlib.contextmanager
def noting(folder: Path, text: str = "") -> Iterator[None]:
    """In a worker: say `text` for the length of the block, and whenever numba compiles that instead."""
    from numba.core import event

    note = _Note(folder / f"{NAME}{os.getpid()}")
    note.begin(text)
    try:
        with event.install_listener("numba:compile", _listener(note)):
            yield
    finally:
        note.end()


def read_notes(folder: Path) -> str:
    """What the workers say at this moment, each thing once."""
    said = set()
    for path in folder.glob(f"{NAME}*"):
        with contextlib.suppress(OSError):
            said.add(path.read_text())
    return ", ".join(sorted(filter(None, said)))


def clear_notes(folder: Path) -> None:
    """Remove what killed workers left."""
    for path in folder.glob(f"{NAME}*"):
        path.unlink(missing_ok=True)


class _Note:
    """A file with the latest of the things that are said; a fault with it must not stop the work."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._said: list[str] = []

    def begin(self, text: str) -> None:
        self._said.append(text)
        self._write()

    def end(self) -> None:
        self._said.pop()
        self._write()

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            if any(self._said):
                self._path.write_text(self._said[-1])
            else:
                self._path.unlink(missing_ok=True)


def _listener(note: _Note) -> Any:
    from numba.core import event

    class Compiling(event.Listener):
        def on_start(self, event: Any) -> None:
            note.begin(COMPILING)

        def on_end(self, event: Any) -> None:
            note.end()

    return Compiling()
