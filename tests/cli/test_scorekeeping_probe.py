"""`voirdire scorekeeping probe` as it is called."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parent.parent / "scorekeeping"))

from probe_dialogues import material

from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.formats.propositions import write_propositions
from voirdire.formats.states import write_states
from voirdire.runs import read_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("probe")
    for number, name in enumerate(("train", "val", "test")):
        made = material(30, number, name="train", split=name)
        write_propositions(made.propositions, folder / f"{name}.json")
        write_states(made.states, folder / f"{name}.npz")
    return folder


def call(files: Path, *more: str) -> typer.testing.Result:
    arguments = ["scorekeeping", "probe", "--encoder", "static", "--epochs", "1"]
    for flag, name in (("--propositions", "train.json"), ("--states", "train.npz")):
        if flag not in more:
            arguments += [flag, f"{files}/{name}"]
    return CliRunner().invoke(app, [*arguments, *more], catch_exceptions=False)


def test_json_is_one_object(files: Path) -> None:
    done = call(files, "--task", "PS", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["exam"] == "scorekeeping"
    assert {"accuracy@5", "accuracy", "shift_right", "shift_only_right"} <= set(found["measures"])
    assert found["measures"]["accuracy@5"]["n"] == 6 * 8
    assert any("dealt out" in warning for warning in found["warnings"])


def test_three_files_and_a_run(files: Path, tmp_path: Path) -> None:
    given = [
        *("--valid-propositions", f"{files}/val.json", "--valid-states", f"{files}/val.npz"),
        *("--test-propositions", f"{files}/test.json", "--test-states", f"{files}/test.npz"),
    ]
    out = tmp_path / "run"
    done = call(files, *given, "-o", str(out), "--task", "TFxPS")
    assert done.exit_code == 0
    assert "gold ↓ predicted →" in done.stdout
    assert "shift_only_right" in done.stdout
    assert "TFxPS, seed 0: accuracy@5 0." in done.stderr
    run = read_run(out)
    assert run.items.height == 30 * 8 * 11
    assert set(run.fingerprints) == {
        *("propositions", "states", "valid propositions", "valid states", "test propositions", "test states"),
    }
    assert not Path(f"{out}.training").exists()


def test_all_prints_the_papers_table(files: Path) -> None:
    done = call(files, "--all", "--role", "Q")
    assert done.exit_code == 0
    assert "Q  accuracy at turn 5" in done.stdout
    assert "random r" in done.stdout
    assert "permutation_p[PS, null]" in done.stdout


def test_calls_that_cannot_be() -> None:
    nowhere = Path("nowhere")
    with pytest.raises(UsageError, match="--valid-states needs --valid-propositions beside it"):
        call(nowhere, "--valid-states", "x.npz")
    with pytest.raises(UsageError, match="--test-propositions needs --test-states beside it"):
        call(nowhere, "--test-propositions", "x.json")
    with pytest.raises(UsageError, match="cannot be asked of the questioner"):
        call(nowhere, "--role", "Q", "--task", "TF")
    with pytest.raises(UsageError, match="--all asks all tasks"):
        call(nowhere, "--all", "--task", "PS")
    with pytest.raises(UsageError, match="--control must be one of random, null, got 'nil'"):
        call(nowhere, "--control", "nil")
    with pytest.raises(UsageError, match="--batches must be one of shuffled, grouped, got 'sorted'"):
        call(nowhere, "--batches", "sorted")


def test_states_of_other_dialogues_are_named(files: Path) -> None:
    other = material(10, 7)
    write_states(other.states, files / "few.npz")
    with pytest.raises(UsageError, match="states of 10 dialogues"):
        call(files, "--states", f"{files}/few.npz", "--strict")


def test_an_empty_class_is_named_with_its_file(files: Path) -> None:
    made = material(30)
    true = {at: tuple(one for one in some if one.a_thinks_true) for at, some in made.propositions.dialogues.items()}
    write_propositions(replace(made.propositions, dialogues=true), files / "true.json")
    expected = r"true\.json \(train propositions\): found no point of the class 'false', .* Take propositions that are"
    with pytest.raises(UsageError, match=expected):
        call(files, "--propositions", f"{files}/true.json", "--task", "TF", "--no-balance")
    with pytest.raises(UsageError, match=r"no sentence that is both true and false.* Without --balance all"):
        call(files, "--propositions", f"{files}/true.json", "--task", "TF")


def test_layers_are_drawn_from_runs(files: Path, tmp_path: Path) -> None:
    for layer in (2, 10):
        assert call(files, "--task", "PS", "-o", str(tmp_path / f"layer-{layer}")).exit_code == 0
    page = tmp_path / "layers.html"
    drawn = ["scorekeeping", "layers", "--run", f"{tmp_path}/layer-{{}}", "-o", str(page)]
    done = CliRunner().invoke(app, drawn, catch_exceptions=False)
    assert (done.exit_code, done.stdout) == (0, f"drawn: {page}\n")
    cells = page.read_text().replace("\n", "")
    figure = read_run(tmp_path / "layer-10").measures["accuracy@5"]
    assert cells.index("<td>2</td>") < cells.index("<td>10</td>")
    assert f"{figure.low:.4f}" in cells
    with pytest.raises(UsageError, match=r"--run must have \{\} for the layer's number"):
        CliRunner().invoke(app, [*drawn[:3], str(tmp_path / "layer"), *drawn[4:]], catch_exceptions=False)
