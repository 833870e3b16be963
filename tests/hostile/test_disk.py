"""A disk or a memory that is too small: one line that says what to do, nothing half-written, and work that goes on.

A limit of a file's size stands for a full disk where no small disk can be had; it needs no rights.
"""

import contextlib
import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from voirdire.errors import OutputError
from voirdire.formats.files import write_json
from voirdire.formats.reference_files import write_sets
from voirdire.formats.states import States, write_states
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.models.array_file import write_arrays
from voirdire.robustness.pool import make_pool
from voirdire.robustness.ranking.files import write_ranking
from voirdire.robustness.ranking.lists import FoundLists, MainAndPool
from voirdire.runs import Run, Signature, write_run
from voirdire.runs.estimate import Measures
from voirdire.text.cache import CacheWarning, VectorCache

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are those of Linux"),
]

LIMIT = 1 << 18
COMMAND = [sys.executable, "-c", "from voirdire.cli.main import run; run()"]
NOISE = np.random.default_rng(0)


@contextlib.contextmanager
def small_files() -> Iterator[None]:
    """No file may grow above the limit."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def words(count: int) -> list[str]:
    """Texts that cannot be packed well."""
    return [NOISE.bytes(16).hex() for _ in range(count)]


def states(path: Path) -> None:
    write_states(States(NOISE.standard_normal((300, 11, 64)).astype(np.float32)), path)


class Rounds:
    """Rounds of one hundred candidates each."""

    def __init__(self, count: int) -> None:
        self._texts = words(count * 100)
        self._arrays = {
            "image_ids": np.arange(count),
            "numbers": np.ones(count, np.int64),
            "question": np.zeros(count, np.int32),
            "gt_index": np.zeros(count, np.int64),
            "options": np.arange(count * 100, dtype=np.int32).reshape(count, 100),
        }

    def __getattr__(self, name: str) -> np.ndarray:
        return self._arrays[name]

    def texts(self, name: str) -> list[str]:
        return self._texts


def sets_in_parts(path: Path) -> None:
    # Each part is small enough; all of them together are not.
    write_sets(Rounds(300), iter(np.ones((60, 50, 100), np.bool_)[:6]), path)


def sets_at_once(path: Path) -> None:
    write_sets(Rounds(300), iter([np.ones((300, 100), np.bool_)]), path)


def ranking(path: Path) -> None:
    main = VqaQuestions.from_rows(VqaQuestion(number, 1, text) for number, text in enumerate(words(20_000)))
    asked = MainAndPool.of(main, make_pool([main]), keep_main=True)
    shape = len(main), 1
    lists = FoundLists(
        np.zeros(shape, np.int32), np.ones(shape), {}, np.ones(len(main), np.bool_), {}, np.zeros(len(main), np.int64)
    )
    write_ranking(asked, lists, {"top": 1}, path)


def run_folder(path: Path) -> None:
    items = pl.DataFrame({"x": NOISE.standard_normal(100_000)})
    about = Signature("0", {})
    write_run(Run(exam="answers", part="score", options={}, items=items, measures=Measures({}), signature=about), path)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "a.h5": states,
    "a.npz": states,
    "a.json": lambda path: write_json(words(20_000), path),
    "a.jsonl.gz": lambda path: write_json(words(40_000), path),
    "parts.parquet": sets_in_parts,
    "sets.parquet": sets_at_once,
    "sets.jsonl": sets_at_once,
    "model.npz": lambda path: write_arrays(path, {}, {"weights": NOISE.standard_normal(100_000)}),
    "run": run_folder,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_for_which_there_is_no_room_is_named_and_not_begun(tmp_path: Path, name: str) -> None:
    with small_files(), pytest.raises(OutputError) as caught:
        WRITERS[name](tmp_path / name)
    assert re.fullmatch(rf"\S*{name}: cannot be written: File too large\. Raise the limit [^\n]*", str(caught.value))
    assert list(tmp_path.iterdir()) == []
    WRITERS[name](tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_ranking_for_which_there_is_no_room_is_not_there(tmp_path: Path) -> None:
    with small_files(), pytest.raises(OutputError, match=r"r\.pool\.parquet: cannot be written: File too large"):
        ranking(tmp_path / "r.parquet")
    assert list(tmp_path.iterdir()) == []


def write_questions(folder: Path) -> list[str]:
    """Main questions, a pool and their vectors in `folder`; the call that ranks them, but for the output."""
    texts = words(700)
    for name, part in (("main", texts[:60]), ("pool", texts)):
        rows = [{"question_id": number, "image_id": 1, "question": text} for number, text in enumerate(part)]
        (folder / f"{name}.json").write_text(json.dumps({"questions": rows}))
    np.savez(folder / "v.npz", texts=np.array(texts), vectors=NOISE.standard_normal((700, 512)).astype(np.float32))
    files = ["--main", str(folder / "main.json"), "--pool", str(folder / "pool.json")]
    return ["robustness", "rank", *files, "--encoder", f"npz:{folder / 'v.npz'}", "--lambda", "0.5", "--workers", "2"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    try:
        refused = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("needs `mount`")
    if refused.returncode:
        pytest.skip(f"needs the right to mount a small disk: {refused.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def call(*words: str, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, preexec_fn=before)


def test_a_full_disk_is_told_of_and_the_ranking_goes_on_when_there_is_room(tmp_path: Path, small_disk: Path) -> None:
    rank, out = write_questions(tmp_path), small_disk / "r.parquet"
    full = call(*rank, "-o", str(out))
    assert (full.returncode, full.stdout) == (2, "")
    (errors,) = full.stderr.splitlines()
    assert re.fullmatch(
        r"voirdire: \S+vectors\.npy: cannot be written: No space left on device "
        r"\(1\.5 MB are needed, [01]\.\d MB are free\)\. Make room there, or write to another disk\.",
        errors,
    )
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert call(*rank, "-o", str(out)).returncode == 0
    assert call(*rank, "-o", str(tmp_path / "r.parquet")).returncode == 0
    names = ["r.certificates.parquet", "r.parquet", "r.pool.parquet"]
    assert sorted(path.name for path in small_disk.iterdir()) == names
    for name in names:
        assert (small_disk / name).read_bytes() == (tmp_path / name).read_bytes()


def test_too_little_memory_is_one_line_that_names_the_step(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(1 << 35)
    done = call("validate", str(large), before=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33)))
    assert (done.returncode, done.stdout) == (2, "")
    (errors,) = done.stderr.splitlines()
    assert errors.startswith("voirdire: validate")
    assert "not enough memory" in errors
    assert "Call again with fewer workers" in errors


def test_a_cache_without_room_is_told_of_and_the_work_goes_on(tmp_path: Path) -> None:
    texts, vectors = words(300), NOISE.standard_normal((300, 512)).astype(np.float32)
    cache = VectorCache(tmp_path).of("made-up", "0")
    with small_files(), pytest.warns(CacheWarning, match="going on without it"):
        cache.write(texts, vectors)
    assert cache.read(texts) == {}
    cache.write(texts, vectors)
    assert len(cache.read(texts)) == 300
