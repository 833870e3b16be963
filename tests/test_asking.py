"""From Python: a function is asked and examined, a config is run, a misspelt option is named with the nearest."""

import inspect
from pathlib import Path

import pytest
from typer.testing import CliRunner

import voirdire
from voirdire.cli.main import app
from voirdire.errors import UsageError


def reply(messages, picture):
    return f"{len(picture)} bytes" if picture else "yes"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("asked") / "world"
    done = CliRunner().invoke(app, ["world", str(place), "--scenes", "8", "--seed", "3", "--pictures"])
    assert done.exit_code == 0
    return place


@pytest.mark.slow
def test_a_function_is_asked_and_its_session_is_run_again_from_a_config(world: Path, tmp_path: Path) -> None:
    done = voirdire.ask_model(reply, world, tmp_path / "out", exams=["answers"], name="mine", limit=2)
    assert done.report is not None
    assert not done.faults
    assert "mine" in done.verdict
    run = voirdire.read_run(tmp_path / "out" / "runs" / "mine" / "answers")
    assert any("bytes" in answers[0] for answers in run.items["answers"].to_list())
    config = tmp_path / "exam.yaml"
    written = next((tmp_path / "out").rglob("generations.json")).relative_to(tmp_path)
    files = f"{{answers: {{generations: {written}}}}}"
    config.write_text(
        f"data: {{answers: {{references: {world}/visdial_val_references_true.json}}}}\nmodels: {{mine: {files}}}\n"
        "options: {answers: {measures: [bleu], bounds: false}}\n"
    )
    again = voirdire.run_exam(config, tmp_path / "again")
    assert again.verdict.startswith("Answers: One model: no comparison: mine has BLEU")


def test_a_misspelt_option_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="there is no option `limt`; did you mean `limit`"):
        voirdire.ask_model(reply, tmp_path, tmp_path / "out", limt=3)
    with pytest.raises(TypeError, match="there is no option `limt`; did you mean `limit`"):
        voirdire.score_vqa("annotations.json", "results.json", limt=3)
    with pytest.raises(TypeError, match="there is no option `xyzzy`; there are: "):
        voirdire.score_vqa("annotations.json", "results.json", xyzzy=3)


def test_a_signature_shows_paths_and_options() -> None:
    shown = inspect.signature(voirdire.score_vqa)
    assert "str | pathlib" in str(shown.parameters["annotations"].annotation)
    assert shown.parameters["limit"].default is None
    assert shown.parameters["seed"].kind is inspect.Parameter.KEYWORD_ONLY


def test_a_lambda_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`model` must be a name, or a function"):
        voirdire.ask_model(lambda messages, picture: "yes", tmp_path, tmp_path / "out")
