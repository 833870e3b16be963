"""The map itself: same bytes everywhere, faults that say where they happened."""

import contextlib
import functools
import hashlib
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import engine_tasks
import pytest

from voirdire.engine import ENGINES, Here, Processes, ShardError, Span, Task, WorkerLost, run_map, shards
from voirdire.engine.workers import Crew
from voirdire.errors import InputError, OutOfMemory, UsageError, VoirDireError

pytestmark = pytest.mark.slow


def faulty(fault: str) -> Task[Span]:
    return Task("test.faulty", 1, functools.partial(engine_tasks.faulty, fault))


def collect(task: Task[Span], n: int, engine: str, store: Path | None = None) -> list[bytes]:
    with run_map(task, shards(n, 10), engine=ENGINES.make(engine), store=store) as results:
        return list(results)


@pytest.mark.parametrize("store", [False, True])
def test_same_bytes_for_any_number_of_workers(tmp_path: Path, store: bool) -> None:
    expected = [b"".join(hashlib.sha256(str(i).encode()).digest() for i in range(k, k + 10)) for k in range(0, 200, 10)]
    for engine in ("here", "processes:1", "processes:2", "processes:7"):
        folder = tmp_path / engine.replace(":", "-") if store else None
        assert collect(engine_tasks.digests(), 200, engine, folder) == expected


def test_same_float_bytes_for_any_number_of_workers() -> None:
    task = Task("test.product", 1, engine_tasks.product)
    first = collect(task, 60, "here")
    assert len(b"".join(first)) == 60 * 700 * 4
    for engine in ("processes:1", "processes:2", "processes:7"):
        assert collect(task, 60, engine) == first


@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_libraries_have_one_thread(engine: str) -> None:
    assert collect(Task("test.threads", 1, engine_tasks.threads), 20, engine) == [b"1 1"] * 2


def test_threads_are_as_before_afterwards() -> None:
    import numpy  # noqa: F401 - loads the library that has threads
    import threadpoolctl

    with threadpoolctl.threadpool_limits(2):
        before = threadpoolctl.threadpool_info()
        collect(Task("test.threads", 1, engine_tasks.threads), 10, "here")
        after = {pool["filepath"]: pool["num_threads"] for pool in threadpoolctl.threadpool_info()}
    assert before
    assert all(after[pool["filepath"]] == pool["num_threads"] for pool in before)


@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_no_shard_prepares_nothing(tmp_path: Path, engine: str) -> None:
    assert collect(faulty("prepare"), 0, engine) == []
    assert collect(faulty("prepare"), 0, engine, tmp_path) == []


@pytest.mark.parametrize("engine", ["here", "processes:7"])
def test_one_shard(tmp_path: Path, engine: str) -> None:
    assert collect(faulty(""), 3, engine, tmp_path) == [b"x"]


def test_equal_shards_are_computed_once(tmp_path: Path) -> None:
    side = tmp_path / "side"
    with run_map(engine_tasks.digests(side), [Span(0, 2)] * 3, engine=Here(), store=tmp_path / "s") as results:
        assert len(set(results)) == 1
    assert side.read_text() == "0\n"


def test_progress_counts_every_shard() -> None:
    seen: list[tuple[int, int]] = []
    with run_map(faulty(""), shards(25, 10), engine=Here(), progress=lambda *told: seen.append(told)) as results:
        assert seen == [(0, 3)]
        assert list(results) == [b"x"] * 3
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("store", [False, True])
@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_a_fault_of_ours_names_the_shard_and_the_error(tmp_path: Path, engine: str, store: bool) -> None:
    with pytest.raises(ShardError) as caught:
        collect(faulty("bug"), 100, engine, tmp_path if store else None)
    assert str(caught.value) == "shard 4 of 10 (items 30 to 39): ZeroDivisionError: no such ratio"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    if store:
        assert len(list(tmp_path.glob("*/[!.]*.shard"))) >= 3


@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_a_fault_of_the_user_passes_unchanged(engine: str) -> None:
    with pytest.raises(InputError, match=r"^games\.json: game 7, field `status`: found 'won'") as caught:
        collect(faulty("user"), 100, engine)
    assert caught.value.problems[0].field == "status"
    with pytest.raises(InputError, match=r"^table\.npz"):
        collect(faulty("prepare"), 100, engine)


def test_errors_that_cannot_be_sent_are_still_told() -> None:
    with pytest.raises(VoirDireError, match=r'pip install "voirdire\[spacy\]"'):
        collect(faulty("extra"), 100, "processes:1")
    with pytest.raises(ShardError, match="Local: cannot be pickled"):
        collect(faulty("local"), 100, "processes:1")


@pytest.mark.parametrize("engine", ["here", "processes:1"])
def test_a_task_cannot_end_the_program(engine: str) -> None:
    with pytest.raises(ShardError, match="SystemExit: 0"):
        collect(faulty("exit"), 100, engine)


@pytest.mark.parametrize("engine", ["processes:1", "processes:2"])
def test_a_shard_that_always_kills_its_worker_is_named_and_the_rest_is_done(tmp_path: Path, engine: str) -> None:
    said = rf"^shard 4 of 10 \(items 30 to 39\): its worker ended without an answer 4 times: .*again.*{engine}"
    with pytest.raises(WorkerLost, match=said):
        collect(faulty("killed"), 100, engine, tmp_path)
    assert multiprocessing.active_children() == []
    assert len(list(tmp_path.glob("*/[!.]*.shard"))) == 9
    assert not list(tmp_path.glob("*/.*.partial.*"))


@pytest.mark.parametrize("engine", ["processes:1", "processes:3"])
@pytest.mark.parametrize("store", [False, True])
def test_lost_workers_are_replaced_and_their_shards_done(tmp_path: Path, engine: str, store: bool) -> None:
    """Shards 2, 5 and 8 kill their worker the first two times that they are tried."""
    task = Task("test.mortal", 1, functools.partial(engine_tasks.mortal, str(tmp_path), 2))
    assert collect(task, 100, engine, tmp_path / "s" if store else None) == [b"%d" % k for k in range(0, 100, 10)]
    assert {one.name: len(one.read_text()) for one in tmp_path.glob("tried-*")} == {
        f"tried-{k}": 3 for k in (10, 40, 70)
    }


def test_several_failed_shards_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(ShardError) as caught:
        collect(Task("test.odd", 1, engine_tasks.odd), 60, "here", tmp_path)
    assert str(caught.value).splitlines() == [
        "3 shards failed; what was finished is kept.",
        "  shard 2 of 6 (items 10 to 19): ValueError: odd",
        "  shard 4 of 6 (items 30 to 39): ValueError: odd",
        "  shard 6 of 6 (items 50 to 59): ValueError: odd",
    ]
    assert len(list(tmp_path.glob("*/[!.]*.shard"))) == 3


def test_where_all_fails_it_is_given_up(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    task = Task("test.odd", 1, engine_tasks.odd)
    with (
        pytest.raises(ShardError, match=r"^10 shards failed; .* After 10 the others were not tried"),
        run_map(
            task, [Span(10, 11)] * 30, engine=Here(), store=tmp_path, progress=lambda *told: seen.append(told)
        ) as r,
    ):
        list(r)
    assert seen == [(0, 30)]


def test_a_failed_shard_is_named_with_its_first_record() -> None:
    task = Task("test.odd", 1, engine_tasks.odd, first=lambda span: f"question {span.start}")
    with pytest.raises(
        ShardError, match=r"^shard 2 of 2 \(items 10 to 19; the first is question 10\): ValueError: odd$"
    ):
        collect(task, 20, "here")


@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_leaving_early_stops_everything(tmp_path: Path, engine: str) -> None:
    with run_map(faulty("slow"), shards(100, 10), engine=ENGINES.make(engine), store=tmp_path) as results:
        # Another shard sleeps for ten minutes; the end of the block does not wait for it.
        assert next(results) == b"x"
    assert multiprocessing.active_children() == []


def test_ctrl_c_while_an_item_is_handed_over_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    hand_over = Crew.submit

    def interrupted(*arguments: Any) -> None:
        hand_over(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(Crew, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt), Processes(1).opened(faulty("slow").prepare) as crew:
        crew.submit(Span(30, 40))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("started", [False, True])
def test_ctrl_c_while_the_thread_of_the_workers_starts(started: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if started:
            start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), Processes(1).opened(faulty("slow").prepare) as crew:
        crew.submit(Span(30, 40))
    assert multiprocessing.active_children() == []


def test_an_idle_worker_that_is_killed_is_replaced() -> None:
    with Processes(2).opened(engine_tasks.digests().prepare) as crew:
        for turn in range(5):
            crew.submit(Span(0, 10))
            number, outcome = crew.next()
            assert (number, len(outcome.get())) == (turn, 320)
            for process in multiprocessing.active_children():
                process.kill()


def test_a_lost_worker_takes_nobody_with_it(tmp_path: Path) -> None:
    """One of three is killed in the middle; the two beside it are not begun again, and it is done when they are."""
    with Processes(3).opened(engine_tasks.digests(tmp_path / "side", pause=1.0).prepare) as crew:
        for span in shards(30, 10):
            crew.submit(span)
        while not (tmp_path / "side").exists() or len((tmp_path / "side").read_text().split()) < 3:
            time.sleep(0.01)
        multiprocessing.active_children()[0].kill()
        ended = [crew.next()[0] for _ in range(3)]
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


def test_engines_by_name() -> None:
    assert ENGINES.make("here") == Here()
    assert ENGINES.make("processes:3") == Processes(3)
    assert ENGINES.make("processes").workers >= 1  # type: ignore[attr-defined]
    for spec in ("processes:0", "processes:two", "processes:-1", "processes:", "here:1", "cluster"):
        with pytest.raises(UsageError):
            ENGINES.make(spec)


def test_another_engine_needs_the_protocol_only(tmp_path: Path) -> None:
    class Eager:
        @contextlib.contextmanager
        def map(self, prepare: Callable, items: Iterable) -> Iterator[Iterator]:
            function = prepare()
            yield iter([function(item) for item in items])

    with run_map(engine_tasks.digests(), shards(50, 10), engine=Eager(), store=tmp_path) as results:
        assert list(results) == collect(engine_tasks.digests(), 50, "here")


@pytest.mark.parametrize(
    ("engine", "fault"), [("here", "memory"), ("here", "torch"), ("processes:1", "memory"), ("processes:1", "torch")]
)
def test_too_little_memory_names_the_shard_and_the_way_out(engine: str, fault: str) -> None:
    said = r"^shard 4 of 10 \(items 30 to 39\): not enough memory \(.* allocate .*\)\..* Call again with fewer workers"
    with pytest.raises(OutOfMemory, match=said):
        collect(faulty(fault), 100, engine)
