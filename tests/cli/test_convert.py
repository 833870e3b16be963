"""`voirdire convert` as a user calls it, and what `voirdire validate` says of a file that is to be converted."""

import json
import shlex

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import InputError, UsageError
from voirdire.formats.vqa_results import read_vqa_results

SAID = [
    {
        "question_id": 42000,
        "prompt": "Is it red?",
        "text": "Yes, it is.",
        "answer_id": "x",
        "model_id": "m",
        "metadata": {},
    },
    {
        "question_id": 42001,
        "prompt": "How many?",
        "text": "There are two.",
        "answer_id": "y",
        "model_id": "m",
        "metadata": {},
    },
]


@pytest.fixture
def run(monkeypatch):
    """Runs the command in an environment of 200 columns without a terminal."""
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments, data=None):
        return CliRunner().invoke(app, [*map(str, arguments)], input=data)

    return call


@pytest.fixture
def said(tmp_path, monkeypatch):
    """A folder with answers as LLaVA writes them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "said.jsonl").write_text("".join(json.dumps(text) + "\n" for text in SAID))
    return tmp_path


def test_the_call_that_validate_names_makes_a_good_file(run, said):
    result = run("validate", "said.jsonl", "--json")
    assert result.exit_code == 2
    (problem,) = json.loads(result.stdout)["files"][0]["problems"]
    assert "Nearest is VQA answers of a model (vqa_results), of which it lacks answer." in problem["hint"]
    call = problem["hint"].partition("answer from text): ")[2]
    assert call == "voirdire convert said.jsonl --to vqa_results -o said.vqa_results.json"
    assert run(*shlex.split(call)[1:]).exit_code == 0
    assert run("validate", "said.vqa_results.json").exit_code == 0


def test_what_is_told(run, said):
    result = run("convert", "said.jsonl", "--to", "vqa_results", "-o", "made.json")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "said.jsonl: answers of LLaVA and of what is made like it (llava), JSON lines",
        "  question_id from question_id",
        "  question    from prompt",
        "  answer      from text",
        "  ids         2 as they are",
        '  example     line 1: {"question_id": 42000, "answer": "Yes, it is."}',
        '  example     line 2: {"question_id": 42001, "answer": "There are two."}',
        "2 records read, 2 mapped, 0 left out; made.json: vqa_results, answers to 2 questions",
    ]


def test_json_tells_the_same(run, said):
    result = run("convert", "said.jsonl", "--to", "vqa_results", "-o", "made.json", "--json")
    told = json.loads(result.stdout)
    assert (told["read"], told["written"], told["paths"]["answer"]) == (2, 2, "text")
    assert told["examples"][0] == {"from": "line 1", "written": {"question_id": 42000, "answer": "Yes, it is."}}


def test_from_standard_input_to_standard_output(run, said):
    data = (said / "said.jsonl").read_text()
    result = run("convert", "-", "--to", "vqa_results", "-o", "-", "--map", "answer=prompt", data=data)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == [
        {"question_id": 42000, "answer": "Is it red?"},
        {"question_id": 42001, "answer": "How many?"},
    ]
    assert "2 records read" in result.stderr


def test_a_packed_file_of_lines(run, said):
    assert run("convert", "said.jsonl", "--to", "vqa_results", "-o", "made.jsonl.gz").exit_code == 0
    assert read_vqa_results("made.jsonl.gz").answers == ("Yes, it is.", "There are two.")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--map", "answer"], "--map must be ROLE=KEY, as answer=text, got 'answer'"),
        (["--map", "answer=text", "--map", "answer=prompt"], "--map must name each role once, got answer twice"),
        (["--json", "-o", "-"], "cannot both go to standard output"),
        (["--duplicates", "any"], "--duplicates must be one of"),
    ],
)
def test_calls_that_cannot_be(run, said, more, message):
    out = [] if "-o" in more else ["-o", "made.json"]
    result = run("convert", "said.jsonl", "--to", "vqa_results", *out, *more)
    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)
    assert not (said / "made.json").exists()


def test_a_missing_file_is_told(run, said):
    result = run("convert", "none.jsonl", "--to", "vqa_results", "-o", "made.json")
    assert isinstance(result.exception, InputError)
    assert "no such file" in str(result.exception)


def test_ids_that_are_texts_are_told_with_a_remedy(run, said):
    (said / "texts.json").write_text(json.dumps([{"question_id": "42000", "answer": "yes"}]))
    result = run("validate", "texts.json", "--json")
    hint = json.loads(result.stdout)["files"][0]["problems"][0]["hint"]
    call = hint.partition("To map ids that are texts: ")[2]
    assert run(*shlex.split(call)[1:]).exit_code == 0
    assert read_vqa_results("texts.vqa_results.json").question_ids.tolist() == [42000]


def test_a_file_of_a_format_that_is_nearly_known(run, said):
    (said / "near.jsonl").write_text(json.dumps({"img": "a_1.jpg", "judge": "x", "reply": "y"}) + "\n" * 2)
    result = run("validate", "near.jsonl", "--json")
    hint = json.loads(result.stdout)["files"][0]["problems"][0]["hint"]
    assert "(conv_judgements), of which it lacks response" in hint


def test_a_file_that_is_like_none(run, said):
    (said / "other.json").write_text('{"a": 1}')
    result = run("validate", "other.json", "--json")
    assert json.loads(result.stdout)["files"][0]["problems"][0]["hint"] == "docs/formats.md lists them."
