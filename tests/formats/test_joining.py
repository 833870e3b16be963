"""Several files of one kind as one: what one file of all would hold, and what cannot be joined."""

import json

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats.files import Source
from voirdire.formats.joining import join_rounds, join_visdial
from voirdire.formats.option_numbers import parse_dense
from voirdire.formats.references import parse_references
from voirdire.formats.visdial import parse_visdial

NAMES = ["a.json", "b.json"]


def parsed(parse, value, **options):
    return parse(Source("f.json", json.dumps(value).encode()), **options)


def reference(image, round_id, texts, width=3):
    flags = [int(place < len(texts)) for place in range(width)]
    rest = {"refs": texts, "question": f"question {image}", "gt_answer": texts[0]}
    return {"image_id": image, "round_id": round_id, "in_cluster_idxs": flags, **rest}


def dense(image, values=(0.5, 0, 1), name="gt_relevance"):
    return {"image_id": image, "round_id": 10, name: list(values)}


def dialogues(images, answers, split="train", options=True):
    turn = {"question": 0, "answer": 0, **({"gt_index": 0, "answer_options": [0, 1, 1]} if options else {})}
    dialogs = [{"image_id": image, "caption": f"caption {image}", "dialog": [turn] * 10} for image in images]
    pools = {"questions": [f"is it {answers[0]}"], "answers": answers, "dialogs": dialogs}
    return {"version": "1.0", "split": split, "data": pools}


def test_sets_of_two_files_are_those_of_one():
    rows = [reference(5, 0, ["yes", "it is"]), reference(6, 0, ["no"]), reference(7, 0, ["two", "2", "a pair"])]
    parts = [parsed(parse_references, rows[:1]), parsed(parse_references, rows[1:])]
    assert join_rounds(parts, NAMES) == parsed(parse_references, rows)
    assert join_rounds(parts, NAMES).fingerprint == join_rounds(parts[::-1], NAMES[::-1]).fingerprint
    assert join_rounds(parts, NAMES).fingerprint not in {part.fingerprint for part in parts}


def test_annotations_of_two_files_are_those_of_one():
    """Whatever each of them calls its list."""
    parts = [parsed(parse_dense, [dense(5)]), parsed(parse_dense, [dense(6, (1, 0, 0), "relevance")])]
    assert join_rounds(parts, NAMES) == parsed(parse_dense, [dense(5), dense(6, (1, 0, 0))])


def test_dialogues_of_two_files_say_what_they_said():
    parts = [
        parsed(parse_visdial, dialogues([5], ["red", "blue"])),
        parsed(parse_visdial, dialogues([6, 7], ["blue", "green"], "val")),
    ]
    joined = join_visdial(parts, NAMES)
    assert (joined.answers, joined.questions) == (["red", "blue", "green"], ["is it red", "is it blue"])
    assert (joined.split, joined.image_ids.tolist()) == ("train+val", [5, 6, 7])
    at = 0
    for part in parts:
        for round_ in range(len(part.question)):
            assert joined.question_text(at) == part.question_text(round_)
            assert joined.answer_text(at) == part.answer_text(round_)
            assert joined.option_texts(at) == part.option_texts(round_)
            at += 1
    assert at == len(joined.question)
    assert joined.round_numbers().tolist() == [*range(10)] * 3


def test_dialogues_without_options_join_those_that_have_some():
    bare = parsed(parse_visdial, dialogues([5], ["red", "blue"], options=False))
    joined = join_visdial([bare, parsed(parse_visdial, dialogues([6], ["red", "blue"]))], NAMES)
    assert joined.options.shape == (20, 3)
    assert (joined.options[:10] == -1).all()
    assert np.array_equal(joined.options[10:], [[0, 1, 1]] * 10)


def test_what_two_files_have_is_named_with_both():
    twice = [parsed(parse_references, [reference(5, 0, ["yes"])])] * 2
    answers = (
        r"b.json: image 5, round 0 \(from 0\): found this round, which a\.json has too, expected each in one file only"
    )
    with pytest.raises(InputError, match=answers):
        join_rounds(twice, NAMES)
    with pytest.raises(InputError, match=r"b\.json: image 5: found this dialogue, which a\.json has too"):
        join_visdial([parsed(parse_visdial, dialogues([5], ["red", "blue"]))] * 2, NAMES)


def test_other_numbers_of_options_are_not_joined():
    parts = [parsed(parse_dense, [dense(5)]), parsed(parse_dense, [dense(6, (1, 0))])]
    with pytest.raises(InputError, match=r"b\.json: found 2 options per round, expected 3, as a\.json has"):
        join_rounds(parts, NAMES)
