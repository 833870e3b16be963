"""A terminal obeys nothing that stands in a user's file, and words in brackets are shown as they are."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import voirdire.cli
from voirdire.runs import Run, Signature, write_run

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from voirdire.cli.main import run; run()"]
NAME = "\x1b]0;owned\x07[red]:smile:\x9b31m\u202eb[/red]"
SHOWN = r"\u001b]0;owned\u0007[red]:smile:\u009b31m\u202eb[/red]"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def call(*words: object) -> tuple[int, str]:
    """The exit code, and all that was said; none of it is anything to obey."""
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, check=False)
    errors = (done.stdout + done.stderr).decode()
    assert not CONTROL.search(errors), repr(errors)
    assert "Traceback" not in errors
    return done.returncode, errors


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    made = []
    for number, label in enumerate(("good", NAME)):
        items = pl.DataFrame({"image_id": range(9), "round": [0] * 9, "rank": [1 + at % 7 + number for at in range(9)]})
        signature = Signature("0.1.0", data={"visdial": "a" * 64}, references=NAME, seed=0)
        run = Run("answers", {"cutoff": "relevant", "seed": 0}, items, {}, signature, part="rank", warnings=(NAME,))
        write_run(run, tmp_path / str(number))
        made.append(f"{label}={tmp_path / str(number)}")
    return made


@pytest.mark.parametrize("words", [(), ("--json",), ("--latex",)], ids=["table", "json", "latex"])
def test_labels_of_a_comparison(runs: list[str], words: tuple[str, ...]) -> None:
    code, said = call("compare", *runs, *words)
    assert code == 0
    if words == ("--json",):
        labels = json.loads(said)["comparisons"][0]["labels"]
        assert labels[1] == NAME.replace("\x1b", "\ufffd").replace("\x07", "\ufffd").replace("\x9b", "\ufffd")
    else:
        assert "smile" in said


@pytest.mark.parametrize("form", ["md", "latex", "csv"])
def test_tables_of_a_report(runs: list[str], form: str) -> None:
    done = subprocess.run([*COMMAND, "report", *runs, "--format", form], capture_output=True, check=False)
    assert done.returncode == 0
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", done.stdout + done.stderr)


def test_a_question_of_a_game(tmp_path: Path) -> None:
    things = [
        {"id": at, "category": NAME, "category_id": 47, "area": 30.5, "bbox": [4 + 20 * at, 5, 10, 10]} for at in (1, 2)
    ]
    image = {"id": 5, "width": 64, "height": 48, "file_name": NAME}
    asked = [{"question": NAME, "answer": "No", "id": 1}]
    game = {"id": 1, "image": image, "objects": things, "object_id": 1, "qas": asked, "status": "success"}
    (tmp_path / "games.jsonl").write_text(json.dumps(game | {"guess_object_id": 1}) + "\n")
    said = {"game_id": 1, "question": 0, "answers": {"1": "no", "2": "yes"}}
    (tmp_path / "oracle.jsonl").write_text(json.dumps(said) + "\n")
    words = ("questions", "show", 1, "--games", tmp_path / "games.jsonl", "--oracle", f"table:{tmp_path}/oracle.jsonl")
    code, told = call(*words)
    assert code == 0, told
    assert SHOWN in told
    code, told = call(*words, "--json")
    assert json.loads(told)["turns"][0]["question"] == NAME


def test_a_file_that_is_wrong(tmp_path: Path) -> None:
    (tmp_path / f"{NAME.replace('/', '')}.json").write_text(json.dumps([{"question_id": NAME, "answer": 3, NAME: 1}]))
    for verb in (("validate", tmp_path), ("list", tmp_path), ("init", tmp_path, "-o", "-")):
        _, said = call(*verb)
        assert SHOWN.replace("/", "") in said or verb[0] == "list"
    assert call("init", tmp_path / NAME)[0] == 2


def test_everything_that_is_printed_goes_through_one_place() -> None:
    folder = Path(voirdire.cli.__file__).parent
    for path in sorted(folder.glob("*.py")):
        calls = [ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        printing = {name for name in calls if name == "print" or name.endswith((".echo", ".secho", "console.print"))}
        # What is under way goes to a stream of its own choice, and above a bar.
        allowed = {
            "output.py": {"typer.echo", "console.print"},
            "progress_bars.py": {"print"},
            "session_progress.py": {"self._bar.console.print"},
        }
        assert printing <= allowed.get(path.name, set())
