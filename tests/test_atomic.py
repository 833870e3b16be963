"""Files are there whole or not at all."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.atomic import (
    SEAL,
    atomic_path,
    check_output,
    hidden_folder,
    is_sealed,
    lock_folder,
    read_sealed,
    sweep,
    write_atomic,
    write_sealed,
)
from voirdire.errors import OutputError, UsageError


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


KILLED = (
    "import os, signal, sys\nfrom pathlib import Path\nfrom voirdire.atomic import atomic_path, hidden_folder\n"
    "with hidden_folder(Path(sys.argv[1])), atomic_path(Path(sys.argv[1])) as partial:\n"
    "    partial.write_bytes(b'half'); os.kill(os.getpid(), signal.SIGKILL)\n"
)


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9 and locks of the system")
def test_the_next_file_in_its_place_sweeps_what_killed_writers_left(tmp_path: Path) -> None:
    path, other = tmp_path / "a.txt", tmp_path / "b[a.txt"
    for each in (path, path, other):
        assert subprocess.run([sys.executable, "-c", KILLED, str(each)], check=False).returncode == -9
    (tmp_path / ".mine.partial.a.txt").write_bytes(b"a name like ours that is not ours")
    assert len(list(tmp_path.iterdir())) == 7
    write_atomic(path, b"new")
    left = sorted(entry.name for entry in tmp_path.iterdir())
    assert [name.partition(".partial.")[2] or name for name in left] == ["b[a.txt", "b[a.txt", "a.txt", "a.txt"]
    write_atomic(other, b"new")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".mine.partial.a.txt", "a.txt", "b[a.txt"]


def test_among_many_files_nothing_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []
    monkeypatch.setattr("voirdire.atomic._sweep_beside", looked.append)
    write_atomic(tmp_path / "a.txt", b"x", sweeps=False)
    assert looked == []
    write_atomic(tmp_path / "a.txt", b"x")
    assert looked == [tmp_path / "a.txt"]


def test_a_folder_is_free_at_the_end_of_the_block_whoever_still_knows_the_lock(tmp_path: Path) -> None:
    with lock_folder(tmp_path) as first, pytest.raises(UsageError, match="another run is at work here"):
        lock_folder(tmp_path)
    second = lock_folder(tmp_path)
    second.release()
    with lock_folder(tmp_path) as third:
        pass
    assert len({id(first), id(second), id(third)}) == 3


def test_what_another_is_writing_is_not_swept(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with atomic_path(path) as first:
        first.write_bytes(b"first")
        with hidden_folder(path) as folder:
            write_atomic(path, b"second")
            assert folder.is_dir()
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_sealed_file_is_as_it_was_written_or_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    assert not is_sealed(path)
    assert read_sealed(path) is None
    write_sealed(path, [b"some", b"thing"], 9)
    whole = path.read_bytes()
    assert len(whole) == 9 + SEAL
    assert is_sealed(path)
    assert read_sealed(path) == b"something"
    altered = [whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in range(len(whole))]
    for data in (*altered, *(whole[:length] for length in range(len(whole))), whole + b"x"):
        path.write_bytes(data)
        assert not is_sealed(path)
        assert read_sealed(path) is None
    write_sealed(path, [], 0)
    assert is_sealed(path)
    assert read_sealed(path) == b""


def test_the_space_is_taken_before_the_work_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, start: int, size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    path, begun = tmp_path / "a.bin", []
    with pytest.raises(OutputError) as caught:
        write_sealed(path, (begun.append(1) or b"x" for _ in range(9)), 5 * 1024**2)  # type: ignore[func-returns-value]
    message = (
        r"a\.bin: cannot be written: No space left on device \(5\.0 MB are needed, [\d,.]+ MB are free\)\. Make room"
    )
    assert re.search(message, str(caught.value))
    assert begun == []
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_that_cannot_take_space_ahead_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int, start: int, size: int) -> None:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    write_sealed(tmp_path / "a.bin", [b"x"], 1)
    assert is_sealed(tmp_path / "a.bin")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("underlying IO error: File too large (os error 27)"), r"File too large\. Raise the limit"),
        (
            RuntimeError("write failed, errno = 122, error message = 'x'"),
            r"quota exceeded \([\d,.]+ MB are free\)\. Make",
        ),
        (OSError(errno.EROFS, "x"), r"Read-only file system\. Write to another disk"),
        (OSError(errno.EACCES, "x"), r"Permission denied\. Write to a folder"),
        (OSError("requested and written"), "requested and written$"),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="has Linux's numbers of errors")
def test_what_happened_is_said_with_what_to_do(tmp_path: Path, error: Exception, message: str) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(OutputError, match=rf"a\.txt: cannot be written: .*{message}"), atomic_path(path):
        raise error
    assert list(tmp_path.iterdir()) == []


def test_chunks_of_another_size_are_a_fault_and_no_file(tmp_path: Path) -> None:
    for chunk in (b"x", b"xxx"):
        with pytest.raises(ValueError, match="the chunks must have `size` bytes together, 2, and have"):
            write_sealed(tmp_path / "a.bin", [chunk], 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(OutputError, match="cannot be written: it is a name that no file can have"):
        check_output(Path(name))


def test_an_empty_name_is_called_empty() -> None:
    with pytest.raises(OutputError, match="which an empty name stands for, too; name a file"):
        check_output(Path())
