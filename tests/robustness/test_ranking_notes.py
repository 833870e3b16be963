"""Workers say what they do before their first result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from word_ranker import WordRanker, questions

from voirdire.robustness.pool import make_pool
from voirdire.robustness.ranking import RankOptions, rank_questions
from voirdire.robustness.ranking_notes import COMPILING, PREPARING, clear_notes, noting, read_notes
from voirdire.robustness.ranking_work import what_workers_do

HEARD: list[str] = []


def listen(folder: Path) -> Any:
    """A function that is compiled at its first call; the folder's notes are read while that happens."""
    from numba import njit
    from numba.core import event

    class Ear(event.Listener):
        def on_start(self, event: Any) -> None:
            HEARD.append(read_notes(folder))

        def on_end(self, event: Any) -> None:
            pass

    @njit
    def twice(number):  # type: ignore[no-untyped-def]
        return 2 * number

    def call(number: float) -> float:
        with event.install_listener("numba:compile", Ear()):
            return float(twice(number))

    return call


def test_a_note_is_there_as_long_as_it_is_true(tmp_path: Path) -> None:
    HEARD.clear()
    twice = listen(tmp_path)
    with noting(tmp_path, PREPARING):
        assert read_notes(tmp_path) == PREPARING
        assert twice(2.0) == 4
        assert read_notes(tmp_path) == PREPARING
    with noting(tmp_path):
        assert read_notes(tmp_path) == ""
        assert twice(np.float32(2)) == 4  # Compiled anew for another type, and not for the next call.
        assert twice(np.float32(3)) == 6
    assert HEARD == [COMPILING, COMPILING]
    assert list(tmp_path.iterdir()) == []


def test_several_workers_and_killed_ones(tmp_path: Path) -> None:
    (tmp_path / "note-1").write_text(PREPARING)
    (tmp_path / "note-2").write_text(COMPILING)
    (tmp_path / "note-3").write_text(PREPARING)
    assert read_notes(tmp_path) == f"{COMPILING}, {PREPARING}"
    clear_notes(tmp_path)
    assert read_notes(tmp_path) == ""


def test_a_fault_with_a_note_stops_nothing(tmp_path: Path) -> None:
    with noting(tmp_path / "nowhere", PREPARING):
        assert read_notes(tmp_path / "nowhere") == ""


def test_an_error_takes_the_note_away(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), noting(tmp_path, PREPARING):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_ranking_says_what_its_workers_do(tmp_path: Path) -> None:
    out, heard = tmp_path / "r.parquet", []

    def make(*_: Any) -> WordRanker:
        heard.append(what_workers_do(out))
        return WordRanker(pool.texts)

    pool = make_pool([questions(0, 120)])
    rank_questions(questions(90, 60), pool, out, RankOptions("words", top=6), make=make)
    assert heard == [PREPARING]
    assert what_workers_do(out) == ""
