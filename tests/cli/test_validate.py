"""`voirdire validate` as a user calls it: what it prints, its JSON, and its exit codes."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UsageError

QUESTIONS = {"questions": [{"question_id": i, "image_id": 1, "question": "Is it red?"} for i in (1, 2)]}
RESULTS = [{"question_id": i, "answer": "yes"} for i in (1, 2)]


@pytest.fixture
def run(monkeypatch):
    """Runs the verb in an environment of 80 columns without a terminal."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments, data=None):
        return CliRunner().invoke(app, ["validate", *map(str, arguments)], input=data)

    return call


@pytest.fixture
def files(tmp_path):
    """A folder with a good file of questions and of results."""
    (tmp_path / "questions.json").write_text(json.dumps(QUESTIONS))
    (tmp_path / "results.json").write_text(json.dumps(RESULTS))
    return tmp_path


def test_a_good_file(run, files):
    result = run(files / "questions.json")
    assert result.exit_code == 0
    assert result.stdout == (
        f"ok        {files}/questions.json\n"
        "          what    VQA questions (vqa_questions)\n"
        "          holds   2 questions about 1 image\n"
        "          exams   robustness\n"
        "\n1 file examined, 1 good\n"
    )
    assert result.stderr == ""


def test_a_folder_and_what_in_it_is_no_data(run, files):
    (files / "README.md").write_text("hello")
    result = run(files)
    assert result.exit_code == 0
    assert f"not a data file\n          {files}/README.md\n" in result.stdout
    assert result.stdout.endswith("\n2 files examined, 2 good\n")


def test_only_the_first_of_many_other_files_are_named(run, files):
    for number in range(12):
        (files / f"{number:02}.png").write_bytes(b"")
    result = run(files)
    assert "/09.png\n          … and 2 more\n" in result.stdout
    assert "/10.png" not in result.stdout
    assert len(json.loads(run(files, "--json").stdout)["skipped"]) == 12


def test_every_file_is_examined_also_after_a_bad_one(run, files):
    (files / "a.json").write_text('[{"question_id": 1, "answer": 7}]')
    (files / "b.txt").write_text("Dear reader")
    result = run(files, files / "none.json")
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert f"fault     {files}/a.json" in lines
    assert "          faults  question 1, field `answer`: found 7, expected str" in lines
    assert f"fault     {files}/b.txt" in lines
    assert "          faults  found text that starts with 'Dear reader', expected one of the" in lines
    assert f"ok        {files}/questions.json" in lines
    assert "          faults  found no such file, expected a readable file. Check the path." in lines
    assert lines[-1] == "5 files examined, 2 good, 3 with faults"
    assert all(len(line) <= 80 or str(files) in line for line in lines)


def test_problems_of_one_kind_are_one_line(run, files):
    (files / "results.json").write_text(json.dumps([{"question_id": i, "answer": i} for i in range(25)]))
    result = run(files / "results.json")
    assert result.exit_code == 2
    message = " ".join(result.stdout.split())
    assert "question 0, field `answer`: found 0, expected str. 24 more of this kind: question 1, " in message
    assert "found 2); …" in message
    assert result.stdout.count("expected str") == 1


def test_notes_do_not_change_the_exit_code(run, files):
    (files / "results.json").write_text('[{"question_id": 1, "answer": ""}]')
    result = run(files / "results.json")
    assert result.exit_code == 0
    assert "          notes   question 1: an empty answer\n" in result.stdout


def test_against_a_file_with_the_same_ids(run, files):
    result = run(files / "results.json", "--against", files / "questions.json")
    assert result.exit_code == 0
    assert (
        f"compared  {files}/results.json against {files}/questions.json\n"
        "          ok      questions: 2 in both, 0 missing, 0 unknown\n"
    ) in result.stdout
    assert result.stdout.endswith("\n2 files examined, 2 good, 1 comparison, 0 with faults\n")


def test_against_a_file_with_other_ids(run, files):
    (files / "results.json").write_text(json.dumps([{"question_id": i, "answer": "no"} for i in range(2, 40)]))
    call = (files / "results.json", "--against", files / "questions.json")
    result = run(*call)
    assert result.exit_code == 0
    assert result.stdout.count("in both") == 1
    assert "          ok      questions: 1 in both, 1 missing, 37 unknown\n\n" in result.stdout
    result = run(*call, "--strict")
    assert result.exit_code == 2
    assert "          fault   questions: 1 in both, 1 missing, 37 unknown\n          missing 1\n" in result.stdout
    assert "          unknown 3, 4, 5, … and 34 more\n" in result.stdout


def test_against_a_file_of_another_split_says_the_likely_reason(run, files):
    (files / "results.json").write_text(json.dumps([{"question_id": 7, "answer": "no"}]))
    result = run(files / "results.json", "--against", files / "questions.json")
    assert result.exit_code == 2
    assert "          reason  they may be of another split, or have other ids\n" in result.stdout


def test_rounds_are_shown_with_their_image_and_the_base_may_be_given(run, files):
    for name, rounds in (("a", (1, 2)), ("b", (2, 3))):
        rows = [{"image_id": 5, "round_id": i, "generations": ["yes"]} for i in rounds]
        (files / f"{name}.json").write_text(json.dumps(rows))
    call = (files / "a.json", "--against", files / "b.json")
    assert "--round-base" in run(*call).stdout
    result = run(*call, "--round-base", 1)
    assert result.exit_code == 2
    assert "          fault   rounds (counted from 0): 1 in both, 1 missing, 1 unknown\n" in result.stdout
    assert "2 would be in both if those of the first file were counted one" in result.stdout
    assert "          missing 5 round 2\n          unknown 5 round 0\n" in result.stdout
    assert run(*call, "--round-base", 2).exit_code == 2


def test_one_json_object_and_nothing_else(run, files):
    (files / "README.md").write_text("hello")
    (files / "a.json").write_text('[{"question_id": 1, "answer": 7}]')
    result = run(files, "--against", files / "questions.json", "--json")
    assert result.exit_code == 2
    found = json.loads(result.stdout)
    assert sorted(found) == ["checks", "files", "ok", "skipped"]
    assert found["ok"] is False
    assert found["skipped"] == [f"{files}/README.md"]
    bad, good, reference = found["files"]
    problem = {"where": "question 1", "field": "answer", "found": "7", "expected": "str", "hint": "", "unseen": 0}
    assert bad["problems"] == [problem]
    assert (bad["format"], bad["holds"], bad["ok"], bad["problem_count"]) == ("vqa_results", None, False, 1)
    assert (good["format"], good["exams"], good["ok"]) == ("vqa_results", ["robustness"], True)
    assert reference["path"] == f"{files}/questions.json"
    assert found["checks"] == [
        {
            "path": f"{files}/results.json",
            "against": f"{files}/questions.json",
            "kind": "question",
            "common": 2,
            "missing": 0,
            "first_missing": [],
            "unknown": 0,
            "first_unknown": [],
            "ok": True,
            "reason": "",
        }
    ]


def test_standard_input(run):
    result = run("-", data=json.dumps(RESULTS))
    assert result.exit_code == 0
    assert result.stdout.startswith("ok        -\n")


def test_states_are_recognised(run, tmp_path):
    np.savez(tmp_path / "states.npz", z=np.zeros((2, 11, 3), np.float32))
    result = run(tmp_path / "states.npz")
    assert result.exit_code == 0
    assert "holds   2 dialogues, 11 turns, 3 dimensions" in result.stdout


def test_markup_in_a_file_is_shown_as_it_stands(run, files):
    (files / "x.txt").write_text("Dear [red]reader[/red] :smile:")
    assert "'Dear [red]reader[/red] :smile:'" in run(files / "x.txt").stdout.replace("\n" + " " * 18, " ")


def test_a_folder_without_data_is_a_fault(run, tmp_path):
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "          faults  found no data file below it, expected at least one." in result.stdout


def test_a_file_against_itself_is_a_fault_of_the_call(run, files):
    result = run(files / "questions.json", "--against", files / "questions.json")
    assert isinstance(result.exception, UsageError)
    assert result.stdout == ""


def test_without_a_file_it_says_how_to_call_it(run):
    result = run()
    assert result.exit_code == 2
    assert "Missing argument" in result.stderr


def test_the_help_imports_nothing_heavy():
    heavy = "{'numpy', 'msgspec', 'polars', 'h5py', 'torch', 'scipy', 'voirdire.formats.catalogue'}"
    script = (
        "import sys\n"
        "from voirdire.cli.main import app\n"
        "try:\n    app(['validate', '--help'])\n"
        f"except SystemExit:\n    print('heavy:', sorted({heavy} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "--against" in done.stdout
    assert done.stdout.rstrip().endswith("heavy: []")


def test_a_bar_on_a_terminal_only(monkeypatch, files):
    from voirdire.cli import validate

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with validate._progress() as report:
            report(1, 2)
        assert ("validate" in stream.getvalue()) is shown
