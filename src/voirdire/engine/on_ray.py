"""The engine `ray[:ADDRESS]`: a map's items as plain tasks of a Ray cluster.

    ray                a cluster of this machine alone, on its loopback address; it ends with the program
    ray:auto           the cluster that this machine is a node of
    ray:HOST[:PORT]    the cluster whose head node is there (port 6379 if none is given), with this machine as a node

Ray starts, places and watches the tasks. What is added: each worker prepares once per map; a lost task is tried again
by the rules of all engines (`crew`), not by Ray's, which tries without end where memory is short; an address where
nobody answers is found out at once; nodes with other versions, whose results could differ, are refused. Errors travel
as values: as exceptions Ray would log them, with whatever they say of a user's data.
"""

import contextlib
import os
import platform
import re
import secrets
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, TypeVar

from voirdire._version import __version__
from voirdire.engine.arrays import handing_over
from voirdire.engine.crew import Crew, Finished, InOrder, Lost
from voirdire.engine.engines import sendable
from voirdire.engine.notes import heard_from_afar, telling
from voirdire.engine.threads import OneThread
from voirdire.errors import MissingExtra, UsageError, VoirDireError, shorten, shorten_text

__all__ = ["Node", "OnRay", "make_engine"]

S = TypeVar("S")
R = TypeVar("R")

PORT = 6379
PATIENCE = 10
"""Seconds that the head node of a cluster may take to answer, in each of two steps."""
NODES_PATIENCE = 120
"""Seconds that a node may take to start a worker and to tell of itself."""
SAME = ("numpy", "scipy", "numba", "torch", "ray")
"""Packages whose release may change results, or what can be sent."""
HEARD = 0.2
"""Seconds between two looks at what workers say."""

# What a local cluster is given of the environment; keys may stand in any other variable.
_PLAIN = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|VIRTUAL_ENV|LD_LIBRARY_PATH|DYLD_\w+|"
    r"SYSTEMROOT|PYTHON\w+|XDG_\w+|CUDA_\w+|NUMBA_\w+|\w+_NUM_THREADS|VOIRDIRE_\w+|RAY_\w+|HF_HOME|HF_HUB_OFFLINE"
)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL", re.IGNORECASE)
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
class Node:
    """A node of a cluster.

    versions   of Voir Dire and of what results depend on; empty where the node did not answer
    processor  in words; another kind may give other last bits
    memory     in bytes, as Ray counts it
    sees       whether it sees the folder that was asked about
    fault      what is wrong with it; empty where nothing is
    """

    name: str
    cpus: float
    memory: float
    versions: Mapping[str, str] = field(default_factory=dict)
    processor: str = ""
    sees: bool = False
    fault: str = ""


@dataclass(frozen=True)
class OnRay:
    """A Ray cluster; `address` is None where it is one of this machine alone."""

    address: str | None = None

    @contextlib.contextmanager
    def opened(self, prepare: Callable[[], Callable[[S], R]]) -> Iterator[Crew[S, R]]:
        """Workers for items whose order is not known ahead; leaving the block stops those that are still busy."""
        _connect(self.address)
        remedy = "What was finished is kept: run the same command again, on nodes with more memory if that was short."
        # Nobody may speak to Ray any more when the tasks end and with them the connection: it would start another.
        with contextlib.closing(_Tasks[S]()) as tasks, _notes() as said:
            tasks.open(prepare, said)
            yield Crew(tasks, remedy)

    @contextlib.contextmanager
    def map(self, prepare: Callable[[], Callable[[S], R]], items: Iterable[S]) -> Iterator[Iterator[R]]:
        """The results in order, with at most `AHEAD` items per processor of the cluster taken ahead."""
        with self.opened(prepare) as crew:
            yield InOrder(crew, items)

    def connect(self) -> None:
        """Be a part of the cluster, for actors of one's own; nodes on which results could differ are refused."""
        _connect(self.address)

    def nodes(self, folder: Path) -> list[Node]:
        """The nodes of the cluster, with what is wrong with each, and whether they see this folder."""
        _connect(self.address, check=False)
        blind = _blind(folder.absolute())
        return [replace(node, sees=node.name not in blind) for node in _nodes()]

    def blind(self, folder: Path) -> list[str]:
        """The names of the nodes that do not see this folder."""
        _connect(self.address)
        return _blind(folder.absolute())


class _Tasks(Generic[S]):
    """The hands of a cluster: a task per item, and word from all of them.

    What the workers need is put into the object store once; each node fetches it once.
    """

    def __init__(self) -> None:
        self.workers = 1
        self._items: dict[Any, int] = {}

    def open(self, prepare: Callable[[], Callable[[S], Any]], said: Any) -> None:
        """Have everything ready for the first item."""
        import ray

        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._task = ray.remote(num_cpus=1, max_retries=0, max_calls=0)(_work)
        with handing_over(_hand_over):
            # In a list it is not fetched before each task, but when a worker asks for it.
            self._box = [ray.put(_Order(prepare, str(Path.cwd()), _versions(), said))]

    def give(self, number: int, item: S) -> None:
        """Hand it to the cluster."""
        self._items[self._task.remote(self._box, item)] = number

    def wait(self) -> Sequence[tuple[int, Finished[Any] | Lost]]:
        """What is done, and what was lost; Ray knows whose worker it was."""
        import ray

        every = list(self._items)
        ready, _ = ray.wait(every, num_returns=1)
        more, _ = ray.wait(every, num_returns=len(every), timeout=0)
        return [(self._items.pop(one), _outcome(one)) for one in dict.fromkeys((*ready, *more))]

    def close(self) -> None:
        """End what is under way.

        Ray's own way to end a running task by force can end the program that calls, where the task is done at the same
        moment (2.60). A cluster ends the tasks of a program that leaves it, so we leave, and come back when we must.
        """
        import ray

        if self._items and _ours:
            _disconnect()
        for one in self._items if ray.is_initialized() else ():
            ray.cancel(one)
        self._items.clear()


def _outcome(task: Any) -> Finished[Any] | Lost:
    import ray
    from ray import exceptions as gone

    try:
        done, value = ray.get(task)
    except gone.OutOfMemoryError:
        return Lost("it went over the memory limit of its node")
    except gone.NodeDiedError:
        return Lost("its node was lost")
    except (gone.WorkerCrashedError, gone.ObjectLostError, gone.RaySystemError, gone.TaskCancelledError):
        return Lost()
    except gone.RayError as error:
        return Finished(error=UsageError(f"a node of the cluster cannot do its part ({_last_line(error)})"))
    return Finished(value) if done else Finished(error=value)


@dataclass(frozen=True)
class _Order:
    """What a worker needs for a map.

    folder    where the program was called: paths are from there
    versions  those of the program that called
    said      the actor that hears what workers say; None where nobody listens
    """

    prepare: Callable[[], Callable[[Any], Any]]
    folder: str
    versions: Mapping[str, str]
    said: Any


_at_work: tuple[Any, OneThread[Any, Any], Any] | None = None
"""In a worker: the map that it works for, with its function and where it says something."""


def _work(box: list[Any], item: Any) -> tuple[bool, Any]:
    """In a worker: whether it went well, and the result or the error."""
    import ray

    global _at_work
    try:
        if _at_work is None or _at_work[0] != box[0]:
            _at_work = None  # What an earlier map needed makes room first.
            order: _Order = ray.get(box[0])
            if unlike := _unlike(order.versions, _versions()):
                raise UsageError(f"node {_node_name()}: {unlike}")
            with contextlib.suppress(OSError):
                os.chdir(order.folder)
            _at_work = box[0], OneThread(order.prepare), order.said
        _, function, said = _at_work
        with contextlib.nullcontext() if said is None else telling(_speaker(said)):
            return True, function(item)
    except (Exception, SystemExit) as error:
        sent = sendable(error)
        if not isinstance(error, VoirDireError):
            sent.add_note("".join(traceback.format_exception(error)))
        return False, sent


def _speaker(said: Any) -> Callable[[object, str], None]:
    node = _node_name()

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
                    for worker, text in ray.get(said.told.remote(), timeout=PATIENCE):
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


_connected: list[str | None] = []
"""The cluster that this program is connected to, if any."""
_ours: list[bool] = []
"""Not empty where the connection was made here, and not by whoever called."""


def _connect(address: str | None, check: bool = True) -> None:
    """Connect to the cluster, once; refuse nodes on which results could differ."""
    # No word of its use to anybody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "error")
    _load()
    import ray

    if ray.is_initialized() and not _connected:
        # Whoever called has connected: that is as good, if it is the same cluster.
        there = ray.get_runtime_context().gcs_address
        if address not in (None, "auto", there):
            raise UsageError(f"this program is connected to the Ray cluster at {there} already, so not to {address}")
        _connected.append(address)
        if check:
            _refuse_others()
        return
    if ray.is_initialized() and _connected == [address]:
        return
    if _connected:
        _disconnect()
    if address not in (None, "auto"):
        _probe(str(address))
    # On a user's own machine its workers are as urgent as local processes would be; Ray's are not by default.
    config = {"worker_niceness": 0}
    local: dict[str, Any] = {"_node_ip_address": "127.0.0.1", "include_dashboard": False, "_system_config": config}
    # Ray puts the working folder on its workers' import path; there a user's file could be taken for a package.
    starts = _plain_environment() if address is None else contextlib.nullcontext()
    with contextlib.chdir(Path(ray.__file__).parents[1]), starts:
        try:
            ray.init(
                address or "local",
                log_to_driver=False,
                logging_level="CRITICAL",
                **(local if address is None else {}),
            )
        except Exception as error:
            raise UsageError(_unreachable(address, error)) from None
    # Ray would print of each lost worker on standard output, which belongs to results; `crew` tells of them.
    ray._private.worker.print_to_stdstream = _print_nothing
    _connected.append(address)
    _ours.append(True)
    if check:
        try:
            _refuse_others()
        except BaseException:
            _disconnect()
            raise


def _load() -> None:
    """Load Ray so that it gives up in time where no node of the cluster is on this machine: it reads that once."""
    name = "RAY_gcs_server_request_timeout_seconds"
    given = name in os.environ or "ray" in sys.modules
    if not given:
        os.environ[name] = str(PATIENCE)
    try:
        import ray  # noqa: F401
    finally:
        if not given:
            del os.environ[name]


def _print_nothing(*_: object, **__: object) -> None:
    """In the place of what prints Ray's messages."""


def _disconnect() -> None:
    import ray

    _connected.clear()
    _ours.clear()
    _blind.cache_clear()
    ray.shutdown()


_NO_TOKEN = 3
_ASK = """
import sys
from ray import exceptions
from ray._raylet import GcsClient
try:
    GcsClient(address=sys.argv[1])
except getattr(exceptions, "AuthenticationError", ()):
    sys.exit(3)
"""


def _probe(address: str) -> None:
    """Find out in time that nobody, or not Ray, answers: Ray itself waits for minutes."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE):
            pass
    except OSError as error:
        raise UsageError(_unreachable(address, error)) from None
    command = [sys.executable, "-P", "-c", _ASK, address]
    try:
        done = subprocess.run(command, timeout=PATIENCE, capture_output=True)
        if done.returncode == _NO_TOKEN:
            # Ray reads the token itself, where it is told that there is one; that is not ours to decide.
            raise UsageError(
                f"the Ray cluster at {address} asks for its token; set RAY_AUTH_MODE=token where it is known"
            )
        done.check_returncode()
    except (subprocess.SubprocessError, OSError):
        said = f"what listens there did not answer as a Ray cluster does within {PATIENCE} s"
        raise UsageError(_unreachable(address, said)) from None


def _unreachable(address: str | None, why: object) -> str:
    where = "no Ray cluster could be started here" if address is None else f"no Ray cluster at {address}"
    text = shorten_text(str(why) or type(why).__name__, 300)
    hint = "" if address is None else " Start one with `ray start`, and run this on one of its nodes."
    return f"{where}: {text.rstrip('.')}.{hint}"


@contextlib.contextmanager
def _plain_environment() -> Iterator[None]:
    """Hide what is not plain from processes that Ray starts: they live on, and keys are none of their business."""
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if not _is_plain(name)}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _is_plain(name: str) -> bool:
    return bool(_PLAIN.fullmatch(name)) and not _SECRET.search(name)


def _versions() -> dict[str, str]:
    """What results depend on, in this process."""
    found = {"voirdire": __version__, "python": platform.python_version()}
    for name in SAME:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def _unlike(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """What a node has otherwise, in words; empty where there is nothing."""
    other = [f"{name} {theirs.get(name, 'none')}, here {ours[name]}" for name in ours if theirs.get(name) != ours[name]]
    return f"{'; '.join(other)}; install the same there, so that results are the same" if other else ""


def _node_name() -> str:
    import ray

    return str(ray.util.get_node_ip_address())


def _on_each(function: Callable[..., Any], *arguments: Any) -> list[tuple[str, dict[str, float], Any]]:
    """What a function says on each living node: the node's name, what it has, and the answer or what went wrong."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On

    nodes = sorted((one for one in ray.nodes() if one["Alive"]), key=lambda one: (one["NodeName"], one["NodeID"]))
    names = [one["NodeName"] for one in nodes]
    # Several nodes may be on one machine.
    called = [
        name if names.count(name) == 1 else f"{name} ({one['NodeID'][:8]})"
        for name, one in zip(names, nodes, strict=True)
    ]
    task = ray.remote(num_cpus=0, max_retries=0)(function)
    asked = [task.options(scheduling_strategy=On(one["NodeID"], soft=False)).remote(*arguments) for one in nodes]
    ray.wait(asked, num_returns=len(asked), timeout=NODES_PATIENCE)
    found: list[tuple[str, dict[str, float], Any]] = []
    for name, node, one in zip(called, nodes, asked, strict=True):
        try:
            said = ray.get(one, timeout=1)
        except ray.exceptions.RayError as error:
            said = error
        found.append((name, node["Resources"], said))
    return found


def _nodes() -> list[Node]:
    ours, made = _versions(), []
    for name, has, said in _on_each(_tell_of_node):
        about = name, has.get("CPU", 0.0), has.get("memory", 0.0)
        if isinstance(said, Exception):
            silent = isinstance(said, TimeoutError)
            why = "did not answer" if silent else f"Voir Dire does not load there ({_last_line(said)})"
            made.append(Node(*about, fault=why))
        else:
            versions, processor = said
            made.append(Node(*about, versions, processor, fault=_unlike(ours, versions)))
    return made


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return shorten_text(lines[-1] if lines else type(error).__name__)


def _tell_of_node() -> tuple[dict[str, str], str]:
    """On a node: its versions and its processor."""
    return _versions(), _processor()


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _refuse_others() -> None:
    """Refuse a cluster with a node on which results could differ."""
    if faults := [f"node {one.name}: {one.fault}" for one in _nodes() if one.fault]:
        raise UsageError("\n".join(faults))


@cache
def _blind(folder: Path) -> list[str]:
    """The nodes that do not see what is written to a folder here, found out once per folder."""
    nonce, probe = secrets.token_hex(16), folder / f".seen-{secrets.token_hex(4)}"
    folder.mkdir(parents=True, exist_ok=True)
    probe.write_text(nonce)
    try:
        said = _on_each(_sees, str(probe), nonce)
    finally:
        probe.unlink(missing_ok=True)
    return [name for name, _, sees in said if sees is not True]


def _sees(probe: str, nonce: str) -> bool:
    """On a node: whether a file with this word is there."""
    try:
        return Path(probe).read_text() == nonce
    except OSError:
        return False


@dataclass(frozen=True)
class _Fetch:
    """A file's bytes, from the object store of the node."""

    held: Any

    def __call__(self) -> Any:
        import ray

        return ray.get(self.held)


def _hand_over(path: Path) -> _Fetch | None:
    """How workers get at a file that lies here: they map it where all nodes see it, else it is put into the store."""
    import numpy as np
    import ray

    if not _blind(path.absolute().parent):
        return None
    return _Fetch(ray.put(np.asarray(np.memmap(path, np.uint8, "r"))))
