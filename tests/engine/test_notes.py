"""Workers tell what they do to whoever listens where the map was started: in this process, and in others."""

import multiprocessing
import threading
import time
from pathlib import Path

import engine_tasks
import pytest

from voirdire.engine import Here, Processes, ShardError, Span, Task, run_map, shards
from voirdire.engine.notes import WorkerNotes, has_listener, listening, noting


def test_several_workers_each_thing_once() -> None:
    notes = WorkerNotes()
    for worker, text in ((1, "preparing"), (2, "compiling"), (3, "preparing")):
        notes.update(worker, text)
    assert notes.now() == "compiling, preparing"
    notes.update(2, "")
    assert notes.now() == "preparing"
    notes.clear()
    assert notes.now() == ""


def test_what_was_said_before_is_said_again() -> None:
    assert not has_listener()
    with listening() as notes:
        assert has_listener()
        with noting("one"):
            with noting("two"):
                assert notes.now() == "two"
            assert notes.now() == "one"
            with pytest.raises(ZeroDivisionError), noting("three"):
                raise ZeroDivisionError
            assert notes.now() == "one"
        assert notes.now() == ""
    assert not has_listener()


def test_where_nobody_listens_nothing_happens() -> None:
    with noting("one"):
        assert not has_listener()


@pytest.mark.slow
@pytest.mark.parametrize("engine", [Here(), Processes(2)])
def test_a_worker_is_heard_while_it_works(engine: Here | Processes) -> None:
    heard: set[str] = set()
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.005):
            heard.add(notes.now())

    with listening() as notes:
        watcher = threading.Thread(target=watch)
        watcher.start()
        with run_map(engine_tasks.talking(), shards(20, 10), engine=engine) as results:
            assert list(results) == [b"True", b"True"]
        over.set()
        watcher.join()
        assert notes.now() == ""
    assert {"getting ready", "at items 0 to 9"} <= {part for said in heard for part in said.split(", ")}
    with run_map(engine_tasks.talking(), shards(10, 10), engine=engine) as results:
        assert list(results) == [b"False"]


def test_what_a_stopped_worker_said_is_forgotten() -> None:
    with listening() as notes:
        with Processes(1).opened(engine_tasks.talking(600.0).prepare) as pool:
            pool.submit(Span(0, 10))
            while "at items" not in notes.now():
                time.sleep(0.01)
        assert notes.now() == ""
    assert multiprocessing.active_children() == []


def test_failed_shards_are_told_of_while_the_others_are_done(tmp_path: Path) -> None:
    said: list[str] = []
    task = Task("test.odd", 1, engine_tasks.odd)
    with (
        listening(said.append),
        pytest.raises(ShardError),
        run_map(task, shards(50, 10), engine=Here(), store=tmp_path) as results,
    ):
        list(results)
    assert said[:3] == ["1 shard failed", "2 shards failed", ""]
