import errno
import os
import subprocess
import sys

import pytest

from voirdire import atomic as module
from voirdire.atomic import atomic_folder
from voirdire.errors import OutputError


def fill(path, text):
    (path / "first").write_text(text)
    (path / "second").write_text(text)


def content(path):
    return {file.name: file.read_text() for file in path.iterdir()}


def whole(text):
    return {"first": text, "second": text}


def test_a_new_folder_appears_at_the_end(tmp_path):
    with atomic_folder(tmp_path / "it", replace=False) as partial:
        fill(partial, "new")
        assert not (tmp_path / "it").exists()
    assert content(tmp_path / "it") == whole("new")
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("exchange", [True, False])
def test_another_takes_its_place(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(module, "_exchange", lambda first, second: False)
    for text in ("old", "new"):
        with atomic_folder(tmp_path / "it", replace=True) as partial:
            fill(partial, text)
    assert content(tmp_path / "it") == whole("new")
    assert len(list(tmp_path.iterdir())) == 1


def test_what_may_not_be_replaced_stays(tmp_path):
    with atomic_folder(tmp_path / "it", replace=False) as partial:
        fill(partial, "old")
    with pytest.raises(FileExistsError), atomic_folder(tmp_path / "it", replace=False) as partial:
        fill(partial, "new")
    assert content(tmp_path / "it") == whole("old")
    assert len(list(tmp_path.iterdir())) == 1


def test_an_error_inside_leaves_the_old_one(tmp_path):
    with atomic_folder(tmp_path / "it", replace=False) as partial:
        fill(partial, "old")
    with pytest.raises(ZeroDivisionError), atomic_folder(tmp_path / "it", replace=True) as partial:
        fill(partial, str(1 / 0))
    assert content(tmp_path / "it") == whole("old")
    assert len(list(tmp_path.iterdir())) == 1


# Dies at the n-th call to the system that Python announces, for every n until the work gets done.
KILLED = """
import os, signal, sys
from pathlib import Path
from voirdire.atomic import atomic_folder
place, base = Path(sys.argv[1]), Path(sys.argv[1]) / "it"
left = None
steps = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir", "ctypes.dlsym"}
def hook(event, arguments):
    global left
    if left is not None and event in steps:
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
def work(text):
    with atomic_folder(base, replace=True) as partial:
        (partial / "first").write_text(text)
        (partial / "second").write_text(text)
def seen():
    return {file.name: file.read_text() for file in base.iterdir()} if base.exists() else None
if sys.argv[2] == "again":
    work("old")
before = seen()
for number in range(200):
    child = os.fork()
    if child == 0:
        left = number
        work("new")
        os._exit(0)
    died = os.waitpid(child, 0)[1] != 0
    now = seen()
    new = {"first": "new", "second": "new"}
    if now not in (before, new):
        sys.exit(f"killed at {number}: {now}")
    if not died:
        sys.exit(0 if now == new and number > 8 else f"done at {number}: {now}")
    if now == new:
        import shutil
        shutil.rmtree(base)
        if before is not None:
            work("old")
sys.exit("never done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs fork and the exchange of names")
@pytest.mark.parametrize("mode", ["first", "again"])
def test_a_kill_at_any_step_leaves_the_old_the_new_or_nothing(tmp_path, mode):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), mode], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["it"]


def test_the_next_folder_in_its_place_sweeps_what_killed_writers_left(tmp_path):
    for name in (".0123456789ab.partial.it", ".0123456789ab.old.it", ".0123456789ab.partial.other"):
        (tmp_path / name).mkdir()
        fill(tmp_path / name, "left")
    with atomic_folder(tmp_path / "it", replace=False) as first:
        fill(first, "first")
        with atomic_folder(tmp_path / "it", replace=False) as second:
            fill(second, "second")
        # Of what is there under a hidden name, that which is being filled stays.
        assert sorted(path.name for path in tmp_path.iterdir() if path != first) == [
            ".0123456789ab.partial.other",
            "it",
        ]
        (tmp_path / "it").rename(tmp_path / "moved")
    assert content(tmp_path / "it") == whole("first")


def test_what_the_system_refuses_is_said_with_the_path(tmp_path):
    with (
        pytest.raises(OutputError, match=r"it: cannot be written: No space left on device .*Make room"),
        atomic_folder(tmp_path / "it", replace=False),
    ):
        raise OSError(errno.ENOSPC, "x")
    assert list(tmp_path.iterdir()) == []
