"""Runs that are killed: by kill -9 at random moments, and by Ctrl-C."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import engine_tasks
import pytest

from voirdire.engine import Here, Store, run_map, shards

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"),
]

SHARDS = 40


def start(task: str, folder: Path) -> subprocess.Popen[str]:
    """A run in a session of its own, so that its processes can be found."""
    command = [sys.executable, engine_tasks.__file__, task, "processes:2"]
    command += [str(folder / name) for name in ("store", "out", "side")]
    return subprocess.Popen(
        [*command, str(SHARDS)], start_new_session=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def alive(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, _, its_group = rest.split()[:3]
        if int(its_group) == group and state not in "ZX":
            found.append(int(name.split()[0]))
    return found


def none_left(group: int) -> bool:
    for _ in range(600):
        if not alive(group):
            return True
        time.sleep(0.05)
    return False


def committed(folder: Path) -> set[int]:
    task = engine_tasks.digests()
    store = Store.of(folder / "store", task)
    return {span.start for span in shards(10 * SHARDS, 10) if store.read(task.key(span)) is not None}


def computed(folder: Path) -> list[int]:
    side = folder / "side"
    return [int(line) for line in side.read_text().split()] if side.exists() else []


def test_killed_again_and_again_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    random_ = random.Random(20)
    kills = 0
    while not (tmp_path / "out").exists():
        kept, before = committed(tmp_path), len(computed(tmp_path))
        with start("digest", tmp_path) as process:
            assert process.stdout is not None
            for _ in range(random_.randrange(9)):
                if not process.stdout.readline():
                    break
            time.sleep(random_.uniform(0, 0.03))
            # The parent alone, whose workers must notice, or everybody in the middle of what they do.
            if random_.random() < 0.5:
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        kills += process.returncode == -signal.SIGKILL
        assert process.returncode in (0, -signal.SIGKILL)
        assert none_left(process.pid)
        assert kept <= committed(tmp_path)
        assert not kept & set(computed(tmp_path)[before:])
        assert kills < 200
    assert kills >= 4
    with run_map(engine_tasks.digests(), shards(10 * SHARDS, 10), engine=Here()) as results:
        assert (tmp_path / "out").read_bytes() == b"".join(results)
    # Beside what two workers were at when they were killed, nothing was computed twice.
    counts = Counter(computed(tmp_path))
    assert set(counts) == set(range(0, 10 * SHARDS, 10))
    assert counts.total() <= SHARDS + 2 * kills
    assert not list(tmp_path.glob("store/*/.*.partial.*"))


@pytest.mark.parametrize("moment", ["at work", "starting"])
def test_ctrl_c_stops_at_once_and_keeps_what_is_finished(tmp_path: Path, moment: str) -> None:
    with start("slow", tmp_path) as process:
        assert process.stdout is not None
        for line in process.stdout:
            # Shard 4 sleeps for ten minutes: after three there is no more.
            if line == ("3 40\n" if moment == "at work" else "0 40\n"):
                break
        if moment == "starting":
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert process.returncode not in (0, -signal.SIGKILL)
    assert none_left(process.pid)
    # The parent's own alone, which may have come while a library handled an error of its own.
    assert [line for line in errors.splitlines() if line.startswith("KeyboardInterrupt")] == ["KeyboardInterrupt"]
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert not list(tmp_path.glob("store/*/.*.partial.*"))
    assert not (tmp_path / "out").exists()
    if moment == "at work":
        assert len(list(tmp_path.glob("store/*/[!.]*.shard"))) >= 3


def test_ctrl_c_means_nothing_to_a_worker(tmp_path: Path) -> None:
    """A terminal sends it to everybody; a worker that minded, even while it starts, would end the run or add noise."""
    sent = 0
    with start("digest", tmp_path) as process:
        while process.poll() is None:
            for worker in set(alive(process.pid)) - {process.pid}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGINT)
                    sent += 1
            time.sleep(0.02)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert sent
    assert len(computed(tmp_path)) == SHARDS
