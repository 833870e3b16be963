"""Both layouts of VisDial dialogues as one shape, also where a dialogue ends with a question."""

import json

import pytest

from voirdire.errors import InputError
from voirdire.formats.dialogues import read_dialogues


def test_official_file_with_a_pending_question(tmp_path):
    path = tmp_path / "test.json"
    dialog = [{"question": 0, "answer": 1}, {"question": 1}]
    data = {
        "questions": ["is it sunny", "any people"],
        "answers": ["no", "yes, it is"],
        "dialogs": [{"image_id": 7, "caption": "a beach", "dialog": dialog}],
    }
    path.write_text(json.dumps({"version": "1.0", "split": "test", "data": data}))
    parsed = read_dialogues(path)
    (each,) = parsed
    assert (each.image_id, each.caption, each.rounds) == (7, "a beach", (("is it sunny", "yes, it is"),))
    assert each.pending == "any people"
    assert (parsed.split, len(parsed.fingerprint)) == ("test", 64)
    # That there are no candidate answers is no matter here.
    assert parsed.notes == ()


def test_text_layout(tmp_path):
    path = tmp_path / "text.json"
    rows = [{"img": "val/x_0042.jpg", "dialog": ["a beach", "is it sunny? yes", "any people? no"]}]
    path.write_text(json.dumps(rows))
    (each,) = read_dialogues(path)
    assert each.rounds == (("is it sunny", "yes"), ("any people", "no"))
    assert (each.image_id, each.image, each.pending) == (42, "val/x_0042.jpg", "")


def test_another_file_is_refused_by_its_name(tmp_path):
    path = tmp_path / "other.json"
    path.write_text(json.dumps([{"question_id": 1, "answer": "yes"}]))
    with pytest.raises(InputError, match="vqa_results"):
        read_dialogues(path)
