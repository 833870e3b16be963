"""Files are there whole or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.atomic import atomic_path, sweep, write_atomic


def test_write_makes_folders_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.json"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.json"]


def test_a_fault_keeps_the_old_file_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_atomic(path, b"old")

    def fail() -> None:
        with atomic_path(path) as partial:
            assert partial.suffix == ".parquet"
            partial.write_bytes(b"ne")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.parquet"]


def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_atomic(path, b"old")
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom voirdire.atomic import atomic_path\n"
        "with atomic_path(Path(sys.argv[1])) as partial:\n"
        "    partial.write_bytes(b'half'); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -9
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == [path]
