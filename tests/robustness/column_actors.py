"""What is checked of parts on a Ray cluster, given its address.

    python column_actors.py FOLDER        starts a small cluster, and prints which checks hold, as JSON

Run it where nothing but the loopback is there: Ray takes the machine's outer address where it finds one.
"""

import contextlib
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from lasso_cases import sentence_like

from voirdire.engine import WorkerLost
from voirdire.errors import UsageError
from voirdire.robustness.lasso import Dictionary, Solution, actors, solve_lasso
from voirdire.robustness.lasso.actors import ActorParts, part_actors
from voirdire.robustness.lasso.layout import ColumnLayout, lay_out

CHECKS = ("same_bits", "lost_parts", "unseen_folder", "whole_ranking", "no_room")
PENALTY = 1e-3


def connected(address: str) -> None:
    import ray

    ray.init(address, ignore_reinit_error=True, log_to_driver=False, logging_level="CRITICAL")


def vectors() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return sentence_like(rng, 6000, 32), sentence_like(rng, 20, 32)


def layout_of(folder: Path, rows: np.ndarray) -> ColumnLayout:
    return lay_out(folder, lambda: [rows[:2500], rows[2500:]], rows.shape[1])


def bits(found: list[Solution]) -> list[tuple[list[int], list[float], float]]:
    return [(one.columns.tolist(), one.coefficients.tolist(), one.gap) for one in found]


def on_parts(parts: ActorParts, call: Callable) -> list:
    """What a function says in the process of each part."""
    import ray

    return ray.get([ray.get_actor(name).__ray_call__.remote(call) for name in parts.names])


def check_same_bits(address: str, folder: Path) -> None:
    """Five parts give what one memory gives, from more than one node, with a gap of 1e-8 at most."""
    connected(address)
    import ray

    rows, main = vectors()
    whole = bits(solve_lasso(Dictionary.of(rows), main, PENALTY))
    assert max(gap for *_, gap in whole) <= 1e-8
    with part_actors(layout_of(folder / "plain", rows), 5) as parts:
        assert bits(solve_lasso(parts(), main, PENALTY)) == whole
        nodes = on_parts(parts, lambda _: __import__("ray").get_runtime_context().get_node_id())
        held = on_parts(parts, lambda part: len(part._part.single))
    assert len(held) == 5
    assert sum(held) == len(rows)
    assert len(set(nodes)) > 1 or len(ray.nodes()) == 1


def check_lost_parts(address: str, folder: Path) -> None:
    """A part that is killed in the middle is started again; one that is killed for ever is told of."""
    connected(address)
    rows, main = vectors()
    whole = bits(solve_lasso(Dictionary.of(rows), main, PENALTY))
    # Once instead of three times: every start of an actor takes seconds.
    with mock.patch.object(actors, "TRIES", 1), part_actors(layout_of(folder / "lost", rows), 2) as parts:
        asked = []
        plain = ActorParts.ask

        def ask(self: ActorParts, work: str, requests: list) -> list:
            asked.append(work)
            if len(asked) == 4:
                kill(parts)
            return plain(self, work, requests)

        columns = parts()
        with mock.patch.object(ActorParts, "ask", ask):
            assert bits(solve_lasso(columns, main, PENALTY)) == whole
        assert len(asked) > 4
        kill(parts)
        with pytest.raises(WorkerLost, match=r"a part of the pool was lost .* started again 1 time in vain"):
            solve_lasso(columns, main, PENALTY)


def kill(parts: ActorParts) -> None:
    """End the process of the last part, as the system does where memory is short."""
    os.kill(on_parts(parts, lambda _: __import__("os").getpid())[-1], signal.SIGKILL)


def check_unseen_folder(address: str, folder: Path) -> None:
    """Parts on nodes that do not see the folder are given their columns by pieces, whatever is there for them."""
    connected(address)
    rng = np.random.default_rng(1)
    # Whole numbers, so that the columns lie in a range of 12 dimensions exactly and are rotated.
    rows = (rng.integers(-9, 10, (4000, 12)) @ rng.integers(-2, 3, (12, 30))).astype(np.float32)
    main = rows[:5] + rng.normal(size=(5, 30))
    layout = layout_of(folder / "rotated", rows)
    with (
        mock.patch.object(ColumnLayout, "seals", return_value={"original": b"another"}),
        part_actors(layout, 2) as parts,
    ):
        found = solve_lasso(parts(), main, PENALTY)
        sources = on_parts(parts, lambda part: part._part.exact.base is None and str(part._part.exact.dtype))
    assert bits(found) == bits(solve_lasso(Dictionary.of(rows), main, PENALTY))
    assert sources == ["float64"] * 2


class Tasks:
    """An engine whose workers are Ray's tasks."""

    def __init__(self, address: str) -> None:
        self.address = address

    def connect(self) -> None:
        connected(self.address)

    @contextlib.contextmanager
    def map(self, prepare: Callable, items: Iterator) -> Iterator[Iterator]:
        import ray

        def work(box: list, item: object) -> object:
            from voirdire.engine.threads import OneThread

            return OneThread(ray.get(box[0]))(item)

        box, task = [ray.put(prepare)], ray.remote(work)
        yield (ray.get(task.remote(box, item)) for item in items)


def check_whole_ranking(address: str, folder: Path) -> None:
    """`robustness rank` writes the same bytes with parts on a cluster as with a whole pool here."""
    from voirdire.engine import Here
    from voirdire.formats.vqa_questions import VqaQuestions
    from voirdire.robustness.exam import RankQuestionsOptions
    from voirdire.robustness.pool import make_pool
    from voirdire.robustness.ranking.rank import rank_questions

    texts = [f"Is number {i} large?" for i in range(5000)]
    table = dict(zip(texts, sentence_like(np.random.default_rng(2), len(texts), 24), strict=True))

    class Table:
        name, signature, dimension = "table", "0" * 64, 24

        def encode(self, asked: list[str]) -> np.ndarray:
            return np.array([table[text] for text in asked])

    def records(some: list[str], first: int) -> VqaQuestions:
        ids = np.arange(first, first + len(some))
        return VqaQuestions(ids, ids, some, [""] * len(some))

    main, pool = records(texts[4900:], 1), make_pool([records(texts, 10_000)])
    made = []
    for number, engine in enumerate((Here(), Tasks(address))):
        out = folder / str(number) / "r.parquet"
        out.parent.mkdir()
        options = RankQuestionsOptions(lam=1e-3, pool_parts=1 + number)
        ranked = rank_questions(main, pool, out, options, Table(), engine=engine)
        assert ranked.certified == ranked.texts == 100
        made.append({path.name: path.read_bytes() for path in out.parent.iterdir()})
    assert made[0] == made[1]
    assert len(made[0]) == 3


def check_no_room(address: str, folder: Path) -> None:
    """A part that no node can hold is told of in time."""
    connected(address)
    layout = layout_of(folder / "room", vectors()[0])
    huge = {"original": np.broadcast_to(np.float32(0), (10**13,))}
    told = "2 of 2 parts of the pool found no node with 40000.0 GB of free memory within 1 s. Cut it into more parts"
    with (
        mock.patch.object(ColumnLayout, "rows", return_value=huge),
        mock.patch.object(actors, "PLACED", 1.0),
        pytest.raises(UsageError, match=told),
        part_actors(layout, 2),
    ):
        pass


def main(folder: Path, files: str) -> dict[str, str]:
    """Which checks fail, and why, on a cluster of three nodes that is started here."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Clusters write their address to this folder; its name must be short, as those of sockets are.
    os.environ["RAY_TMPDIR"] = files
    # Workers import what lies beside this file.
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    from ray.cluster_utils import Cluster

    room = {"object_store_memory": 100 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **room})
    for _ in range(2):
        cluster.add_node(num_cpus=1, **room)
    failed = {}
    for name in CHECKS:
        start = time.perf_counter()
        try:
            own = folder / name
            own.mkdir()
            globals()[f"check_{name}"](cluster.address, own)
        except BaseException:
            failed[name] = traceback.format_exc()
        print(f"{name}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return failed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as own:
        print(json.dumps(main(Path(sys.argv[1]), own)), flush=True)
    os._exit(0)  # The cluster ends with its processes' namespace.
