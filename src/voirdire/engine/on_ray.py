"""The engine `ray[:ADDRESS]`: a map's items as plain tasks of a Ray cluster.

    ray                a cluster of this machine alone, on its loopback address; it ends with the program
    ray:auto           the cluster that this machine is a node of
    ray:HOST[:PORT]    the cluster whose head node is there (port 6379 if none is given), with this machine as a node

Ray starts, places and watches the tasks. What is added: each worker prepares once per map; a lost task is tried again
by the rules of all engines (`workers`), not by Ray's, which tries without end where memory is short. Errors travel as
values: as exceptions Ray would log them, with whatever they say of a user's data.

A node may join while a map is at work. So each worker looks, at its first item, whether it has the same versions, and
whether it sees what it is to read. Files that it does not see are put into the object store when the first worker says
so, and that item is given again.
"""

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from voirdire.atomic import seal_of
from voirdire.engine import cluster
from voirdire.engine.engines import sendable
from voirdire.engine.notes import notes_sent_to, remote_listener
from voirdire.engine.shared_files import handing_over
from voirdire.engine.shared_folder import FolderToken, left_token
from voirdire.engine.threads import OneThread
from voirdire.engine.workers import Finished, InOrder, Lost, WorkerPool
from voirdire.errors import MissingExtra, UsageError, shorten

S = TypeVar("S")
R = TypeVar("R")

PORT = 6379
POLL_SECONDS = 0.2
"""Seconds between two looks at the workers' notes."""

_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")


def make_engine(argument: str | None) -> "OnRay":
    """The engine that the text after `ray:` names; nothing is connected yet."""
    if argument is not None and argument != "auto":
        host, _, port = argument.rpartition(":") if re.search(r":\d*$", argument) else (argument, "", str(PORT))
        if not (_HOST.fullmatch(host) and re.fullmatch(r"\d{1,5}", port) and 0 < int(port) < 65536):
            raise UsageError(
                "engine `ray` takes the address of a cluster's head node, HOST:PORT as in ray:10.0.0.1:6379, or auto, "
                f"got {shorten(argument)}"
            )
        argument = f"{host}:{port}"
    if find_spec("ray") is None:
        raise MissingExtra("engine ray", "ray")
    return OnRay(argument)


@dataclass(frozen=True)
class OnRay:
    """A Ray cluster.

    address  None where it is one of this machine alone
    folder   one that every worker has to see; None where they need not
    """

    address: str | None = None
    folder: Path | None = None

    @contextlib.contextmanager
    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> Iterator[WorkerPool[S, R]]:
        """Workers for items whose order is not known ahead; leaving the block stops those that are still busy."""
        cluster.connect(self.address)
        remedy = "What was finished is kept: run the same command again, on nodes with more memory if that was short."
        # Nobody may speak to Ray any more when the tasks end and with them the connection: it would start another.
        leaving = contextlib.nullcontext() if self.folder is None else left_token(self.folder)
        with leaving as token, contextlib.closing(_RayTasks[S]()) as tasks, _notes() as notes:
            tasks.open(_Order(prepare, str(Path.cwd()), cluster.versions(), token, notes))
            yield WorkerPool(tasks, remedy)

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results in order, with at most `AHEAD` items per processor of the cluster taken ahead."""
        with self.opened(prepare) as pool:
            yield InOrder(pool, items)

    def connect(self) -> None:
        """Be a part of the cluster, for actors of one's own; nodes on which results could differ are refused."""
        cluster.connect(self.address)

    def nodes(self, folder: Path) -> list[cluster.Node]:
        """The nodes of the cluster, with what is wrong with each, and whether they see this folder."""
        cluster.connect(self.address, check=False)
        blind = cluster.nodes_not_seeing(folder)
        return [replace(node, sees=node.name not in blind) for node in cluster.nodes()]

    def seeing(self, folder: Path) -> "OnRay":
        """The same cluster for work on files of this folder, by name; nodes that do not see it are refused."""
        cluster.connect(self.address)
        if blind := cluster.nodes_not_seeing(folder):
            raise UsageError(_unseen(folder, ", ".join(blind)))
        return replace(self, folder=folder)


def _unseen(folder: Path, nodes: str) -> str:
    return (
        f"{folder}: not all nodes of the cluster see this folder ({nodes} not). Its work is on files: put them and the "
        "output where every node has them under the same name"
    )


class _RayTasks(Generic[S]):
    """The backend of a cluster: a task per item.

    What the workers need is put into the object store once; each node fetches it once.
    """

    def __init__(self) -> None:
        self.workers = 1
        self._items: dict[Any, int] = {}

    def open(self, order: "_Order") -> None:
        """Have everything ready for the first item."""
        import ray

        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._task = ray.remote(num_cpus=1, max_retries=0, max_calls=0)(_work)
        seals: dict[Path, bytes] = {}

        def hand_over(path: Path) -> _Fetch:
            seals[path] = seal_of(path)
            return _Fetch(path)

        with handing_over(hand_over):
            self._box = _Box(ray.put(order), seals, {})

    def give(self, number: int, item: S) -> None:
        """Hand it to the cluster."""
        self._items[self._task.remote(self._box, item)] = number

    def wait(self) -> Sequence[tuple[int, Finished[Any] | Lost]]:
        """What is done, and what was lost; Ray knows whose worker it was."""
        import ray

        every = list(self._items)
        ready, _ = ray.wait(every, num_returns=1)
        more, _ = ray.wait(every, num_returns=len(every), timeout=0)
        outcomes = [(self._items.pop(task), _outcome_of(task)) for task in dict.fromkeys((*ready, *more))]
        if any(isinstance(outcome, Lost) and outcome.waiting for _, outcome in outcomes) and not self._box.files:
            self._box = self._box._replace(files={path: _put_bytes(path) for path in self._box.seals})
        return outcomes

    def close(self) -> None:
        """End what is under way.

        Ray's own way to end a running task by force can end the program that calls, where the task is done at the same
        moment (2.60). A cluster ends the tasks of a program that leaves it, so we leave, and come back when we must.
        """
        import ray

        if self._items and cluster.is_ours():
            cluster.disconnect()
        for task in self._items if ray.is_initialized() else ():
            ray.cancel(task)
        self._items.clear()


def _outcome_of(task: Any) -> Finished[Any] | Lost:
    import ray
    from ray import exceptions as gone

    try:
        result = ray.get(task)
    except gone.OutOfMemoryError:
        return Lost("it went over the memory limit of its node")
    except gone.NodeDiedError:
        return Lost("its node was lost")
    except (gone.WorkerCrashedError, gone.ObjectLostError, gone.RaySystemError, gone.TaskCancelledError):
        return Lost()
    except gone.RayError as error:
        return Finished(error=UsageError(f"a node of the cluster cannot do its part ({cluster.last_line(error)})"))
    if result is None:
        # It is to be given again, with the files.
        return Lost(waiting=True)
    done, value = result
    return Finished(value) if done else Finished(error=value)


@dataclass(frozen=True)
class _Order:
    """What a worker needs for a map.

    folder    where the program was called: paths are from there
    versions  those of the program that called
    token     in a folder that the worker has to see; None where it need not
    notes     the actor that takes the workers' notes; None where nobody listens
    """

    prepare: Callable[[], Callable[[Any], Any]]
    folder: str
    versions: Mapping[str, str]
    token: FolderToken | None
    notes: Any


class _Box(NamedTuple):
    """What travels with each item; references inside are not fetched before a worker asks for them.

    order  the map's `_Order`, in the object store
    seals  the files that its workers read, and the seal of each
    files  where their bytes are in the object store; nothing as long as no worker asked for them
    """

    order: Any
    seals: dict[Path, bytes]
    files: dict[Path, Any]


_at_work: tuple[Any, OneThread[Any, Any], Any] | None = None
"""In a worker: the map that it works for, its function, and the actor that takes its notes."""


_files: dict[Path, Any] = {}
"""In a worker: where the bytes are of the files that it does not see."""


def _work(box: _Box, item: Any) -> tuple[bool, Any] | None:
    """In a worker: whether it went well, and the result or the error; None where it needs the files' bytes first."""
    import ray

    global _at_work, _files
    try:
        if _at_work is None or _at_work[0] != box.order:
            _at_work, _files = None, {}  # What an earlier map needed makes room first.
            order: _Order = ray.get(box.order)
            if differences := cluster.version_differences(order.versions, cluster.versions()):
                raise UsageError(f"node {cluster.node_name()}: {differences}")
            if order.token is not None and not order.token.is_visible():
                raise UsageError(_unseen(order.token.path.parent, f"{cluster.node_name()}, which joined later,"))
            unseen = [path for path, seal in box.seals.items() if seal_of(path) != seal]
            if unseen and not box.files:
                return None
            _files = {path: box.files[path] for path in unseen}
            with contextlib.suppress(OSError):
                os.chdir(order.folder)
            _at_work = box.order, OneThread(order.prepare), order.notes
        _, function, notes = _at_work
        with contextlib.nullcontext() if notes is None else notes_sent_to(_sender(notes)):
            return True, function(item)
    except (Exception, SystemExit) as error:
        return False, sendable(error)


def _sender(notes: Any) -> Callable[[object, str], None]:
    node = cluster.node_name()

    def send(worker: object, text: str) -> None:
        notes.add.remote(f"{node} {worker}", text)

    return send


class _NotesActor:
    """An actor: keeps the workers' notes until they are asked for."""

    def __init__(self) -> None:
        self._notes: list[tuple[str, str]] = []

    def add(self, worker: str, text: str) -> None:
        self._notes.append((worker, text))

    def taken(self) -> list[tuple[str, str]]:
        notes, self._notes = self._notes, []
        return notes


@contextlib.contextmanager
def _notes() -> Iterator[Any]:
    """An actor that takes the workers' notes; None where nobody listens."""
    with remote_listener() as listener:
        if listener is None:
            yield None
            return
        import ray

        notes = ray.remote(num_cpus=0)(_NotesActor).remote()
        over = threading.Event()

        def poll() -> None:
            # Notes are no results: where they get lost, the work goes on.
            with contextlib.suppress(Exception):
                while not over.wait(POLL_SECONDS):
                    for worker, text in ray.get(notes.taken.remote(), timeout=cluster.PATIENCE):
                        listener(worker, text)

        thread = threading.Thread(target=poll, daemon=True)
        thread.start()
        try:
            yield notes
        finally:
            over.set()
            thread.join(1.0)
            with contextlib.suppress(Exception):
                ray.kill(notes)


@dataclass(frozen=True)
class _Fetch:
    """A file's bytes, from the object store of the node; None where this worker sees the file."""

    path: Path

    def __call__(self) -> Any:
        import ray

        return ray.get(_files[self.path]) if self.path in _files else None


def _put_bytes(path: Path) -> Any:
    """The bytes of a file that lies here, in the object store."""
    import numpy as np
    import ray

    return ray.put(np.asarray(np.memmap(path, np.uint8, "r")))
