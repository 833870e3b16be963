"""METEOR's index made ahead: what is told on the way, and that it is made once."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import CacheWarning
from voirdire.metrics.meteor import index, prepare


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, write_meteor, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Made-up files stand for those that are installed, in a cache of their own."""
    source = write_meteor(tmp_path)
    monkeypatch.setenv("VOIRDIRE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(index, "installed_files", lambda: source)
    monkeypatch.setattr(index, "_opened", {})
    return index.index_path(source)


def test_the_first_time_is_told_from_beginning_to_end(tmp_path, write_meteor, monkeypatch):
    rng = np.random.default_rng(0)
    phrases = [" ".join(f"{word:x}" for word in rng.integers(0, 9999, 3)) for _ in range(20_000)]
    source = write_meteor(tmp_path, tuple(zip(phrases[::2], phrases[1::2], strict=True)))
    monkeypatch.setattr(index, "installed_files", lambda: source)
    monkeypatch.setattr(index, "BLOCK", 1 << 14)
    reports: list[tuple[int, int]] = []
    prepare(lambda *at: reports.append(at))
    assert index.index_path(source).exists()
    assert (reports[0], reports[-1]) == ((0, 100), (100, 100))
    assert reports == sorted(reports)
    # The blocks of the table and its three levels each have steps of their own.
    steps = {done for done, _ in reports}
    borders = (0, int(100 * index.READ), int(100 * index.LINKED))
    for low, high in pairwise(borders):
        assert len([done for done in steps if low < done <= high]) >= 3


def test_an_index_that_is_kept_is_not_told_of(installed, monkeypatch):
    prepare()
    reports: list[tuple[int, int]] = []
    prepare(lambda *at: reports.append(at))
    monkeypatch.setattr(index, "_opened", {})
    prepare(lambda *at: reports.append(at))
    assert reports == []


def test_an_index_that_cannot_be_kept_is_made_once_a_process(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("VOIRDIRE_CACHE", str(tmp_path / "file"))
    reports: list[tuple[int, int]] = []
    with pytest.warns(CacheWarning, match="cannot be kept"):
        prepare(lambda *at: reports.append(at))
    assert reports[-1] == (100, 100)
    reports.clear()
    assert len(index.installed_index(lambda *at: reports.append(at))["emits"])
    assert reports == []


def test_reports_change_nothing(tmp_path, write_meteor):
    source = write_meteor(tmp_path)
    silently = index.build(source)
    for name, array in index.build(source, lambda done, total: None).items():
        np.testing.assert_array_equal(array, silently[name])
