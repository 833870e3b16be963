"""Committed shards: sound or not there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from engine_tasks import digests

from voirdire.engine import Here, Store, Task, run_map, shards
from voirdire.errors import CacheWarning, UsageError

KEY = "ab" * 32
OTHER = "cd" * 32


def test_write_then_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.read(KEY) is None
    store.write(KEY, b"result")
    store.write(OTHER, b"")
    assert store.read(KEY) == b"result"
    assert store.read(OTHER) == b""


@pytest.mark.parametrize("length", [0, 1, 8, 40, 71, 72, 73, 77])
def test_every_truncation_counts_as_not_there(tmp_path: Path, length: int) -> None:
    store = Store(tmp_path)
    store.write(KEY, b"result")
    whole = store.path(KEY).read_bytes()
    assert len(whole) == 78
    store.path(KEY).write_bytes(whole[:length])
    assert store.read(KEY) is None


def test_every_altered_byte_counts_as_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(KEY, b"result")
    whole = bytearray(store.path(KEY).read_bytes())
    for place in range(len(whole)):
        whole[place] ^= 1
        store.path(KEY).write_bytes(whole)
        assert store.read(KEY) is None
        whole[place] ^= 1


def test_a_renamed_shard_counts_as_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(KEY, b"result")
    store.path(KEY).rename(store.path(OTHER))
    assert store.read(OTHER) is None


def test_damaged_shards_are_computed_again_and_only_they(tmp_path: Path) -> None:
    task, side = digests(tmp_path / "side"), tmp_path / "side"
    cut = shards(100, 10)
    with run_map(task, cut, engine=Here(), store=tmp_path / "s") as results:
        first = list(results)
    store = Store.of(tmp_path / "s", task)
    store.path(task.key(cut[3])).write_bytes(b"not ours")
    store.path(task.key(cut[7])).unlink()
    side.unlink()
    seen: list[tuple[int, int]] = []
    with (
        pytest.warns(CacheWarning, match="1 finished part damaged; made again"),
        run_map(task, cut, engine=Here(), store=tmp_path / "s", progress=lambda *told: seen.append(told)) as results,
    ):
        assert list(results) == first
    assert side.read_text().split() == ["30", "70"]
    assert seen == [(8, 10), (9, 10), (10, 10)]


def test_what_killed_runs_left_is_removed(tmp_path: Path) -> None:
    task = digests()
    folder = Store.of(tmp_path, task).folder
    folder.mkdir(parents=True)
    (folder / f".0123456789ab.partial.{KEY}.shard").write_bytes(b"half")
    with run_map(task, shards(20, 10), engine=Here(), store=tmp_path) as results:
        assert len(list(results)) == 2
    assert sorted(path.suffix for path in folder.iterdir()) == ["", ".json", ".shard", ".shard"]


def test_tasks_live_side_by_side_and_say_what_they_are(tmp_path: Path) -> None:
    first = Task("test.text", 1, lambda: lambda shard: b"five", {"k": 5})
    second = Task("test.text", 1, lambda: lambda shard: b"ten", {"k": 10})
    for _ in range(2):
        for task, expected in ((first, b"five"), (second, b"ten")):
            with run_map(task, ["a"], engine=Here(), store=tmp_path) as results:
                assert list(results) == [expected]
    about = [json.loads((folder / "run.json").read_text()) for folder in tmp_path.iterdir()]
    assert sorted(entry["parameters"]["k"] for entry in about) == [5, 10]
    assert {(entry["task"], entry["version"]) for entry in about} == {("test.text", 1)}


def test_a_second_run_in_the_same_folder_is_told_to_wait(tmp_path: Path) -> None:
    task = digests()
    with run_map(task, shards(20, 10), engine=Here(), store=tmp_path) as results:
        next(results)
        with (
            pytest.raises(UsageError, match="another run is at work here"),
            run_map(task, shards(20, 10), engine=Here(), store=tmp_path),
        ):
            pass
        assert len(list(results)) == 1
    with run_map(task, shards(20, 10), engine=Here(), store=tmp_path) as results:
        assert len(list(results)) == 2


def test_the_lock_of_another_process_holds_and_ends_with_it(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom engine_tasks import digests\n"
        "from voirdire.engine import Here, run_map, shards\n"
        "with run_map(digests(), shards(20, 10), engine=Here(), store=Path(sys.argv[1])) as results:\n"
        "    next(results); print('held', flush=True); sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent,
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(UsageError), run_map(digests(), shards(20, 10), engine=Here(), store=tmp_path):
            pass
        other.kill()
    with run_map(digests(), shards(20, 10), engine=Here(), store=tmp_path) as results:
        assert len(list(results)) == 2


def test_a_folder_that_cannot_be_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(UsageError, match="cannot keep finished work here"),
        run_map(digests(), shards(20, 10), engine=Here(), store=tmp_path / "file"),
    ):
        pass
