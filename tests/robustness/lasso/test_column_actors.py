"""Parts of a dictionary as actors of a real Ray cluster."""

import json
import subprocess
import sys

import column_actors
import pytest

# A network of its own, so that Ray stays on the loopback, and processes of its own, so that none is left.
ALONE = ("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
COMMAND = 'ip link set lo up && exec "$@"'


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What fails on a cluster that is started for this module, by the name of the check."""
    pytest.importorskip("ray", reason="needs the extra `ray`")
    alone = [*ALONE, "sh", "-c", COMMAND, "sh"]
    try:
        subprocess.run([*alone, "true"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"needs a network namespace of its own (unshare), which is not permitted here: {error}")
    folder = tmp_path_factory.mktemp("actors")
    script = [sys.executable, column_actors.__file__, str(folder)]
    done = subprocess.run([*alone, *script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", column_actors.CHECKS)
def test_parts_on_a_cluster(failed: dict[str, str], name: str) -> None:
    assert name not in failed, failed[name]
