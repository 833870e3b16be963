"""What runs on a real Ray cluster of three nodes, in a network of its own: engines, and pools in parts.

Ray takes the machine's outer address wherever there is one. In a network namespace with nothing but a loopback device
all of it stays on 127.0.0.1; so one test starts a namespace and in it a pytest of its own, with one cluster for all.
"""

import os
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from voirdire.engine import ENGINES
from voirdire.errors import MissingExtra, UsageError

pytestmark = pytest.mark.slow

APART = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
HERE = Path(__file__).parent
INSIDE = (HERE / "ray_cluster.py", HERE.parent / "robustness" / "ray_columns.py")


def _lacking() -> str:
    """Why there can be no cluster here; empty where there can."""
    if find_spec("ray") is None:
        return 'needs Ray: pip install "voirdire[ray]"'
    if not (shutil.which("unshare") and shutil.which("ip")):
        return "needs the programs unshare and ip"
    if subprocess.run([*APART, "true"], capture_output=True).returncode:
        return "may not start a network namespace here (unshare --net)"
    return ""


def test_on_a_cluster(tmp_path: Path) -> None:
    if said := _lacking():
        if os.environ.get("VOIRDIRE_REQUIRE_RAY"):
            pytest.fail(said)
        pytest.skip(said)
    paths = [*(str(one.parent) for one in INSIDE), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Variables of the outer pytest and of its workers mean nothing to the inner one.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "-p",
        "ray_nodes",
    ]
    done = subprocess.run(
        [*APART, *command, f"--basetemp={tmp_path / 'inner'}", "--durations=5", *map(str, INSIDE)],
        env={**kept, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, f"{done.stdout[-12000:]}\n{done.stderr[-4000:]}"
    assert "skipped" not in done.stdout, done.stdout


@pytest.mark.skipif(find_spec("ray") is None, reason='needs Ray: pip install "voirdire[ray]"')
@pytest.mark.parametrize(
    "name", ["ray:", "ray:host:port", "ray:host:0", "ray:host:70000", "ray:ray://host:10001", "ray:a b"]
)
def test_addresses_that_are_none(name: str) -> None:
    with pytest.raises(UsageError, match="engine `ray` takes the address of a cluster's head node"):
        ENGINES.make(name)


@pytest.mark.skipif(find_spec("ray") is None, reason='needs Ray: pip install "voirdire[ray]"')
def test_a_name_connects_to_nothing_and_loads_nothing() -> None:
    code = "import sys; from voirdire.engine import ENGINES; ENGINES.make('ray:host'); sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_ray_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.engine.on_ray.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r'pip install "ray>='):
        ENGINES.make("ray:10.0.0.1:6379")


@pytest.mark.skipif(find_spec("ray") is None, reason='needs Ray: pip install "voirdire[ray]"')
def test_nobody_at_the_address(tmp_path: Path) -> None:
    code = "from voirdire.engine import *; e = ENGINES.make('ray:127.0.0.1:9')\nwith e.map(len, []): pass"
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert time.monotonic() - started < 30
    assert "UsageError: no Ray cluster at 127.0.0.1:9: [Errno 111] Connection refused. Start one" in done.stderr
