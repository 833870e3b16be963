"""Results of shards in a folder, each under its key, each whole or not there.

    <folder>/<task name>-<16 hex digits of the task's identity>/
        run.json      what these shards belong to, for people
        lock          held by the run that is at work here
        <key>.shard   magic, key, SHA-256 of the result, result

A file that is cut short, altered, renamed or somebody else's does not match its own hashes and counts as not there.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.atomic import sweep, write_atomic
from voirdire.engine.task import Task
from voirdire.errors import UsageError
from voirdire.locks import lock_folder

__all__ = ["Store"]

MAGIC = b"vdshard\x01"
DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Store:
    """The committed shards of one task."""

    folder: Path

    @classmethod
    def of(cls, root: Path, task: Task[Any]) -> "Store":
        """The task's own folder below `root`; tasks with other parameters have other folders beside it."""
        return cls(root / f"{task.name}-{hashlib.sha256(task.identity.encode()).hexdigest()[:16]}")

    def path(self, key: str) -> Path:
        """Where the result under `key` is kept."""
        return self.folder / f"{key}.shard"

    def read(self, key: str) -> bytes | None:
        """The result under `key`, or None where there is no sound one."""
        try:
            data = self.path(key).read_bytes()
        except FileNotFoundError:
            return None
        head, payload = data[: len(MAGIC) + 2 * DIGEST], data[len(MAGIC) + 2 * DIGEST :]
        return payload if head == _head(key, payload) else None

    def write(self, key: str, payload: bytes) -> None:
        """Commit the result under `key`."""
        write_atomic(self.path(key), _head(key, payload) + payload)

    @contextlib.contextmanager
    def opened(self, task: Task[Any]) -> Iterator[None]:
        """Hold the folder for one run: say what it is, and remove what killed runs left half-written."""
        try:
            lock = lock_folder(self.folder)
        except OSError as error:
            raise UsageError(f"{self.folder}: cannot keep finished work here ({error.strerror})") from None
        with lock:
            sweep(self.folder)
            self._describe(task)
            try:
                yield
            finally:
                sweep(self.folder)

    def _describe(self, task: Task[Any]) -> None:
        name, version, parameters = json.loads(task.identity)
        about = {"task": name, "version": version, "parameters": parameters}
        text = (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode()
        path = self.folder / "run.json"
        if not path.exists() or path.read_bytes() != text:
            write_atomic(path, text)


def _head(key: str, payload: bytes) -> bytes:
    return MAGIC + bytes.fromhex(key) + hashlib.sha256(payload).digest()
