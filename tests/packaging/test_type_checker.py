"""The public names under pyright's basic mode, as an editor checks a user's script."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.exam import exams

pytestmark = pytest.mark.slow
pytest.importorskip("basedpyright", reason="needs basedpyright")

ROOT = Path(__file__).parent.parent.parent
RIGHT = """
import voirdire

run = voirdire.score_vqa("annotations.json", "answers.json")
other = voirdire.score_answers("generations.json", "references.json", measures=("bleu",))
comparison = voirdire.compare_runs(run, other)
print(comparison.to_frame(), run.to_pandas(), other.measures)
print(voirdire.probe_states("propositions.json", "states.h5", seed=3).warnings)
print(voirdire.rank_answers("visdial.json", ranks="ranks.json"), voirdire.score_questions("games.jsonl"))
print(voirdire.score_bounds("references.json"), voirdire.score_judges("judgements.csv"))
print(voirdire.score_robustness("annotations.json", "clean.json", ["noisy.json"]))
print(voirdire.score_judgements("propositions.json", "judgements.jsonl"))
print(voirdire.compare_rankers("annotations.json", {"bleu1": ["noisy.json"]}))
voirdire.write_report({"mine": run, "theirs": "runs/theirs"}, "report.html")
session = voirdire.ask_model(lambda messages, picture: "yes", "world", "out", limit=3)
print(session.verdict, voirdire.run_exam("exam.yaml").runs)
"""
WRONG = """
import voirdire

run = voirdire.score_vqa("annotations.json", "answers.json")
print(run.mesures)
voirdire.compare_runs(run, 3)
voirdire.run_exam(7)
"""


def errors(script: str, folder: Path) -> set[int]:
    """The lines of a script, from 1, that the type checker complains about."""
    (folder / "use.py").write_text(script)
    settings = {"typeCheckingMode": "basic", "include": ["use.py"], "extraPaths": [str(ROOT / "src")]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "-p", str(folder), "--outputjson", "--pythonpath", sys.executable]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = json.loads(told)["generalDiagnostics"]
    return {diagnostic["range"]["start"]["line"] + 1 for diagnostic in found if diagnostic["severity"] == "error"}


def test_calls_with_files_and_options_are_right(tmp_path: Path) -> None:
    assert errors(RIGHT, tmp_path) == set()


def test_wrong_calls_are_found(tmp_path: Path) -> None:
    assert errors(WRONG, tmp_path) == {5, 6, 7}


def test_every_function_of_a_part_that_is_public_is_among_them() -> None:
    import voirdire

    functions = {part.function.partition(":")[2] for exam in exams() for part in exam.parts}
    public = functions & set(voirdire.__all__)
    assert public
    assert [name for name in sorted(public) if f"voirdire.{name}(" not in RIGHT] == []
