"""Parts of a dictionary as actors of a Ray cluster; `test_engine_ray.py` runs them in a network namespace."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from lasso_cases import sentence_like
from ray_nodes import NODE

from voirdire.engine import ENGINES, Here, WorkerLost
from voirdire.errors import UsageError
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.robustness.lasso import Dictionary, Solution, solve_lasso
from voirdire.robustness.lasso import layout as actors
from voirdire.robustness.lasso.layout import ActorParts, ColumnLayout, lay_out, part_actors

PENALTY = 1e-3


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


def test_same_bits(name: str, tmp_path: Path) -> None:
    """Five parts give what one memory gives, from more than one node, with a gap of 1e-8 at most."""
    ENGINES.make(name).connect()

    rows, main = vectors()
    whole = bits(solve_lasso(Dictionary.of(rows), main, PENALTY))
    assert max(gap for *_, gap in whole) <= 1e-8
    with part_actors(layout_of(tmp_path / "plain", rows), 5) as parts:
        assert bits(solve_lasso(parts(), main, PENALTY)) == whole
        nodes = on_parts(parts, lambda _: __import__("ray").get_runtime_context().get_node_id())
        held = on_parts(parts, lambda part: len(part._part.single))
    assert len(held) == 5
    assert sum(held) == len(rows)
    assert len(set(nodes)) > 1


def test_lost_parts(name: str, tmp_path: Path) -> None:
    """A part that is killed is started again, three times; after that it is told of."""
    ENGINES.make(name).connect()
    rows, main = vectors()
    whole = bits(solve_lasso(Dictionary.of(rows), main, PENALTY))
    with part_actors(layout_of(tmp_path / "lost", rows), 2) as parts:
        asked = []
        plain = ActorParts.ask

        def ask(self: ActorParts, work: str, requests: list) -> list:
            asked.append(work)
            if len(asked) in (2, 3, 4):
                kill(parts)
            return plain(self, work, requests)

        columns = parts()
        with mock.patch.object(ActorParts, "ask", ask):
            assert bits(solve_lasso(columns, main, PENALTY)) == whole
        assert len(asked) > 4
        kill(parts)
        with pytest.raises(WorkerLost, match=r"a part of the pool was lost .* started again 3 times in vain"):
            solve_lasso(columns, main, PENALTY)


def test_a_part_that_dies_each_time(name: str, tmp_path: Path) -> None:
    """As where its columns do not fit into the memory: it is tried four times in all, and told of."""
    ENGINES.make(name).connect()
    rows, main = vectors()
    tried = tmp_path / "tried"

    class Dying(actors._PartActor):
        def screen(self, request: object) -> object:
            with tried.open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)

    with (
        mock.patch.object(actors, "_PartActor", Dying),
        part_actors(layout_of(tmp_path / "dying", rows), 1) as parts,
        pytest.raises(WorkerLost, match=r"a part of the pool was lost .* started again 3 times in vain"),
    ):
        solve_lasso(parts(), main, PENALTY)
    assert tried.read_text() == "xxxx"


def kill(parts: ActorParts) -> None:
    """End the process of the last part, as the system does where memory is short."""
    os.kill(on_parts(parts, lambda _: __import__("os").getpid())[-1], signal.SIGKILL)


def test_unseen_folder(name: str, tmp_path: Path) -> None:
    """Parts on nodes that do not see the folder are given their columns by pieces, whatever is there for them."""
    ENGINES.make(name).connect()
    rng = np.random.default_rng(1)
    # Whole numbers, so that the columns lie in a range of 12 dimensions exactly and are rotated.
    rows = (rng.integers(-9, 10, (4000, 12)) @ rng.integers(-2, 3, (12, 30))).astype(np.float32)
    main = rows[:5] + rng.normal(size=(5, 30))
    layout = layout_of(tmp_path / "rotated", rows)
    with (
        mock.patch.object(ColumnLayout, "seals", return_value={"original": b"another"}),
        part_actors(layout, 2) as parts,
    ):
        solution = solve_lasso(parts(), main, PENALTY)
        sources = on_parts(parts, lambda part: part._part.exact.base is None and str(part._part.exact.dtype))
    assert bits(solution) == bits(solve_lasso(Dictionary.of(rows), main, PENALTY))
    assert sources == ["float64"] * 2


def nodes_of_parts() -> dict[str, str]:
    """The node that each part of the pool is on at this moment."""
    import ray

    names = [one for one in ray.util.list_named_actors() if re.fullmatch(r"voirdire-columns-\w+-\d+", one)]
    where = [
        ray.get_actor(name).__ray_call__.remote(lambda _: ray.get_runtime_context().get_node_id()) for name in names
    ]
    return dict(zip(names, ray.get(where), strict=True))


class KillsNode(Stages):
    """Kills a node that holds a part of the pool when the first questions are ranked."""

    def __init__(self, node: Any) -> None:
        self.node, self.before, self.after = node, dict[str, str](), dict[str, str]()

    def __call__(self, name: str, unit: str) -> Progress:
        return self.progress if name == "rank" else silent

    def progress(self, done: int, total: int) -> None:
        if 0 < done < total and not self.before:
            self.before = nodes_of_parts()
            os.kill(self.node.all_processes["raylet"][0].process.pid, signal.SIGKILL)
        if done == total:
            self.after = nodes_of_parts()


def test_whole_ranking_with_a_lost_node(cluster: Any, name: str, tmp_path: Path) -> None:
    """`robustness rank` writes the same bytes with parts on a cluster as with a whole pool here, also where a node is
    lost that holds some of the parts: they start elsewhere."""

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

    main, pool = records(texts[-768:], 1), make_pool([records(texts, 10_000)])
    # For parts alone: every process more takes seconds to start.
    node = cluster.add_node(**{**NODE, "num_cpus": 0})
    stages, made = KillsNode(node), []
    for number, engine in enumerate((Here(), ENGINES.make(name))):
        out = tmp_path / str(number) / "r.parquet"
        out.parent.mkdir()
        options = RankQuestionsOptions(lam=1e-3, pool_parts=1 + 3 * number)
        ranked = rank_questions(main, pool, out, options, Table(), engine=engine, stages=stages if number else UNSEEN)
        assert ranked.certified == ranked.texts == 768
        made.append({path.name: path.read_bytes() for path in out.parent.iterdir()})
    cluster.remove_node(node)
    assert made[0] == made[1]
    assert len(made[0]) == 3
    assert len(stages.before) == 4
    assert node.node_id in stages.before.values()
    assert stages.after.keys() == stages.before.keys()
    assert node.node_id not in stages.after.values()


def test_no_room(name: str, tmp_path: Path) -> None:
    """A part that no node can hold is told of in time."""
    ENGINES.make(name).connect()
    layout = layout_of(tmp_path / "room", vectors()[0])
    huge = {"original": np.broadcast_to(np.float32(0), (10**13,))}
    message = "2 of 2 parts of the pool found no node with 40000.0 GB of free memory within 1 s. Cut it into more parts"
    with (
        mock.patch.object(ColumnLayout, "rows", return_value=huge),
        mock.patch.object(actors, "PLACED", 1.0),
        pytest.raises(UsageError, match=message),
        part_actors(layout, 2),
    ):
        pass
