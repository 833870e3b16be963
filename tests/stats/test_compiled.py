"""Compiled code on disk is left aside when any file of kernels has changed."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from voirdire.stats import compiled as module
from voirdire.stats.compiled import PACKAGE, compiled, state_of

pytestmark = pytest.mark.slow

CALLER = """
from voirdire.stats.compiled import compiled
from inner import inner

@compiled
def outer(x):
    return inner(x) + 1
"""
INNER = "from voirdire.stats.compiled import compiled\n\n@compiled\ndef inner(x):\n    return x * {factor}\n"


def call(folder: Path) -> list[str]:
    """outer(10) in a new process in which the kernels are those of the folder."""
    code = (
        "from pathlib import Path; from voirdire.stats import compiled; "
        f"compiled.PACKAGE = Path({str(folder)!r}); from outer import outer; print(outer(10), outer.stats.cache_hits)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_a_change_in_a_called_file_compiles_the_caller_anew(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(CALLER)
    (tmp_path / "inner.py").write_text(INNER.format(factor=2))
    first = call(tmp_path)
    again = call(tmp_path)
    (tmp_path / "inner.py").write_text(INNER.format(factor=3))
    assert first[0] == again[0] == "21"
    assert "{}" not in again[1:], "the second process should have found the code on disk"
    assert call(tmp_path)[0] == "31"


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damaged", [b"", b"\x80\x05", b"caf\xe9 is no pickle"])
def test_damaged_files_of_compiled_code_are_given_up_and_made_again(
    ending: str, damaged: bytes, tmp_path: Path
) -> None:
    (tmp_path / "outer.py").write_text(CALLER)
    (tmp_path / "inner.py").write_text(INNER.format(factor=2))
    call(tmp_path)
    kept = list(tmp_path.rglob(f"*.{ending}"))
    assert kept
    for file in kept:
        file.write_bytes(damaged)
    assert call(tmp_path)[0] == "21"
    assert "{}" not in call(tmp_path)[1:], "what was compiled again should be kept"


# Says which names of files are taken, and goes on when the other process has had the time to look too.
SLOW = """
import time
from numba.core.caching import IndexDataCacheFile
save = IndexDataCacheFile._save_index
IndexDataCacheFile._save_index = lambda self, overloads: (time.sleep(1), save(self, overloads))
"""


def test_two_processes_that_keep_one_function_at_once_keep_both(tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text(INNER.format(factor=2))
    code = (
        "import sys; from pathlib import Path; from voirdire.stats import compiled; "
        f"compiled.PACKAGE = Path({str(tmp_path)!r}); from inner import inner; "
        "print(*[inner(float(one) if '.' in one else int(one)) for one in sys.argv[1:]], len(inner.stats.cache_hits))"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", SLOW + code, argument], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        for argument in ("3", "1.5")
    ]
    assert [process.communicate()[0] for process in both] == ["6 0\n", "3.0 0\n"]
    words = [sys.executable, "-c", code, "3", "1.5"]
    assert subprocess.run(words, cwd=tmp_path, capture_output=True, text=True).stdout == "6 3.0 2\n"


def test_the_state_knows_every_file_of_kernels() -> None:
    told = {file for file in PACKAGE.rglob("*.py") if module.KERNELS.search(file.read_bytes())}
    marked = {
        file for file in PACKAGE.rglob("*.py") if b"\n@compiled" in (text := file.read_bytes()) or b"\n@fast" in text
    }
    assert marked
    assert marked <= told
    assert all(b"njit" not in file.read_bytes() for file in PACKAGE.rglob("*.py") if file.name != "compiled.py")


@pytest.mark.parametrize(("text", "counts"), [("import numba\n", True), ("x = 1\n", False)])
def test_only_files_of_kernels_change_the_state(tmp_path: Path, text: str, counts: bool) -> None:
    state_of.cache_clear()
    before = state_of(tmp_path)
    (tmp_path / "new.py").write_text(text)
    state_of.cache_clear()
    assert (state_of(tmp_path) != before) == counts


def test_options_reach_the_compiler() -> None:
    @compiled(nogil=True)
    def double(x: np.ndarray) -> np.ndarray:
        return x * 2

    assert double.targetoptions["nogil"]
    assert double(np.array([1.5])).tolist() == [3.0]


def test_code_for_which_there_is_no_room_is_used_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @compiled
    def twice(x):  # type: ignore[no-untyped-def]
        return x * 2

    def refuse(self: object, name: str, data: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", refuse)
    with pytest.warns(UserWarning, match=r"cannot be kept \(No space left on device\).* NUMBA_CACHE_DIR names another"):
        assert twice(21) == 42


def test_what_killed_processes_left_of_code_is_swept(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(CALLER)
    (tmp_path / "inner.py").write_text(INNER.format(factor=2))
    (tmp_path / "__pycache__").mkdir()
    left = [tmp_path / "__pycache__" / f"outer.outer-2.py311.{name}.tmp.0123456789abcdef" for name in ("nbi", "1.nbc")]
    for path in left:
        path.write_bytes(b"half")
    assert call(tmp_path)[0] == "21"
    assert not any(path.exists() for path in left)


COUNTING = """
import numpy as np
from numba.core import event
compiled = []

class Listener(event.Listener):
    def on_start(self, what):
        pass

    def on_end(self, what):
        compiled.append((what.data["dispatcher"].py_func.__name__, str(what.data["args"])))

event.register("numba:compile", Listener())
from voirdire.robustness.rankers import make_ranker
texts = ["what is the man doing", "what is the dog doing", "is it raining", "how many dogs are there"]
make_ranker("meteor", texts).rank(texts[:2], [np.empty(0, np.int64)] * 2, 2)
print(len(compiled), *[f"{name}{given}" for name, given in compiled if "Literal" in given], sep="\\n")
"""


@pytest.mark.slow
def test_the_ranker_by_meteor_compiles_few_functions(tmp_path):
    """It was 197 functions; numbers that are written as such in a call made numba compile what is called again."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COUNTING], capture_output=True, text=True, env=environment, check=True)
    count, *again = done.stdout.splitlines()
    assert again == []
    assert int(count) <= 70


def test_what_compiled_functions_alone_call_cannot_be_called():
    from numba import njit

    from voirdire.stats.compiled import inner

    @inner
    def twice(x):
        return 2 * x

    for _ in range(2):
        with pytest.raises(TypeError, match="twice can be called by compiled functions alone"):
            twice(4)
        assert njit(lambda x: twice(x))(4) == 8
