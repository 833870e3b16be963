"""What `init` converts on the way: LLaVA's and lmms-eval's answers, tables, POPE; and what it leaves alone."""

import json
from pathlib import Path

import pytest

from voirdire.session.config import read_config
from voirdire.session.init import Proposal, propose

TEXTS = {11: "Is it red?", 12: "How many are there?"}


def annotation(id_: int) -> dict:
    answers = [{"answer": "yes", "answer_confidence": "yes", "answer_id": at} for at in range(1, 11)]
    about = {"question_type": "is it", "answer_type": "yes/no", "multiple_choice_answer": "yes"}
    return {"question_id": id_, "image_id": id_ // 10, "answers": answers, **about}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "files"
    place.mkdir()
    questions = [{"question_id": id_, "image_id": id_ // 10, "question": text} for id_, text in TEXTS.items()]
    (place / "questions.json").write_text(json.dumps({"questions": questions}))
    (place / "annotations.json").write_text(json.dumps({"annotations": [annotation(id_) for id_ in TEXTS]}))
    return place


def lines(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def models(found: Proposal, place: Path) -> dict:
    (place / "exam.yaml").write_text(found.text)
    return dict(read_config(place / "exam.yaml").models)


def test_llava_and_lmms_eval_are_converted(folder: Path) -> None:
    lines(folder / "llava.jsonl", [{"question_id": id_, "prompt": text, "text": "Yes."} for id_, text in TEXTS.items()])
    samples = [
        {"doc_id": at, "doc": {"question": text}, "resps": [["yes"]], "filtered_resps": ["yes"]}
        for at, text in enumerate(TEXTS.values())
    ]
    lines(folder / "lmms.jsonl", samples)
    (folder / "table.csv").write_text("image,question,prediction\n1,Is it red?,yes\n1,How many are there?,2\n")
    found = propose(folder, folder)
    converted = [note for note in found.notes if note.startswith("converted: ")]
    assert len(converted) == 3
    assert converted[0].endswith("(answers of LLaVA and of what is made like it) → converted/llava.json")
    assert set(models(found, folder)) == {"llava", "lmms", "table"}
    written = json.loads((folder / "converted" / "lmms.json").read_text())
    assert [row["question_id"] for row in written] == [11, 12]
    # Once more it is the same, with what was converted there already.
    assert set(models(propose(folder, folder), folder)) == {"llava", "lmms", "table"}


def test_pope_is_data_and_a_models_answers_to_it_are_found(tmp_path: Path) -> None:
    rows = [
        {"question_id": at, "image": f"COCO_val2014_{at:012d}.jpg", "text": f"Is there a {at}?", "label": "yes"}
        for at in range(1, 4)
    ]
    lines(tmp_path / "coco_pope_random.json", rows)
    lines(tmp_path / "mine.jsonl", [{"question_id": row["question_id"], "text": "Yes"} for row in rows])
    found = propose(tmp_path, tmp_path)
    assert set(models(found, tmp_path)) == {"mine"}
    assert "annotations: converted/coco_pope_random_annotations.json" in found.text


def test_a_table_of_something_else_is_left_alone(folder: Path) -> None:
    lines(folder / "mine.jsonl", [{"question_id": id_, "prompt": text, "text": "x"} for id_, text in TEXTS.items()])
    (folder / "prices.csv").write_text("id,text\n1,apples\n2,pears\n")
    found = propose(folder, folder)
    assert any(note.startswith("left out: prices.csv") for note in found.notes)
    assert not (folder / "converted" / "prices.json").exists()


def test_an_unrelated_file_keeps_no_data_from_the_others(folder: Path) -> None:
    """Ranks of dialogues that are not here are left out, and not the dense annotations for their sake."""
    visdial = {
        "version": "1.0",
        "split": "val",
        "data": {
            "questions": ["is it red"],
            "answers": ["yes", *map(str, range(99))],
            "dialogs": [
                {
                    "image_id": 7,
                    "caption": "a dog",
                    "dialog": [{"question": 0, "answer": 0, "gt_index": 0, "answer_options": [*range(100)]}] * 10,
                }
            ],
        },
    }
    (folder / "visdial_val.json").write_text(json.dumps(visdial))
    dense = [{"image_id": 7, "round_id": 10, "gt_relevance": [1.0] + [0.0] * 99}]
    (folder / "dense_val.json").write_text(json.dumps(dense))
    sets = {"image_id": 7, "round_id": 9, "in_cluster_idxs": [1] + [0] * 99, "refs": ["yes"]}
    (folder / "refs_val.json").write_text(json.dumps([{**sets, "question": "is it red", "gt_answer": "yes"}]))
    spoken = [{"image_id": 7, "round_id": at, "generations": ["yes"]} for at in range(10)]
    (folder / "mine_generations.json").write_text(json.dumps(spoken))
    ranks = [{"image_id": 99, "round_id": at, "ranks": [*range(1, 101)]} for at in range(1, 11)]
    (folder / "theirs_ranks.json").write_text(json.dumps(ranks))
    found = propose(folder, folder)
    assert "dense: dense_val.json" in found.text
    assert any(note.startswith("left out: theirs_ranks.json") for note in found.notes)


def test_nothing_is_written_where_only_the_config_is_wanted(folder: Path) -> None:
    lines(folder / "llava.jsonl", [{"question_id": id_, "prompt": text, "text": "Yes."} for id_, text in TEXTS.items()])
    propose(folder, folder, converts=False)
    assert not (folder / "converted").exists()
