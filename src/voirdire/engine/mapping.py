"""A map over fixed shards that can be killed at any moment and run again.

    with run_map(task, shards(n, 256), store=folder, engine=ENGINES.make("processes:4")) as results:
        for data in results:
            file.write(data)

The bytes are the same for any engine and any number of workers, and after any number of interruptions.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from voirdire.engine.protocol import Engine
from voirdire.engine.store import Store
from voirdire.engine.task import Span, Task
from voirdire.errors import VoirDireError, shorten
from voirdire.progress import Progress, silent

__all__ = ["ShardError", "run_map"]

S = TypeVar("S")


class ShardError(Exception):
    """The task failed on one shard; the original error is the cause."""


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

    store  a folder that every worker can reach. Finished shards are committed in it and never computed again; it is the
           caller's to remove when the results have become something else. Without it nothing outlives the run.
    progress  told how many shards are done: once at the start (what was kept), then after each one computed.

    An error that a user caused passes unchanged; any other becomes a `ShardError` that names the shard. Leaving the
    block early, by an error or Ctrl-C, stops the workers at once.
    """
    total = len(shards)
    with contextlib.ExitStack() as stack:
        if store is None:
            progress(0, total)
            found = stack.enter_context(engine.map(task.prepare, iter(shards)))
            yield _streamed(shards, found, progress)
        else:
            folder = Store.of(store, task)
            stack.enter_context(folder.opened(task))
            keys = [task.key(shard) for shard in shards]
            kept = [folder.read(key) is not None for key in keys]
            progress(sum(kept), total)
            items = ((key, shard) for key, shard, there in zip(keys, shards, kept, strict=True) if not there)
            commits = stack.enter_context(engine.map(_Committing(task.prepare, folder), items))
            yield _committed(shards, keys, kept, commits, folder, progress)


def _streamed(shards: Sequence[S], found: Iterator[bytes], report: Progress) -> Iterator[bytes]:
    for index in range(len(shards)):
        with _named(shards, index):
            data = next(found)
        report(index + 1, len(shards))
        yield data


def _committed(
    shards: Sequence[S], keys: list[str], kept: list[bool], commits: Iterator[None], store: Store, report: Progress
) -> Iterator[bytes]:
    done = sum(kept)
    for index, key in enumerate(keys):
        if not kept[index]:
            with _named(shards, index):
                next(commits)
            done += 1
            report(done, len(shards))
        data = store.read(key)
        if data is None:
            raise VoirDireError(f"{store.path(key)}: removed or altered while the run was at work. Run it again.")
        yield data


@contextlib.contextmanager
def _named(shards: Sequence[S], index: int) -> Iterator[None]:
    """Say which shard an error belongs to."""
    try:
        yield
    except VoirDireError:
        raise
    except (Exception, SystemExit) as error:
        shard = shards[index]
        about = str(shard) if isinstance(shard, Span) else shorten(shard)
        raise ShardError(f"shard {index + 1} of {len(shards)} ({about}): {type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class _Committing(Generic[S]):
    """Prepares a function that computes a shard and commits it where it was computed: only word of it travels."""

    prepare: Callable[[], Callable[[S], bytes]]
    store: Store

    def __call__(self) -> Callable[[tuple[str, S]], None]:
        compute = self.prepare()

        def commit(item: tuple[str, S]) -> None:
            key, shard = item
            # Equal shards have one key: the second may find the first one's result.
            if self.store.read(key) is None:
                self.store.write(key, compute(shard))

        return commit
