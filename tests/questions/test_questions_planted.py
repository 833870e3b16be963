"""Planted flaws show: who repeats itself asks less effectively, and who confirms refers at the end."""

from random import Random

import numpy as np
import polars as pl
import pytest

from voirdire.formats.files import write_lines
from voirdire.questions.oracles import make_oracle
from voirdire.questions.score import score_questions
from voirdire.runs import Run
from voirdire.stats import paired_bootstrap, paired_permutation
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import make_game
from voirdire.world.witnesses import make_questioner, play

GAMES = 150
P = 0.01


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The exam of each questioning witness on the same games, with the scenes as the oracle."""
    scenes = [make_scene(41, index) for index in range(GAMES)]
    path = tmp_path_factory.mktemp("world") / "scenes.jsonl"
    write_lines(scenes, path)
    games = [make_game(scene, Random(f"planted/{scene.id}")) for scene in scenes]
    oracle = make_oracle(f"scenes:{path}")
    results = {}
    for name in ("keen", "random", "repetitive", "confirming"):
        played = play(make_questioner(name, 5), games, {scene.id: scene for scene in scenes}, 5)
        results[name] = score_questions(played, oracle)
    return results


def by_game(run: Run, column: str) -> np.ndarray:
    """A game's figure, which stands in the row of its last question, in the order of the games."""
    last = run.items.filter(pl.col("last"))
    assert last["game_id"].to_list() == sorted(last["game_id"])
    return last[column].cast(pl.Float64).to_numpy()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "better", "worse"),
    [
        ("effectiveness", "keen", "random"),
        ("effectiveness", "random", "repetitive"),
        ("referring", "confirming", "keen"),
    ],
)
def test_the_order_is_as_planted(runs: dict[str, Run], column: str, better: str, worse: str) -> None:
    first, second = by_game(runs[better], column), by_game(runs[worse], column)
    assert len(first) == len(second) == GAMES
    for test in (paired_permutation, paired_bootstrap):
        found = test(first, second, seed=1)
        assert found.difference is not None
        assert found.difference > 0.05
        assert found.p is not None
        assert found.p < P


def test_keen_never_asks_in_vain(runs: dict[str, Run]) -> None:
    assert runs["keen"].measures["effectiveness"].value == 1
    assert (runs["confirming"].measures["effectiveness"].value or 1) < 1
    assert runs["confirming"].measures["last_effective"].value < runs["keen"].measures["last_effective"].value


def test_confirming_pays_nothing_in_success(runs: dict[str, Run]) -> None:
    """The question more tells it nothing: it finds as many targets as keen does."""
    assert runs["confirming"].measures["task_success"].value == runs["keen"].measures["task_success"].value
