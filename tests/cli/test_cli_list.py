"""`voirdire list`: the exams, and what they will do with a folder's files."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.exam import exams
from voirdire.world.build import build_world

RUNNER = CliRunner()


def test_without_a_folder_it_lists_the_four_exams() -> None:
    shown = RUNNER.invoke(app, ["list"], env={"COLUMNS": "120"}).stdout
    for exam in exams():
        assert f"voirdire {exam.name} --help" in shown
        assert f"{exam.name:<14}{exam.question}" in shown


@pytest.mark.slow
def test_a_world_gives_each_exam_its_files_and_ends_with_the_next_call(tmp_path: Path) -> None:
    build_world(tmp_path / "world", scenes=10, seed=1)
    shown = RUNNER.invoke(app, ["list", str(tmp_path / "world")], env={"COLUMNS": "120"}).stdout
    for line in (
        "visdial_val.json: VisDial dialogues with their candidate answers",
        "vqa_val_annotations.json: VQA annotations: ten people's answers per question",
        "scenes.jsonl: Who answers for every object",
        "states or model_judgements (from your model): The model's states of their dialogues",
    ):
        assert line in shown
    assert shown.endswith(f"\n  voirdire exam --world {tmp_path / 'world'} -o examined\n")


def test_other_files_end_with_a_call_that_writes_their_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_world(tmp_path / "world", scenes=10, seed=1)
    (tmp_path / "my files").mkdir()
    (tmp_path / "world" / "visdial_val.json").rename(tmp_path / "my files" / "visdial_val.json")
    name, *words = shlex.split(RUNNER.invoke(app, ["list", str(tmp_path / "my files")]).stdout.splitlines()[-1])
    assert name == "voirdire"
    monkeypatch.chdir(tmp_path)
    assert RUNNER.invoke(app, words).exit_code == 0
    assert "visdial_val.json" in Path("exam.yaml").read_text()


def test_a_file_that_is_no_data_is_passed_over_and_said(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text('{"nothing": "known"}')
    shown = RUNNER.invoke(app, ["list", str(tmp_path)])
    assert shown.exit_code == 0
    assert "passed over" in shown.stderr
    assert "odd.json" in shown.stderr


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        RUNNER.invoke(app, ["list", str(tmp_path / "none")], catch_exceptions=False)
