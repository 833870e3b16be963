"""`voirdire models`: from pictures and questions to features, a trained network and its answers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.formats.vqa_results import read_vqa_results
from voirdire.world.build import build_world

SCENES = 20


def models(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    called = [sys.executable, "-m", "voirdire", "models", *map(str, words)]
    return subprocess.run(called, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "world"
    build_world(folder, SCENES, 3, pictures=True)
    return folder


def test_networks_are_listed() -> None:
    listed = models("list")
    assert listed.returncode == 0
    assert "mutan-att" in listed.stdout
    networks = json.loads(models("list", "--json").stdout)["networks"]
    assert networks["question-only"]["features"] == "none"


@pytest.mark.slow
def test_from_pictures_to_answers(world: Path, tmp_path: Path) -> None:
    made = models("features", "--pictures", world, "--layout", "global", "-o", tmp_path / "f.h5")
    assert f"features of {SCENES} pictures ({SCENES} made now), {SCENES} × 96" in made.stdout, made.stderr
    files = ("--questions", world / "vqa_train_questions.json", "--annotations", world / "vqa_train_annotations.json")
    small = ("--preset", "small", "--epochs", "1")
    trained = models("train", "mutan", *files, "--features", tmp_path / "f.h5", *small, "-o", tmp_path / "n.npz")
    assert "epoch 1: error" in trained.stdout, trained.stderr
    asked = world / "vqa_val_questions.json"
    call = ("answer", tmp_path / "n.npz", "--features", tmp_path / "f.h5", "-o", tmp_path / "r.json")
    answered = models(*call, "--questions", asked)
    assert "answers to" in answered.stdout, answered.stderr
    count = len(json.loads(asked.read_text())["questions"])
    assert len(read_vqa_results(tmp_path / "r.json")) == count > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("features", "--pictures", "nowhere", "-o", "f.h5"), "nowhere: found nothing"),
        (("train", "vilt", "--questions", "q", "--annotations", "a", "-o", "n.npz"), "there is no network 'vilt'"),
        (("train", "lqi", "--questions", "q", "--annotations", "a", "-o", "n.npz"), "--features must be given"),
        (("answer", "n.npz", "--questions", "q", "-o", "r.json"), "n.npz"),
    ],
)
def test_faults_are_one_line(words: tuple[str, ...], message: str) -> None:
    called = models(*words)
    assert called.returncode == 2
    assert message in called.stderr
    assert "Traceback" not in called.stderr
    assert len(called.stderr.strip().splitlines()) <= 2
