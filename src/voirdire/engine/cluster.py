"""A Ray cluster: connect to it, look at its nodes, and find out which of them see a folder.

An address where nobody answers is reported at once; Ray itself waits for minutes. Nodes with other versions, whose
results could differ, are refused. Processes that Ray starts are given none of the environment but what is plain.
"""

import contextlib
import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from voirdire._version import __version__
from voirdire.engine.shared_folder import FolderToken, left_token
from voirdire.errors import UsageError, shorten_text

PATIENCE = 10
"""Seconds that the head node of a cluster may take to answer, in each of two steps."""
NODES_PATIENCE = 120
"""Seconds that a node may take to start a worker and to describe itself."""
SAME = ("numpy", "scipy", "numba", "torch", "ray")
"""Packages whose release may change results, or what can be sent."""

# What a local cluster is given of the environment; keys may stand in any other variable.
_PLAIN = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|VIRTUAL_ENV|LD_LIBRARY_PATH|DYLD_\w+|"
    r"SYSTEMROOT|PYTHON\w+|XDG_\w+|CUDA_\w+|NUMBA_\w+|\w+_NUM_THREADS|VOIRDIRE_\w+|RAY_\w+|HF_HOME|HF_HUB_OFFLINE"
)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL", re.IGNORECASE)


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


_connected: list[str | None] = []
"""The cluster that this program is connected to, if any."""
_ours: list[bool] = []
"""Not empty where the connection was made here, and not by whoever called."""


def connect(address: str | None, check: bool = True) -> None:
    """Connect to the cluster, once; refuse nodes on which results could differ."""
    # No word of its use to anybody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "error")
    _load()
    import ray

    if ray.is_initialized() and not _connected:
        # Whoever called has connected: that is as good, if it is the same cluster.
        current = ray.get_runtime_context().gcs_address
        if address not in (None, "auto", current):
            raise UsageError(f"this program is connected to the Ray cluster at {current} already, so not to {address}")
        _connected.append(address)
        if check:
            _refuse_unlike_nodes()
        return
    if ray.is_initialized() and _connected == [address]:
        return
    if _connected:
        disconnect()
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
    # Ray would print of each lost worker on standard output, which belongs to results; `workers` reports them.
    ray._private.worker.print_to_stdstream = lambda *_, **__: None
    _connected.append(address)
    _ours.append(True)
    if check:
        try:
            _refuse_unlike_nodes()
        except BaseException:
            disconnect()
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


def is_ours() -> bool:
    """Whether the connection is one that this module made."""
    return bool(_ours)


def disconnect() -> None:
    """Leave the cluster, which ends what is under way there."""
    import ray

    _connected.clear()
    _ours.clear()
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
        why = f"what listens there did not answer as a Ray cluster does within {PATIENCE} s"
        raise UsageError(_unreachable(address, why)) from None


def _unreachable(address: str | None, why: object) -> str:
    where = "no Ray cluster could be started here" if address is None else f"no Ray cluster at {address}"
    text = shorten_text(str(why) or type(why).__name__, 300)
    hint = "" if address is None else " Start one with `ray start`, and run this on one of its nodes."
    return f"{where}: {text.rstrip('.')}.{hint}"


@contextlib.contextmanager
def _plain_environment() -> Iterator[None]:
    """Hide what is not plain from processes that Ray starts: they live on, and keys are none of their business."""
    hidden = {
        name: os.environ.pop(name) for name in list(os.environ) if not _PLAIN.fullmatch(name) or _SECRET.search(name)
    }
    try:
        yield
    finally:
        os.environ.update(hidden)


def versions() -> dict[str, str]:
    """What results depend on, in this process."""
    releases = {"voirdire": __version__, "python": platform.python_version()}
    for name in SAME:
        try:
            releases[name] = version(name)
        except PackageNotFoundError:
            releases[name] = "none"
    return releases


def version_differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """In which versions a node differs, in words; empty where it does not."""
    other = [f"{name} {theirs.get(name, 'none')}, here {ours[name]}" for name in ours if theirs.get(name) != ours[name]]
    return f"{'; '.join(other)}; install the same there, so that results are the same" if other else ""


def node_name() -> str:
    """The address of the node that this process is on."""
    import ray

    return str(ray.util.get_node_ip_address())


def _on_each(function: Callable[..., Any], *arguments: Any) -> list[tuple[str, dict[str, float], Any]]:
    """Call a function on each living node: the node's name, its resources, and the answer or what went wrong."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On

    alive = sorted((node for node in ray.nodes() if node["Alive"]), key=lambda node: (node["NodeName"], node["NodeID"]))
    names = [node["NodeName"] for node in alive]
    # Several nodes may be on one machine.
    called = [
        name if names.count(name) == 1 else f"{name} ({node['NodeID'][:8]})"
        for name, node in zip(names, alive, strict=True)
    ]
    task = ray.remote(num_cpus=0, max_retries=0)(function)
    calls = [task.options(scheduling_strategy=On(node["NodeID"], soft=False)).remote(*arguments) for node in alive]
    ray.wait(calls, num_returns=len(calls), timeout=NODES_PATIENCE)
    answers: list[tuple[str, dict[str, float], Any]] = []
    for name, node, call in zip(called, alive, calls, strict=True):
        try:
            answer = ray.get(call, timeout=1)
        except ray.exceptions.RayError as error:
            answer = error
        answers.append((name, node["Resources"], answer))
    return answers


def nodes() -> list[Node]:
    """All that are alive, with what is wrong with each."""
    ours, described = versions(), []
    for name, resources, answer in _on_each(_describe_node):
        about = name, resources.get("CPU", 0.0), resources.get("memory", 0.0)
        if isinstance(answer, Exception):
            silent = isinstance(answer, TimeoutError)
            why = "did not answer" if silent else f"Voir Dire does not load there ({last_line(answer)})"
            described.append(Node(*about, fault=why))
        else:
            theirs, processor = answer
            described.append(Node(*about, theirs, processor, fault=version_differences(ours, theirs)))
    return described


def last_line(error: Exception) -> str:
    """The last line of what an error says: of Ray's, the error itself and not its way."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return shorten_text(lines[-1] if lines else type(error).__name__)


def _describe_node() -> tuple[dict[str, str], str]:
    """On a node: its versions and its processor."""
    return versions(), _processor()


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _refuse_unlike_nodes() -> None:
    """Refuse a cluster with a node on which results could differ."""
    if faults := [f"node {node.name}: {node.fault}" for node in nodes() if node.fault]:
        raise UsageError("\n".join(faults))


def nodes_not_seeing(folder: Path) -> list[str]:
    """The nodes that do not see what is written to a folder here."""
    with left_token(folder) as token:
        return [name for name, _, sees in _on_each(FolderToken.is_visible, token) if sees is not True]
