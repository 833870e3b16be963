"""A map over fixed shards that can be killed at any moment and run again.

    with run_map(task, shards(n, 256), store=folder, engine=ENGINES.make("processes:4")) as results:
        for data in results:
            file.write(data)

The bytes are the same for any engine and any number of workers, and after any number of interruptions.

    key(shard) = SHA-256 of the JSON [task name, task version, parameters, shard]

Two shards have one key exactly when they have one result, so a key can stand for the result on disk. Results are kept
in a folder, each under its key, each whole or not there:

    <folder>/<task name>-<16 hex digits of the task's identity>/
        run.json      what these shards belong to, for people
        lock          locked by the run that is at work here
        .seen-…       a token that the run wrote; workers that read the same see this folder
        <key>.shard   magic, key, SHA-256 of the result, result

A file that is cut short, altered, renamed or somebody else's does not match its own hashes; a warning says so, and it
counts as missing.
"""

import contextlib
import hashlib
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from voirdire.atomic import lock_folder, sweep, unwritten, write_atomic
from voirdire.engine.engines import Engine
from voirdire.engine.notes import note
from voirdire.engine.shared_folder import FolderToken, left_token, remove_tokens
from voirdire.engine.workers import WorkerLost
from voirdire.errors import (
    CacheWarning,
    OutOfMemory,
    UsageError,
    VoirDireError,
    is_out_of_memory,
    shorten,
    shorten_text,
)
from voirdire.figures import counted
from voirdire.progress import Progress, silent

S = TypeVar("S")

NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
MOST_FAILED = 10
"""Shards that may fail before a map gives up: with so many, the rest would hardly be better."""
MAGIC = b"vdshard\x01"
DIGEST = hashlib.sha256().digest_size


class Span(NamedTuple):
    """The items `start` to `stop - 1` of a sequence."""

    start: int
    stop: int

    def __str__(self) -> str:
        return f"items {self.start:,} to {self.stop - 1:,}"


def shards(n: int, size: int) -> list[Span]:
    """`n` items in spans of `size`, the last one shorter. The size never follows from the number of workers."""
    if n < 0:
        raise ValueError(f"`n` must be at least 0, got {n}")
    if size < 1:
        raise ValueError(f"`size` must be at least 1, got {size}")
    return [Span(start, min(start + size, n)) for start in range(0, n, size)]


@dataclass(frozen=True)
class Task(Generic[S]):
    """A function from a shard to bytes, with everything that its result depends on.

    name        lower-case letters, digits and `._-`: "robustness.rank"
    version     raised by the author whenever the same shard would give other bytes
    first       from a shard to what its first record is called, for a message about a shard that failed
    parameters  plain values (what JSON can say; dataclasses and Structs too): options, and the *fingerprints* of the
                data that the shards point into. A path says nothing about a content and does not belong here.
    prepare     called once in each worker; loads what is heavy, imports what it needs, and returns the function.
                For worker processes it must be picklable: a function of a module, or a `functools.partial` of one.
    """

    name: str
    version: int
    prepare: Callable[[], Callable[[S], bytes]]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    first: Callable[[S], str] | None = None

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"`name` must be lower-case letters, digits and ._-, got {self.name!r}")

    @property
    def identity(self) -> str:
        """The task without its function, as JSON that is the same for equal parameters in any order."""
        return _json([self.name, self.version, self.parameters])

    def called(self, shard: S) -> str:
        """The shard in a message."""
        name = str(shard) if isinstance(shard, Span) else shorten(shard)
        return name if self.first is None else f"{name}; the first is {shorten_text(self.first(shard), 80)}"

    def key(self, shard: S) -> str:
        """The name of this shard's result: equal for equal content, on any machine."""
        return hashlib.sha256(_json([self.name, self.version, self.parameters, shard]).encode()).hexdigest()


def _json(value: object) -> str:
    try:
        return json.dumps(msgspec.to_builtins(value), sort_keys=True, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise ValueError(f"`parameters` and shards must hold finite numbers, got another ({error})") from None


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
        write_atomic(self.path(key), _head(key, payload) + payload, sweeps=False)

    @contextlib.contextmanager
    def opened(self, task: Task[Any]) -> Iterator[None]:
        """Lock the folder for one run: describe it, and remove what killed runs left half-written."""
        try:
            lock = lock_folder(self.folder)
        except OSError as error:
            reason = unwritten(self.folder / "lock", error).reason
            raise UsageError(f"{self.folder}: cannot keep finished work here ({reason})") from None
        with lock:
            sweep(self.folder)
            remove_tokens(self.folder)
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


class ShardError(Exception):
    """The task failed on one shard or several; the original error of the first is the cause."""


@contextlib.contextmanager
def run_map(
    task: Task[S],
    shards: Sequence[S],
    *,
    engine: Engine,
    store: Path | None = None,
    progress: Progress = silent,
) -> Iterator[Iterator[bytes]]:
    """The result of each shard, in order, one at a time in memory (and a few ahead where there is no store).

    store  a folder. Finished shards are committed in it, by the workers that see it and else here, and never computed
           again; it is the caller's to remove when the results have become something else. Without it nothing outlives
           the run.
    progress  called with how many shards are done: once at the start (what was kept), then after each one computed.

    An error that a user caused passes unchanged. Any other becomes a `ShardError` that names the shard; too little
    memory and a lost worker are errors of their own. Where there is a store, such a shard does not stop the others:
    they are finished and kept before it is raised. Leaving the block early, by an error or Ctrl-C, stops the workers
    at once.
    """
    total = len(shards)
    with contextlib.ExitStack() as stack:
        if store is None:
            progress(0, total)
            results = stack.enter_context(engine.map(task.prepare, iter(shards)))
            yield _streamed(task, shards, results, progress)
        else:
            folder = Store.of(store.absolute(), task)
            stack.enter_context(folder.opened(task))
            keys = [task.key(shard) for shard in shards]
            kept = [folder.read(key) is not None for key in keys]
            damaged = sum(not sound and folder.path(key).exists() for key, sound in zip(keys, kept, strict=True))
            if damaged:
                what = f"{folder.folder}: {counted(damaged, 'finished part')} damaged; made again"
                warnings.warn(what, CacheWarning, stacklevel=3)
            progress(sum(kept), total)
            items = ((key, shard) for key, shard, sound in zip(keys, shards, kept, strict=True) if not sound)
            commit = _Committing(task.prepare, folder, stack.enter_context(left_token(folder.folder)))
            commits = stack.enter_context(engine.map(commit, items))
            yield _committed(task, shards, _Kept(folder, keys, kept), commits, progress)


def _streamed(task: Task[S], shards: Sequence[S], results: Iterator[bytes], report: Progress) -> Iterator[bytes]:
    for index in range(len(shards)):
        with _named(task, shards, index):
            data = next(results)
        report(index + 1, len(shards))
        yield data


@dataclass(frozen=True)
class _Kept:
    """A store, the keys of a map's shards in it, and which of them were finished already."""

    store: Store
    keys: list[str]
    finished: list[bool]


def _committed(
    task: Task[S], shards: Sequence[S], kept: _Kept, commits: Iterator[bytes | None], report: Progress
) -> Iterator[bytes]:
    done, failed = sum(kept.finished), list[Exception]()
    for index, key in enumerate(kept.keys):
        if not kept.finished[index]:
            try:
                with _named(task, shards, index):
                    data = next(commits)
            except (WorkerLost, OutOfMemory, ShardError) as error:
                failed.append(error)
                note(f"{counted(len(failed), 'shard')} failed")
                if len(failed) == MOST_FAILED:
                    break
                continue
            if data is not None:
                kept.store.write(key, data)
            done += 1
            report(done, len(shards))
        if not failed:
            data = kept.store.read(key)
            if data is None:
                path = kept.store.path(key)
                raise VoirDireError(f"{path}: removed or altered while the run was at work. Run it again.")
            yield data
    if failed:
        note("")
        raise _together(failed)


def _together(failed: list[Exception]) -> Exception:
    """One error for those of several shards."""
    first = failed[0]
    if len(failed) == 1:
        return first
    given_up = f" After {MOST_FAILED} the others were not tried." if len(failed) == MOST_FAILED else ""
    each = "\n  ".join(map(str, failed))
    text = f"{len(failed)} shards failed; what was finished is kept.{given_up}\n  {each}"
    if any(isinstance(error, ShardError) for error in failed):
        whole: Exception = ShardError(text)
    else:
        whole = WorkerLost(text)
    whole.__cause__ = first.__cause__
    return whole


@contextlib.contextmanager
def _named(task: Task[S], shards: Sequence[S], index: int) -> Iterator[None]:
    """Name the shard that an error belongs to."""
    name = f"shard {index + 1} of {len(shards)}"
    try:
        yield
    except WorkerLost as error:
        raise WorkerLost(f"{name} ({task.called(shards[index])}): {error}") from None
    except VoirDireError:
        raise
    except (Exception, SystemExit) as error:
        name = f"{name} ({task.called(shards[index])})"
        if is_out_of_memory(error):
            raise OutOfMemory.of(name, error) from error
        raise ShardError(f"{name}: {type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class _Committing(Generic[S]):
    """Prepares a function that computes a shard and commits it where it was computed: the result does not travel.

    token  by which a worker finds out whether it sees the store; where it does not, the result does travel
    """

    prepare: Callable[[], Callable[[S], bytes]]
    store: Store
    token: FolderToken

    def __call__(self) -> Callable[[tuple[str, S]], bytes | None]:
        compute, sees = self.prepare(), self.token.is_visible()

        def commit(item: tuple[str, S]) -> bytes | None:
            key, shard = item
            if not sees:
                return compute(shard)
            # Equal shards have one key: the second may find the first one's result.
            if self.store.read(key) is None:
                self.store.write(key, compute(shard))
            return None

        return commit
