"""The engine of local processes: Ctrl-C, workers that are lost, and items of any size."""

import functools
import multiprocessing
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engine_tasks
import pytest
from engine_tasks import faulty_task

from voirdire.engine import Processes, Span, shards
from voirdire.engine.workers import WorkerPool

pytestmark = pytest.mark.slow


def test_ctrl_c_while_an_item_is_handed_over_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    hand_over = WorkerPool.submit

    def interrupted(*arguments: Any) -> None:
        hand_over(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(WorkerPool, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt), Processes(1).opened(faulty_task("slow").prepare) as pool:
        pool.submit(Span(30, 40))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("started", [False, True])
def test_ctrl_c_while_the_thread_of_the_workers_starts(started: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if started:
            start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), Processes(1).opened(faulty_task("slow").prepare) as pool:
        pool.submit(Span(30, 40))
    assert multiprocessing.active_children() == []


def test_an_idle_worker_that_is_killed_is_replaced() -> None:
    with Processes(2).opened(engine_tasks.digests().prepare) as pool:
        for turn in range(5):
            pool.submit(Span(0, 10))
            number, outcome = pool.next()
            assert (number, len(outcome.get())) == (turn, 320)
            for process in multiprocessing.active_children():
                process.kill()


def test_a_lost_worker_takes_nobody_with_it(tmp_path: Path) -> None:
    """One of three is killed in the middle; the two beside it are not begun again, and it is done when they are."""
    with Processes(3).opened(engine_tasks.digests(tmp_path / "side", pause=1.0).prepare) as pool:
        for span in shards(30, 10):
            pool.submit(span)
        while not (tmp_path / "side").exists() or len((tmp_path / "side").read_text().split()) < 3:
            time.sleep(0.01)
        multiprocessing.active_children()[0].kill()
        ended = [pool.next()[0] for _ in range(3)]
    assert sorted(ended) == [0, 1, 2]
    begun = (tmp_path / "side").read_text().split()
    assert (sorted(begun[:3]), begun[3:]) == (["0", "10", "20"], [str(10 * ended[-1])])


def test_items_and_results_larger_than_a_pipe() -> None:
    with Processes(2).map(engine_tasks.echo, (bytes([k]) * 3_000_000 for k in range(12))) as results:
        assert [(data[:1], len(data)) for data in results] == [(bytes([k]), 3_000_000) for k in range(12)]


def test_an_item_that_cannot_be_sent_fails_alone() -> None:
    with Processes(1).map(engine_tasks.echo, iter([b"1", threading.Lock(), b"2"])) as results:
        assert next(results) == b"1"
        with pytest.raises(TypeError, match="pickle"):
            next(results)
        assert next(results) == b"2"


def test_workers_that_cannot_be_started_are_told_of_each_time() -> None:
    with Processes(1).map(lambda: bytes, iter([b"1", b"2"])) as results:
        for _ in range(2):
            with pytest.raises(Exception, match="lambda"):
                next(results)


def test_look_ahead_is_bounded() -> None:
    taken: list[int] = []

    def items() -> Iterator[Span]:
        for span in shards(1000, 10):
            taken.append(span.start)
            yield span

    with Processes(2).map(functools.partial(engine_tasks.faulty, ""), items()) as results:
        for count, _ in zip(range(1, 6), results, strict=False):
            assert len(taken) <= count - 1 + 4 * 2
