"""The map itself: same bytes everywhere, faults that say where they happened."""

import functools
import hashlib
import multiprocessing
from pathlib import Path

import engine_tasks
import pytest
from engine_tasks import collect, faulty_task

from voirdire.engine import ENGINES, Here, ShardError, Span, Task, WorkerLost, run_map, shards
from voirdire.errors import InputError, OutOfMemory, VoirDireError

pytestmark = pytest.mark.slow


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
def test_no_shard_prepares_nothing(tmp_path: Path, engine: str) -> None:
    assert collect(faulty_task("prepare"), 0, engine) == []
    assert collect(faulty_task("prepare"), 0, engine, tmp_path) == []


@pytest.mark.parametrize("engine", ["here", "processes:7"])
def test_one_shard(tmp_path: Path, engine: str) -> None:
    assert collect(faulty_task(""), 3, engine, tmp_path) == [b"x"]


def test_equal_shards_are_computed_once(tmp_path: Path) -> None:
    side = tmp_path / "side"
    with run_map(engine_tasks.digests(side), [Span(0, 2)] * 3, engine=Here(), store=tmp_path / "s") as results:
        assert len(set(results)) == 1
    assert side.read_text() == "0\n"


def test_progress_counts_every_shard() -> None:
    seen: list[tuple[int, int]] = []
    with run_map(faulty_task(""), shards(25, 10), engine=Here(), progress=lambda *told: seen.append(told)) as results:
        assert seen == [(0, 3)]
        assert list(results) == [b"x"] * 3
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("store", [False, True])
@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_a_fault_of_ours_names_the_shard_and_the_error(tmp_path: Path, engine: str, store: bool) -> None:
    with pytest.raises(ShardError) as caught:
        collect(faulty_task("bug"), 100, engine, tmp_path if store else None)
    assert str(caught.value) == "shard 4 of 10 (items 30 to 39): ZeroDivisionError: no such ratio"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    if store:
        assert len(list(tmp_path.glob("*/[!.]*.shard"))) >= 3


@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_a_fault_of_the_user_passes_unchanged(engine: str) -> None:
    with pytest.raises(InputError, match=r"^games\.json: game 7, field `status`: found 'won'") as caught:
        collect(faulty_task("user"), 100, engine)
    assert caught.value.problems[0].field == "status"
    with pytest.raises(InputError, match=r"^table\.npz"):
        collect(faulty_task("prepare"), 100, engine)


def test_errors_that_cannot_be_sent_are_still_told() -> None:
    with pytest.raises(VoirDireError, match=r'pip install "spacy>='):
        collect(faulty_task("extra"), 100, "processes:1")
    with pytest.raises(ShardError, match="Local: cannot be pickled"):
        collect(faulty_task("local"), 100, "processes:1")


@pytest.mark.parametrize("engine", ["here", "processes:1"])
def test_a_task_cannot_end_the_program(engine: str) -> None:
    with pytest.raises(ShardError, match="SystemExit: 0"):
        collect(faulty_task("exit"), 100, engine)


@pytest.mark.parametrize("engine", ["processes:1", "processes:2"])
def test_a_shard_that_always_kills_its_worker_is_named_and_the_rest_is_done(tmp_path: Path, engine: str) -> None:
    message = rf"^shard 4 of 10 \(items 30 to 39\): its worker ended without an answer 4 times: .*again.*{engine}"
    with pytest.raises(WorkerLost, match=message):
        collect(faulty_task("killed"), 100, engine, tmp_path)
    assert multiprocessing.active_children() == []
    assert len(list(tmp_path.glob("*/[!.]*.shard"))) == 9
    assert not list(tmp_path.glob("*/.*.partial.*"))


@pytest.mark.parametrize("engine", ["processes:1", "processes:3"])
@pytest.mark.parametrize("store", [False, True])
def test_lost_workers_are_replaced_and_their_shards_done(tmp_path: Path, engine: str, store: bool) -> None:
    """Shards 2, 5 and 8 kill their worker the first two times that they are tried."""
    task = Task("test.mortal", 1, functools.partial(engine_tasks.mortal, str(tmp_path), 2))
    assert collect(task, 100, engine, tmp_path / "s" if store else None) == [b"%d" % k for k in range(0, 100, 10)]
    assert {path.name: len(path.read_text()) for path in tmp_path.glob("tried-*")} == {
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
    with run_map(faulty_task("slow"), shards(100, 10), engine=ENGINES.make(engine), store=tmp_path) as results:
        # Another shard sleeps for ten minutes; the end of the block does not wait for it.
        assert next(results) == b"x"
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    ("engine", "fault"), [("here", "memory"), ("here", "torch"), ("processes:1", "memory"), ("processes:1", "torch")]
)
def test_too_little_memory_names_the_shard_and_the_way_out(engine: str, fault: str) -> None:
    message = (
        r"^shard 4 of 10 \(items 30 to 39\): not enough memory \(.* allocate .*\)\..* Call again with fewer workers"
    )
    with pytest.raises(OutOfMemory, match=message):
        collect(faulty_task(fault), 100, engine)
