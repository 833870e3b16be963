"""`voirdire world DIR`, with and without its verb, options before and after the folder."""

import json

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app


@pytest.mark.parametrize(
    "order", [["DIR", "--scenes", "4"], ["--scenes", "4", "DIR"], ["make", "DIR", "--scenes", "4"]]
)
def test_a_world_is_made(order, tmp_path):
    result = CliRunner().invoke(app, ["world", *(str(tmp_path / "w") if word == "DIR" else word for word in order)])
    assert result.exit_code == 0, result.output
    assert "4 scenes of seed 0" in result.stdout
    assert (tmp_path / "w" / "world.json").is_file()


def test_json_is_the_manifest(tmp_path):
    result = CliRunner().invoke(app, ["world", str(tmp_path), "--scenes", "5", "--seed", "7", "--text-only", "--json"])
    manifest = json.loads(result.stdout)
    assert (manifest["scenes"], manifest["seed"], manifest["text_only"]) == (5, 7, True)
    assert json.loads((tmp_path / "world.json").read_text()) == manifest


@pytest.mark.parametrize(
    "arguments", [["x", "--scenes", "1"], ["--scenes", "9"], ["x", "--seed", "-1"], ["x", "--what"]]
)
def test_wrong_calls_exit_with_2(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["world", *arguments]).exit_code == 2
    assert not list(tmp_path.iterdir())


def test_help_names_the_verbs():
    result = CliRunner().invoke(app, ["world", "--help"])
    assert result.exit_code == 0
    assert "make" in result.stdout
