"""POPE and A-OKVQA as VQA questions and annotations, and a model's answers to questions whose ids are letters."""

import json
from pathlib import Path

import pytest

from voirdire.conversion.convert import convert
from voirdire.conversion.datasets import number_of
from voirdire.conversion.layouts import ConvertOptions, suggest
from voirdire.errors import InputError
from voirdire.formats.files import open_source
from voirdire.formats.vqa_annotations import read_vqa_annotations
from voirdire.formats.vqa_questions import read_vqa_questions

POPE = [
    {
        "question_id": 1,
        "image": "COCO_val2014_000000310196.jpg",
        "text": "Is there a dog?",
        "label": "yes",
    },
    {"question_id": 2, "image": "COCO_val2014_000000310196.jpg", "text": "Is there a car?", "label": "no"},
]
AOKVQA = [
    {
        "split": "val",
        "image_id": 461751,
        "question_id": letters,
        "question": "What is there?",
        "choices": ["cat", "dog", "2", "no"],
        "correct_choice_idx": 0,
        "direct_answers": answers,
        "difficult_direct_answer": False,
        "rationales": ["It is."],
    }
    for letters, answers in (("22jbM6gDxdaMaunuzgrsBB", ["cat"] * 9 + ["dog"]), ("2aaXj", ["2"] * 10))
]


@pytest.fixture
def pope(tmp_path: Path) -> Path:
    path = tmp_path / "pope.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in POPE))
    return path


@pytest.fixture
def aokvqa(tmp_path: Path) -> Path:
    path = tmp_path / "aokvqa.json"
    path.write_text(json.dumps(AOKVQA))
    return path


def test_pope_becomes_questions_and_annotations(pope: Path, tmp_path: Path) -> None:
    convert(pope, tmp_path / "q.json", ConvertOptions("vqa_questions"))
    convert(pope, tmp_path / "a.json", ConvertOptions("vqa_annotations"))
    questions, annotations = read_vqa_questions(tmp_path / "q.json"), read_vqa_annotations(tmp_path / "a.json")
    assert questions.question_ids.tolist() == annotations.question_ids.tolist() == [1, 2]
    assert questions.image_ids.tolist() == [310196, 310196]
    assert annotations.answer_types == ("yes/no", "yes/no")
    assert annotations.answers_of(1) == ("no",) * 10


def test_a_dataset_is_no_model_s_output(pope: Path, aokvqa: Path) -> None:
    for path, title in ((pope, "POPE"), (aokvqa, "A-OKVQA")):
        said = suggest(open_source(path))
        assert f"They are questions of {title}." in said
        assert "--to vqa_questions" in said
        assert "--to vqa_annotations" in said


def test_ids_of_letters_become_numbers_that_a_models_answers_find(aokvqa: Path, tmp_path: Path) -> None:
    convert(aokvqa, tmp_path / "q.json", ConvertOptions("vqa_questions"))
    convert(aokvqa, tmp_path / "a.json", ConvertOptions("vqa_annotations"))
    ids = [number_of(row["question_id"]) for row in AOKVQA]
    assert read_vqa_questions(tmp_path / "q.json").question_ids.tolist() == ids
    annotations = read_vqa_annotations(tmp_path / "a.json")
    assert annotations.majority == ("cat", "2")
    assert annotations.answer_types == ("other", "number")
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"question_id": row["question_id"], "text": "cat"}) + "\n" for row in AOKVQA))
    done = convert(answers, tmp_path / "r.json", ConvertOptions("vqa_results", against=str(tmp_path / "q.json")))
    assert done.written == 2
    assert [row["question_id"] for row in json.loads((tmp_path / "r.json").read_text())] == ids


def test_nine_answers_are_a_fault(aokvqa: Path, tmp_path: Path) -> None:
    aokvqa.write_text(json.dumps([{**AOKVQA[0], "direct_answers": ["cat"] * 9}]))
    with pytest.raises(InputError, match="9 answers"):
        convert(aokvqa, tmp_path / "a.json", ConvertOptions("vqa_annotations"))
    assert not (tmp_path / "a.json").exists()


def test_other_records_are_no_dataset(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps([{"question_id": 1, "answer": "x"}]))
    with pytest.raises(InputError, match="questions of POPE or questions of A-OKVQA"):
        convert(path, tmp_path / "q.json", ConvertOptions("vqa_questions"))
