"""Workers say what they do before their first result, wherever they work."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from word_ranker import WordRanker, make_slow, questions

import voirdire.stats.compiled  # noqa: F401 (says when numba compiles)
from voirdire.engine import Processes
from voirdire.engine.notes import WorkerNotes, listening
from voirdire.progress import COMPILING
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.pool import make_pool
from voirdire.robustness.ranking.rank import COMPILE_SECONDS, PREPARING, _noting_work, rank_questions

HEARD: list[str] = []
POOL = make_pool([questions(0, 120)])
OPTIONS = RankQuestionsOptions("words", top=6)


def listen(notes: WorkerNotes) -> Any:
    """A function that is compiled at its first call; what is said is read while that happens."""
    from numba import njit
    from numba.core import event

    class Ear(event.Listener):
        def on_start(self, event: Any) -> None:
            HEARD.append(notes.now())

        def on_end(self, event: Any) -> None:
            pass

    @njit
    def twice(number):  # type: ignore[no-untyped-def]
        return 2 * number

    def call(number: float) -> float:
        with event.install_listener("numba:compile", Ear()):
            return float(twice(number))

    return call


def test_a_note_is_there_as_long_as_it_is_true() -> None:
    HEARD.clear()
    with listening() as notes:
        twice = listen(notes)
        with _noting_work("words", PREPARING):
            assert notes.now() == PREPARING
            assert twice(2.0) == 4
            assert notes.now() == PREPARING
        with _noting_work("lasso"):
            assert notes.now() == ""
            assert twice(np.float32(2)) == 4  # Compiled anew for another type, and not for the next call.
            assert twice(np.float32(3)) == 6
        message = f"{COMPILING}, about {COMPILE_SECONDS['lasso']} s of one processor"
        assert [COMPILING, message] == HEARD
        assert notes.now() == ""


def test_an_error_takes_the_note_away() -> None:
    with listening() as notes:
        with pytest.raises(ZeroDivisionError), _noting_work("words", PREPARING):
            raise ZeroDivisionError
        assert notes.now() == ""


def test_a_ranking_says_what_its_worker_does(tmp_path: Path) -> None:
    heard = []

    def make(*_: Any) -> WordRanker:
        heard.append(notes.now())
        return WordRanker(POOL.texts)

    with listening() as notes:
        rank_questions(questions(90, 60), POOL, tmp_path / "r.parquet", OPTIONS, make=make)
        assert notes.now() == ""
    assert heard == [PREPARING]


def test_workers_in_other_processes_are_heard(tmp_path: Path) -> None:
    heard: set[str] = set()
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.01):
            heard.add(notes.now())

    with listening() as notes:
        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            out = tmp_path / "r.parquet"
            rank_questions(questions(90, 60), POOL, out, OPTIONS, engine=Processes(2), make=make_slow)
        finally:
            over.set()
            watcher.join()
        assert notes.now() == ""
    assert PREPARING in heard
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".parquet"] == []
