"""What tells whether a process sees a folder, and what it gets of files that it does not see."""

import pickle
from pathlib import Path

import pytest

from voirdire.engine import Engine, Here, on_files_in
from voirdire.engine.shared_folder import left_token, remove_tokens
from voirdire.errors import UsageError


def test_a_word_is_seen_as_long_as_it_is_left(tmp_path: Path) -> None:
    with left_token(tmp_path / "new") as word:
        assert pickle.loads(pickle.dumps(word)).is_visible()
        word.path.write_bytes(b"\xff another run's")
        assert not word.is_visible()
        word.path.unlink()
        assert not word.is_visible()
    assert list((tmp_path / "new").iterdir()) == []


def test_words_of_killed_runs_are_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in (".seen-0123", ".seen", "report.html"):
        (tmp_path / name).touch()
    remove_tokens(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".seen", "report.html"]


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
