"""Real outputs through other layouts and back: the same answers, questions and rounds come out."""

import csv
import json

import pytest

from voirdire.conversion.convert import convert
from voirdire.conversion.layouts import ConvertOptions
from voirdire.formats.generations import read_generations
from voirdire.formats.visdial_text import FORMAT as VISDIAL_TEXT
from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.formats.vqa_results import VQA_PREDICTIONS, read_vqa_results
from voirdire.validation import validate

pytestmark = pytest.mark.slow


def write_table(path, head, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def test_a_published_model_of_words(real_data, tmp_path):
    source, made = real_data / "vqa" / "lstm_baseline_val100k" / "predictions.json", tmp_path / "made.json"
    done = convert(source, made, ConvertOptions("vqa_results"))
    expected, found = VQA_PREDICTIONS.read(source), read_vqa_results(made)
    assert (done.read, done.written) == (100_000, 100_000)
    assert found.answers == expected.answers
    assert (found.question_ids == expected.question_ids).all()


def test_questions_of_a_table_are_found_by_image_and_text(real_data, tmp_path):
    path = real_data / "vqa" / "smallval589" / "smallval_questions.json"
    asked, source, made = read_vqa_questions(path), tmp_path / "said.csv", tmp_path / "made.json"
    images = (f"COCO_val2014_{image:012d}.jpg" for image in asked.image_ids.tolist())
    ids = map(str, asked.question_ids.tolist())
    write_table(source, ["image", "question", "answer"], zip(images, asked.questions, ids, strict=True))
    done = convert(source, made, ConvertOptions("vqa_results", against=str(path)))
    found = read_vqa_results(made)
    # One question is asked twice about its image.
    assert list(done.ids.values()) == [587, 2]
    assert [str(id_) for id_ in found.question_ids.tolist()] == list(found.answers)
    assert validate([made], against=path).ok


def test_rounds_of_a_table_are_found_by_image_and_text(real_data, tmp_path):
    folder = real_data / "visdial" / "dialogues"
    talk, said = VISDIAL_TEXT.read(folder / "visdial_1.0_val_text.json"), folder / "blip2_val_generations.json"
    answers = {
        (record["image_id"], record["round_id"]): record["generations"][0] for record in json.loads(said.read_bytes())
    }
    rows = [
        (talk.images[place], f"{talk.questions[at]}?", answers[image, at - talk.first_round[place]])
        for place, image in enumerate(talk.image_ids.tolist())
        for at in talk.rounds(place)
    ]
    source, made = tmp_path / "said.csv", tmp_path / "made.json"
    write_table(source, ["img", "question", "response"], rows)
    options = ConvertOptions("generations", against=str(folder / "visdial_1.0_val_text.json"))
    assert convert(source, made, options).written == 20_640
    found, expected = read_generations(made), read_generations(said)
    pairs = [
        dict(zip(zip(one.image_ids.tolist(), one.rounds.tolist(), strict=True), one.texts, strict=True))
        for one in (found, expected)
    ]
    assert pairs[0] == pairs[1]
