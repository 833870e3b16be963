"""Files are there whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.atomic import atomic_path, check_output, sweep, write_atomic
from voirdire.errors import OutputError


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


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.json").write_bytes(b"old")
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "real" / "a.json")
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "real" / "a.json").read_bytes() == b"new"


def test_only_plain_files_are_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, reason in (
        (tmp_path, "it is a folder"),
        (pipe, "it is a device or a pipe"),
        (tmp_path / "file" / "below" / "a.json", "file is not a folder"),
    ):
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(OutputError, match=reason):
            check_output(path)
        with pytest.raises(OutputError, match=reason):
            write_atomic(path, b"new")
    assert pipe.is_fifo()


def test_what_the_system_refuses_is_said_with_the_path(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written: File name too long"):
        write_atomic(tmp_path / ("x" * 300), b"new")


def test_a_folder_in_which_nothing_may_be_put_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Asked of the system, which lets root do all; so its answer is made here.
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(OutputError, match="nothing may be put into"):
        check_output(tmp_path / "new" / "file.json")
    (tmp_path / "open").mkdir()
    check_output(tmp_path / "open" / "file.json")


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(OutputError, match="cannot be written: it is a name that no file can have"):
        check_output(Path(name))
