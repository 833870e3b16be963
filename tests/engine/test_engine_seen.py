"""What tells whether a process sees a folder, and what it gets of files that it does not see."""

import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from voirdire.atomic import seal_of
from voirdire.engine import Engine, Here, on_files_in
from voirdire.engine.arrays import SharedFile, handing_over, write_array
from voirdire.engine.shared_folder import left_word, sweep_words
from voirdire.errors import UsageError


def test_a_word_is_seen_as_long_as_it_is_left(tmp_path: Path) -> None:
    with left_word(tmp_path / "new") as word:
        assert pickle.loads(pickle.dumps(word)).is_seen()
        word.path.write_bytes(b"\xff another run's")
        assert not word.is_seen()
        word.path.unlink()
        assert not word.is_seen()
    assert list((tmp_path / "new").iterdir()) == []


def test_words_of_killed_runs_are_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in (".seen-0123", ".seen", "report.html"):
        (tmp_path / name).touch()
    sweep_words(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == [".seen", "report.html"]


def fetched(path: Path) -> np.ndarray | None:
    """The bytes of a file whose name says that it is not seen."""
    return np.fromfile(path, np.uint8) if path.stem == "unseen" else None


@pytest.mark.parametrize("name", ["seen", "unseen"])
def test_a_shared_file_is_mapped_where_it_is_seen(tmp_path: Path, name: str) -> None:
    file = SharedFile(tmp_path / f"{name}.npy")
    write_array(file.path, [np.arange(6.0).reshape(2, 3)], (2, 3), np.float64)
    with handing_over(lambda path: partial(fetched, path)):
        data = pickle.dumps(file)
    found = pickle.loads(data).array()
    assert isinstance(found, np.memmap) == (name == "seen")
    assert np.array_equal(found, np.arange(6.0).reshape(2, 3))


def test_seals_tell_files_apart(tmp_path: Path) -> None:
    for name, first in (("a", 0.0), ("same", 0.0), ("other", 1.0)):
        write_array(tmp_path / name, [np.array([first])], (1,), np.float64)
    seals = [seal_of(tmp_path / name) for name in ("a", "same", "other")]
    assert seals[0] == seals[1] != seals[2]
    (tmp_path / "short").write_bytes(b"x")
    assert seal_of(tmp_path / "short") == seal_of(tmp_path / "none") == b""


class Far(Here):
    """An engine none of whose machines sees anything."""

    def seeing(self, folder: Path) -> Engine:
        raise UsageError(f"{folder}: not seen")


def test_work_on_files_asks_an_engine_whose_machines_may_not_see_them(tmp_path: Path) -> None:
    here = Here()
    assert on_files_in(None, tmp_path) is None
    assert on_files_in(here, tmp_path) is here
    with pytest.raises(UsageError, match="not seen"):
        on_files_in(Far(), tmp_path)
