"""Refused items and models that cannot take an exam: no exam is lost for them, through the whole command."""

import itertools
import sys
from pathlib import Path
from typing import Any

import pytest
from scripted import Answer, chat, serving
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parent.parent / "hostile"))

import servers

from voirdire.cli.main import app
from voirdire.exam import read_run
from voirdire.live.model import MODELS, LiveModel, Reply, Task

pytestmark = pytest.mark.slow
FILTERED = Answer(b'{"error": {"message": "content management policy", "code": "content_filter"}}', 400)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return servers.make_world(tmp_path_factory.mktemp("world"), 24)


def refusing(share: int) -> Any:
    """A server that filters one request of so many."""
    requests = itertools.count()

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        if body is None:
            return Answer()
        return FILTERED if next(requests) % share == 1 else chat("yes")

    return say


def test_a_model_that_refuses_too_much_costs_no_other_model_its_exam(world: Path, tmp_path: Path) -> None:
    questions, annotations = world / "vqa_train_questions.json", world / "vqa_train_annotations.json"
    with serving(refusing(2)) as strict, serving(refusing(40)) as mild:
        config = tmp_path / "exam.yaml"
        config.write_text(
            f"output: {tmp_path / 'out'}\n"
            f"data:\n  robustness: {{questions: {questions}, annotations: {annotations}}}\n"
            "models:\n"
            f"  strict: {{model: 'openai:m@{strict.url}', show: nothing, connections: 2}}\n"
            f"  mild: {{model: 'openai:m@{mild.url}', show: nothing}}\n"
        )
        done = CliRunner().invoke(app, ["exam", "--config", str(config)])
    assert done.exit_code == 2, done.output + done.stderr
    assert "strict: ask robustness score, robustness-score" in done.stderr
    assert "refused 20 of" in done.stderr
    assert "more than the 5% of" in done.stderr
    run = read_run(tmp_path / "out" / "runs" / "mild" / "robustness-accuracy")
    refused = next(line for line in run.warnings if line.startswith("Refused, and scored as missing answers"))
    assert "content filter" in refused
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert refused in page
    assert not (tmp_path / "out" / "runs" / "strict").exists()


class Mute(LiveModel):
    """Answers, and can do nothing else."""

    name = "mute"
    skills = frozenset({"answer"})

    @property
    def identity(self) -> dict[str, str]:
        return {"model": "mute"}

    async def reply(self, task: Task, pictures: Any = ()) -> Reply:
        return Reply("yes")


def test_a_model_that_cannot_judge_takes_the_other_exams(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS._factories, "mute", lambda argument: lambda options: Mute())
    words = ["ask", "all", "--model", "mute:", "--data", str(world), "--show", "words", "--limit", "2"]
    done = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.stderr
    assert "scorekeeping is not taken: the model cannot give states, the model cannot judge" in done.stderr
    folders = (path.name for path in (tmp_path / "out" / "runs" / "mute").iterdir() if path.is_dir())
    assert sorted(folders) == ["answers", "robustness"]
    assert (tmp_path / "out" / "report.html").is_file()
