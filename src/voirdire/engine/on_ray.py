"""The engine `ray[:ADDRESS]`: a map's items as plain tasks of a Ray cluster.

    ray                a cluster of this machine alone, on its loopback address; it ends with the program
    ray:auto           the cluster that this machine is a node of
    ray:HOST[:PORT]    the cluster whose head node is there (port 6379 if none is given), with this machine as a node

Ray starts, places and watches the tasks. What is added: each worker prepares once per map; a lost task is tried again
by the rules of all engines (`crew`), not by Ray's, which tries without end where memory is short. Errors travel as
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
from voirdire.engine.arrays import handing_over
from voirdire.engine.engines import sendable
from voirdire.engine.notes import heard_from_afar, telling
from voirdire.engine.shared_folder import LeftWord, left_word
from voirdire.engine.threads import OneThread
from voirdire.engine.workers import Crew, Finished, InOrder, Lost
from voirdire.errors import MissingExtra, UsageError, shorten

S = TypeVar("S")
R = TypeVar("R")

PORT = 6379
HEARD = 0.2
"""Seconds between two looks at what workers say."""

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
    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> Iterator[Crew[S, R]]:
        """Workers for items whose order is not known ahead; leaving the block stops those that are still busy."""
        cluster.connect(self.address)
        remedy = "What was finished is kept: run the same command again, on nodes with more memory if that was short."
        # Nobody may speak to Ray any more when the tasks end and with them the connection: it would start another.
        word = contextlib.nullcontext() if self.folder is None else left_word(self.folder)
        with word as left, contextlib.closing(_Tasks[S]()) as tasks, _notes() as said:
            tasks.open(_Order(prepare, str(Path.cwd()), cluster.versions(), left, said))
            yield Crew(tasks, remedy)

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results in order, with at most `AHEAD` items per processor of the cluster taken ahead."""
        with self.opened(prepare) as crew:
            yield InOrder(crew, items)

    def connect(self) -> None:
        """Be a part of the cluster, for actors of one's own; nodes on which results could differ are refused."""
        cluster.connect(self.address)

    def nodes(self, folder: Path) -> list[cluster.Node]:
        """The nodes of the cluster, with what is wrong with each, and whether they see this folder."""
        cluster.connect(self.address, check=False)
        blind = cluster.blind(folder)
        return [replace(node, sees=node.name not in blind) for node in cluster.nodes()]

    def seeing(self, folder: Path) -> "OnRay":
        """The same cluster for work on files of this folder, by name; nodes that do not see it are refused."""
        cluster.connect(self.address)
        if unseen := cluster.blind(folder):
            raise UsageError(_unseen(folder, ", ".join(unseen)))
        return replace(self, folder=folder)


def _unseen(folder: Path, nodes: str) -> str:
    return (
        f"{folder}: not all nodes of the cluster see this folder ({nodes} not). Its work is on files: put them and the "
        "output where every node has them under the same name"
    )


class _Tasks(Generic[S]):
    """The hands of a cluster: a task per item, and word from all of them.

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
        found = [(self._items.pop(one), _outcome(one)) for one in dict.fromkeys((*ready, *more))]
        if any(isinstance(one, Lost) and one.waiting for _, one in found) and not self._box.held:
            self._box = self._box._replace(held={path: _put(path) for path in self._box.seals})
        return found

    def close(self) -> None:
        """End what is under way.

        Ray's own way to end a running task by force can end the program that calls, where the task is done at the same
        moment (2.60). A cluster ends the tasks of a program that leaves it, so we leave, and come back when we must.
        """
        import ray

        if self._items and cluster.is_ours():
            cluster.disconnect()
        for one in self._items if ray.is_initialized() else ():
            ray.cancel(one)
        self._items.clear()


def _outcome(task: Any) -> Finished[Any] | Lost:
    import ray
    from ray import exceptions as gone

    try:
        said = ray.get(task)
    except gone.OutOfMemoryError:
        return Lost("it went over the memory limit of its node")
    except gone.NodeDiedError:
        return Lost("its node was lost")
    except (gone.WorkerCrashedError, gone.ObjectLostError, gone.RaySystemError, gone.TaskCancelledError):
        return Lost()
    except gone.RayError as error:
        return Finished(error=UsageError(f"a node of the cluster cannot do its part ({cluster.last_line(error)})"))
    if said is None:
        # It is to be given again, with the files.
        return Lost(waiting=True)
    done, value = said
    return Finished(value) if done else Finished(error=value)


@dataclass(frozen=True)
class _Order:
    """What a worker needs for a map.

    folder    where the program was called: paths are from there
    versions  those of the program that called
    word      in a folder that the worker has to see; None where it need not
    said      the actor that hears what workers say; None where nobody listens
    """

    prepare: Callable[[], Callable[[Any], Any]]
    folder: str
    versions: Mapping[str, str]
    word: LeftWord | None
    said: Any


class _Box(NamedTuple):
    """What travels with each item; references inside are not fetched before a worker asks for them.

    order  the map's `_Order`, in the object store
    seals  the files that its workers read, and the seal of each
    held   where their bytes are in the object store; nothing as long as no worker asked for them
    """

    order: Any
    seals: dict[Path, bytes]
    held: dict[Path, Any]


_at_work: tuple[Any, OneThread[Any, Any], Any] | None = None
"""In a worker: the map that it works for, with its function and where it says something."""


_held: dict[Path, Any] = {}
"""In a worker: where the bytes are of the files that it does not see."""


def _work(box: _Box, item: Any) -> tuple[bool, Any] | None:
    """In a worker: whether it went well, and the result or the error; None where it needs the files' bytes first."""
    import ray

    global _at_work, _held
    try:
        if _at_work is None or _at_work[0] != box.order:
            _at_work, _held = None, {}  # What an earlier map needed makes room first.
            order: _Order = ray.get(box.order)
            if unlike := cluster.unlike(order.versions, cluster.versions()):
                raise UsageError(f"node {cluster.node_name()}: {unlike}")
            if order.word is not None and not order.word.is_seen():
                raise UsageError(_unseen(order.word.path.parent, f"{cluster.node_name()}, which joined later,"))
            unseen = [path for path, seal in box.seals.items() if seal_of(path) != seal]
            if unseen and not box.held:
                return None
            _held = {path: box.held[path] for path in unseen}
            with contextlib.suppress(OSError):
                os.chdir(order.folder)
            _at_work = box.order, OneThread(order.prepare), order.said
        _, function, said = _at_work
        with contextlib.nullcontext() if said is None else telling(_speaker(said)):
            return True, function(item)
    except (Exception, SystemExit) as error:
        return False, sendable(error)


def _speaker(said: Any) -> Callable[[object, str], None]:
    node = cluster.node_name()

    def tell(worker: object, text: str) -> None:
        said.hear.remote(f"{node} {worker}", text)

    return tell


class _Said:
    """An actor: keeps what workers say until it is asked for."""

    def __init__(self) -> None:
        self._heard: list[tuple[str, str]] = []

    def hear(self, worker: str, text: str) -> None:
        self._heard.append((worker, text))

    def told(self) -> list[tuple[str, str]]:
        heard, self._heard = self._heard, []
        return heard


@contextlib.contextmanager
def _notes() -> Iterator[Any]:
    """An actor for workers to say something to; None where nobody listens."""
    with heard_from_afar() as hear:
        if hear is None:
            yield None
            return
        import ray

        said = ray.remote(num_cpus=0)(_Said).remote()
        over = threading.Event()

        def listen() -> None:
            # What workers say is no result: where it gets lost, the work goes on.
            with contextlib.suppress(Exception):
                while not over.wait(HEARD):
                    for worker, text in ray.get(said.told.remote(), timeout=cluster.PATIENCE):
                        hear(worker, text)

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            yield said
        finally:
            over.set()
            listener.join(1.0)
            with contextlib.suppress(Exception):
                ray.kill(said)


@dataclass(frozen=True)
class _Fetch:
    """A file's bytes, from the object store of the node; None where this worker sees the file."""

    path: Path

    def __call__(self) -> Any:
        import ray

        return ray.get(_held[self.path]) if self.path in _held else None


def _put(path: Path) -> Any:
    """The bytes of a file that lies here, in the object store."""
    import numpy as np
    import ray

    return ray.put(np.asarray(np.memmap(path, np.uint8, "r")))
