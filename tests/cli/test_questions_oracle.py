"""`voirdire questions train-oracle`, `oracle-accuracy` and `score --confusion` as they are called, and bad input."""

import json
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UsageError, VoirDireError
from voirdire.formats.guesswhat import Game, write_games
from voirdire.questions.trained_oracle.model_oracle import read_oracle
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import make_game

pytestmark = pytest.mark.slow


def made(first: int, last: int) -> list[Game]:
    scenes = [make_scene(3, index) for index in range(first, last)]
    return [make_game(scene, Random(scene.id)) for scene in scenes]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("oracle")
    write_games(made(0, 20), path / "train.jsonl")
    write_games(made(20, 30), path / "valid.jsonl")
    options = ["--valid", str(path / "valid.jsonl"), "--epochs", "2", "--rate", "0.001"]
    done = call("train-oracle", "--games", path / "train.jsonl", "-o", path / "oracle.npz", *options)
    assert "learnt from" in done
    assert "epoch 2: error" in done
    assert "on validation games" in done
    return path


def call(*words: object) -> str:
    done = CliRunner().invoke(app, ["questions", *map(str, words)], catch_exceptions=True)
    if isinstance(done.exception, VoirDireError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_oracle_is_written_and_its_state_gone(folder: Path) -> None:
    oracle = read_oracle(folder / "oracle.npz")
    assert oracle.options.lstm == 512
    assert set(oracle.data) == {"games", "valid"}
    assert len(oracle.history) == 2
    assert not (folder / "oracle.npz.training").exists()


def test_several_files_are_learnt_from_and_the_same_call_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    files = ["--games", folder / "train.jsonl", "--games", folder / "valid.jsonl"]
    for name in ("a.npz", "b.npz"):
        call("train-oracle", *files, "-o", tmp_path / name, "--epochs", 1, "--batch", 32, "--min-count", 1)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    both = read_oracle(tmp_path / "a.npz")
    assert set(both.data) == {"games", "games 2"}
    assert both.examples > read_oracle(folder / "oracle.npz").examples


def test_accuracy_and_correction(folder: Path, tmp_path: Path) -> None:
    model, games = f"model:{folder / 'oracle.npz'}", folder / "valid.jsonl"
    found = json.loads(call("oracle-accuracy", "--games", games, "--oracle", model, "--json", "-o", tmp_path / "run"))
    measures = found["measures"]
    assert found["exam"] == "questions"
    assert 0 < measures["accuracy"]["value"] <= 1
    assert measures["accuracy"]["low"] <= measures["accuracy"]["value"] <= measures["accuracy"]["high"]
    confusion = {name: figure["value"] for name, figure in measures.items() if name.startswith("confusion")}
    assert sum(confusion.values()) == pytest.approx(1)
    right = sum(value for name, value in confusion.items() if len(set(name[10:-1].split(" as "))) == 1)
    assert right == pytest.approx(measures["accuracy"]["value"])
    scored = json.loads(call("score", "--games", games, "--oracle", model, "--confusion", tmp_path / "run", "--json"))[
        "measures"
    ]
    plain = json.loads(call("score", "--games", games, "--oracle", model, "--json"))["measures"]
    assert scored.pop("effectiveness_corrected")["low"] is not None
    assert scored == plain
    assert "accuracy[object]" in call("oracle-accuracy", "--games", games, "--oracle", model)


def test_a_table_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("gid,pos,question_id,human,us\n1,0,5,<yes>,<yes>\n1,1,6,<no>,<yes>\n2,0,7,<n/a>,<no>\n")
    found = json.loads(call("oracle-accuracy", "--answers", path, "--json"))["measures"]
    assert found["agreement[us]"]["value"] == pytest.approx(1 / 3)
    assert json.loads(call("agreement", "--answers", path, "--json"))["measures"] == found
    assert "agreement@2[us]" in call("agreement", "--answers", path)
    with pytest.raises(UsageError, match="--answers goes alone"):
        call("oracle-accuracy", "--answers", path, "--oracle", "scenes:x")


def test_what_cannot_be_done_is_said_before_any_work(folder: Path, tmp_path: Path) -> None:
    games = folder / "train.jsonl"
    with pytest.raises(UsageError, match=r"--rate must be above 0, got 0\.0"):
        call("train-oracle", "--games", games, "-o", tmp_path / "x.npz", "--rate", 0)
    with pytest.raises(VoirDireError, match="it is a folder"):
        call("train-oracle", "--games", games, "-o", tmp_path)
    with pytest.raises(UsageError, match="no such file"):
        call("train-oracle", "--games", tmp_path / "none.jsonl", "-o", tmp_path / "x.npz")
    with pytest.raises(UsageError, match="give --games and --oracle"):
        call("oracle-accuracy", "--games", games)
    with pytest.raises(UsageError, match="train-oracle"):
        call("oracle-accuracy", "--games", games, "--oracle", f"model:{games}")
    with pytest.raises(UsageError, match="a run's folder"):
        call("score", "--games", games, "--oracle", "model:none", "--confusion", tmp_path / "none")


def test_games_of_which_none_was_won(tmp_path: Path) -> None:
    lost = [type(game)(game.id, game.image, game.objects, game.target_id, game.qas, "failure") for game in made(0, 3)]
    write_games(lost, tmp_path / "lost.jsonl")
    with pytest.raises(UsageError, match="no question in a game that was won, in 3 games"):
        call("train-oracle", "--games", tmp_path / "lost.jsonl", "-o", tmp_path / "x.npz")
    write_games(lost[:1], tmp_path / "lost.jsonl")
    with pytest.raises(UsageError, match="in 1 game, expected at least one"):
        call("train-oracle", "--games", tmp_path / "lost.jsonl", "-o", tmp_path / "x.npz")


def test_a_cut_game_file_and_crops_without_an_object(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00\x00")
    with pytest.raises(UsageError, match="damaged gzip"):
        call("train-oracle", "--games", tmp_path / "cut.jsonl.gz", "-o", tmp_path / "x.npz")
    np.savez(tmp_path / "crops.npz", object_ids=np.array([5]), features=np.zeros((1, 2)))
    with pytest.raises(UsageError, match=r"crops\.npz: (.|\n)*nothing, expected a row for this object"):
        call(
            *("train-oracle", "--games", folder / "train.jsonl", "-o", tmp_path / "x.npz"),
            *("--crops", tmp_path / "crops.npz"),
        )


def test_help_loads_nothing_heavy() -> None:
    import subprocess

    code = (
        "import sys\nsys.argv = ['voirdire', 'questions', 'train-oracle', '--help']\n"
        "from voirdire.cli.main import run\n"
        "try:\n    run()\nfinally:\n    print(sorted({'torch', 'numpy', 'polars'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"
