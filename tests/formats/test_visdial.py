"""VisDial dialogues: what is read, what is refused and how, what is noted."""

import copy
import gzip
import hashlib
import io
import json
import sys
from typing import Any

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.record import Notes
from voirdire.formats.visdial import FORMAT, parse_visdial, read_visdial, write_visdial

OPTIONS = list(range(100))


def round_(**changes: Any) -> dict[str, Any]:
    value = {"question": 1, "answer": 42, "gt_index": 42, "answer_options": OPTIONS, **changes}
    return {key: inner for key, inner in value.items() if inner is not None}


def document(*dialogs: Any, split: str | None = "val2018") -> dict[str, Any]:
    answers = [f"answer {place}" for place in range(130)]
    value: dict[str, Any] = {"version": "1.0", "split": split} if split is not None else {"version": "1.0"}
    return {**value, "data": {"questions": ["is it red", "what is it"], "answers": answers, "dialogs": list(dialogs)}}


def dialogue(image: int = 5, rounds: Any = None) -> dict[str, Any]:
    return {"image_id": image, "caption": "a cup", "dialog": [round_()] * 10 if rounds is None else rounds}


def parse(value: Any) -> Any:
    return parse_visdial(Source("f.json", value if isinstance(value, bytes) else json.dumps(value).encode()))


def complaint(value: Any) -> str:
    with pytest.raises(InputError) as caught:
        parse(value)
    assert "f.json" in str(caught.value)
    return str(caught.value)


def test_the_arrays_hold_what_the_file_says():
    rounds = [round_(), round_(question=0, answer=129, gt_index=99, answer_options=list(range(30, 130)))]
    visdial = parse(document(dialogue(7, rounds), dialogue(5, rounds[:1])))
    assert (visdial.version, visdial.split, len(visdial)) == ("1.0", "val2018", 2)
    assert visdial.image_ids.tolist() == [7, 5]
    assert visdial.first_round.tolist() == [0, 2, 3]
    assert visdial.question.tolist() == [1, 0, 1]
    assert visdial.answer.tolist() == [42, 129, 42]
    assert visdial.gt_index.tolist() == [42, 99, 42]
    assert visdial.options.tolist() == [OPTIONS, list(range(30, 130)), OPTIONS]
    dtypes = [
        visdial.image_ids,
        visdial.first_round,
        visdial.question,
        visdial.answer,
        visdial.gt_index,
        visdial.options,
    ]
    assert [array.dtype for array in dtypes] == [np.int64, np.int64, np.int32, np.int32, np.int16, np.int32]
    assert list(visdial.rounds(0)) == [0, 1]
    assert visdial.round_dialogues().tolist() == [0, 0, 1]
    assert visdial.round_numbers().tolist() == [0, 1, 0]
    assert (visdial.question_text(1), visdial.answer_text(1)) == ("is it red", "answer 129")
    assert visdial.option_texts(1)[0] == "answer 30"
    assert visdial.label(1) == "image 7, round 1 (from 0)"


def test_the_order_of_keys_does_not_matter_and_split_may_be_absent():
    value = document(dialogue(), split=None)
    turned = {key: value[key] for key in reversed(value)}
    turned["data"] = {key: value["data"][key] for key in reversed(value["data"])}
    assert parse(turned) == parse(value)
    assert parse(value).split == ""


def test_what_is_missing_stays_minus_one_and_is_noted():
    rounds = [round_()] * 8 + [round_(gt_index=None), round_(answer_options=None, gt_index=None, answer=None)]
    visdial = parse(document(dialogue(5, rounds)))
    assert visdial.gt_index[8:].tolist() == [-1, -1]
    assert visdial.answer[9] == -1
    assert visdial.answer_text(9) is None
    assert visdial.options[9].tolist() == [-1] * 100
    assert visdial.option_texts(9) == []
    assert visdial.notes == (
        "image 5, round 8 (from 0): no gt_index",
        "image 5, round 9 (from 0): no answer, gt_index, answer_options",
    )


def test_short_dialogues_are_noted():
    assert parse(document(dialogue(5, [round_()] * 9))).notes == ("image 5: 9 rounds instead of 10",)


def test_the_test_split_lacks_things_on_purpose():
    rounds = [{"question": 0, "answer": 3}, {"question": 1, "answer_options": OPTIONS}]
    visdial = parse(document(dialogue(5, rounds), split="test2018"))
    assert visdial.notes == ()
    assert visdial.options[:, 0].tolist() == [-1, 0]
    assert FORMAT.describe(visdial) == "VisDial 1.0 test2018: 1 dialogue, 2 rounds, 100 options in 1 of them"


def test_notes_are_bounded():
    visdial = parse(document(*(dialogue(image, [round_(gt_index=None)] * 10) for image in range(3))))
    places = [f"image 0, round {number} (from 0)" for number in range(3)]
    assert visdial.notes == (f"{places[0]}: no gt_index; 29 more of this kind: {places[1]}; {places[2]}; …",)
    notes = Notes()
    for letter in "abcdefghijklmnopqrstuvwxyz":
        notes.add(letter)
    assert notes.collect() == (*"abcdefghijklmnopqrst", "… and 6 more notes")


def test_unknown_fields_are_noted_and_the_rest_is_read():
    value = document(dialogue())
    plain = parse(value)
    value["licence"] = "free"
    value["data"]["made"] = 2
    value["data"]["dialogs"][0]["judge"] = 1
    value["data"]["dialogs"][0]["dialog"] = [round_(relevance=[1])] * 10
    visdial = parse(value)
    assert visdial == plain
    assert visdial.notes == (
        "field 'data.dialogs.dialog.relevance' is not known and was not read (10 times)",
        "field 'data.dialogs.judge' is not known and was not read (1 time)",
        "field 'data.made' is not known and was not read (1 time)",
        "field 'licence' is not known and was not read (1 time)",
    )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"question": 2},
            "image 5, round 3 (from 0), field `question`: found 2, expected a place in the pool of 2 questions",
        ),
        ({"question": None}, "image 5, round 3 (from 0), field `question`: found nothing, expected this field"),
        ({"question": -1}, "image 5, round 3 (from 0), field `question`: found -1, expected int >= 0"),
        ({"question": True}, "image 5, round 3 (from 0), field `question`: found True, expected int"),
        ({"question": 1.0}, "image 5, round 3 (from 0), field `question`: found 1.0, expected int"),
        (
            {"question": 2**31},
            "image 5, round 3 (from 0), field `question`: found 2147483648, expected int <= 2147483647",
        ),
        ({"answer": 130, "gt_index": None}, "field `answer`: found 130, expected a place in the pool of 130 answers"),
        ({"gt_index": 41}, "found 41, where the options have 41, expected the place of the answer 42"),
        ({"gt_index": 1000}, "image 5, round 3 (from 0), field `gt_index`: found 1000, expected int <= 999"),
        ({"gt_index": 100}, "round 3 (from 0), field `gt_index`: found 100, expected a place among the 100 options"),
        (
            {"answer_options": OPTIONS[:99]},
            "image 5, round 3 (from 0), field `answer_options`: found 99 entries, expected 100",
        ),
        (
            {"answer_options": [*OPTIONS, 1]},
            "image 5, round 3 (from 0), field `answer_options`: found 101 entries, expected 100",
        ),
        ({"answer_options": []}, "image 5, round 3 (from 0), field `answer_options`: found 0 entries, expected 100"),
        ({"answer_options": {}}, "field `answer_options`: found {}, expected a list of 100 numbers"),
        (
            {"answer_options": [[], *OPTIONS[1:]]},
            "field `answer_options[0]`: found [], expected a whole number from 0 to",
        ),
        ({"answer_options": [*OPTIONS[:99], 99.0]}, "field `answer_options[99]`: found 99.0, expected a whole number"),
        (
            {"answer_options": [*OPTIONS[:99], 130]},
            "`answer_options[99]`: found 130, expected a whole number from 0 to 129",
        ),
        ({"answer_options": [*OPTIONS[:99], -1]}, "field `answer_options[99]`: found -1, expected"),
        ({"answer_options": [*OPTIONS[:99], 10**30]}, "field `answer_options[99]`: found 1000000"),
        ({"answer_options": [*OPTIONS[:99], False]}, "field `answer_options[99]`: found False, expected"),
        ({"answer_options": [*OPTIONS[:99], "]"]}, "field `answer_options[99]`: found ']', expected"),
    ],
)
def test_faults_of_a_round(changes, text):
    rounds = [round_()] * 3 + [round_(**changes)] + [round_()] * 6
    assert text in complaint(document(dialogue(5, rounds)))


def test_lists_of_wrong_length_that_make_up_for_each_other_are_found():
    nested = [[0, 1], *range(2, 99), []]
    rounds = [round_(answer_options=OPTIONS[:99]), round_(answer_options=[*OPTIONS, 1]), round_(answer_options=nested)]
    text = complaint(document(dialogue(5, rounds + [round_()] * 7)))
    assert "3 problems" in text
    assert "image 5, round 2 (from 0), field `answer_options`: found 99 entries" in text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda v: v["data"]["dialogs"].append(dialogue()), "image 5, field `image_id`: found more than one dialogue"),
        (lambda v: v["data"]["dialogs"].clear(), "field `data.dialogs`: found [], expected array of length >= 1"),
        (lambda v: v["data"].pop("questions"), "field `data.questions`: found nothing, expected this field"),
        (lambda v: v["data"]["answers"].append(3), "field `data.answers[130]`: found 3, expected str"),
        (lambda v: v.pop("data"), "field `data`: found nothing, expected this field"),
        (lambda v: v.update(version=1.0), "field `version`: found 1.0, expected str"),
        (lambda v: v["data"]["dialogs"].append(3), "record 2 of dialogs: found 3, expected object"),
        (
            lambda v: v["data"]["dialogs"][0].update(dialog=[]),
            "image 5, field `dialog`: found [], expected array of leng",
        ),
        (lambda v: v["data"]["dialogs"][0].update(dialog=[round_()] * 11), "image 5, field `dialog`: found [{"),
        (lambda v: v["data"]["dialogs"][0].update(image_id=2**63), "field `image_id`: found 9223372036854775808"),
        (
            lambda v: v["data"]["dialogs"][0].update(image_id="5"),
            "image '5', field `image_id`: found '5', expected int",
        ),
        (lambda v: v["data"]["dialogs"][0].pop("caption"), "image 5, field `caption`: found nothing"),
    ],
)
def test_faults_of_a_file(change, text):
    value = copy.deepcopy(document(dialogue()))
    change(value)
    assert text in complaint(value)


def test_wrong_types_in_one_dialogue_do_not_hide_what_is_wrong_in_others():
    value = document(dialogue(5, [round_(answer="x")]), dialogue(6, [round_(question=9)]), dialogue(7), dialogue(7))
    text = complaint(value)
    assert "3 problems" in text
    assert "image 5, round 0 (from 0), field `answer`: found 'x', expected int" in text
    assert "image 6, round 0 (from 0), field `question`: found 9, expected a place in the pool" in text
    assert "image 7, field `image_id`: found more than one dialogue with this id" in text


def test_a_version_that_is_not_known_is_noted():
    value = document(dialogue())
    value["version"] = "1.1"
    assert parse(value).notes == ("version '1.1' is not known; it was read as 0.9 and 1.0 are",)


def test_all_faults_are_listed_with_a_count():
    text = complaint(document(*(dialogue(image, [round_(question="x"), round_(answer=1.5)]) for image in range(15))))
    assert "30 problems" in text
    question, answer = text.splitlines()[1:]
    assert question.startswith("  image 0, round 0 (from 0), field `question`: found 'x', expected int")
    assert answer.endswith(
        " 14 more of this kind: image 1, round 1 (from 0), field `answer`; image 2, round 1 (from 0), field `answer`; …"
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"", "an empty file"), (b"[]", "expected object"), (b'{"data": ', "cut short"), (b"\xff", "broken JSON")],
)
def test_what_is_no_such_file(data, text):
    assert text in complaint(data)


@pytest.mark.parametrize("name", ["x.json", "x.json.gz"])
def test_written_and_read_again(tmp_path, name):
    rounds = [round_()] * 8 + [round_(gt_index=None), round_(answer_options=None, gt_index=None, answer=None)]
    visdial = parse(document(dialogue(5, rounds), dialogue(6)))
    write_visdial(visdial, tmp_path / name)
    again = read_visdial(tmp_path / name)
    assert again == visdial
    assert again.notes == visdial.notes
    first = (tmp_path / name).read_bytes()
    plain = gzip.decompress(first) if name.endswith(".gz") else first
    assert again.fingerprint == hashlib.sha256(plain).hexdigest()
    write_visdial(again, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


def test_standard_input_and_output(monkeypatch, capsysbinary):
    data = json.dumps(document(dialogue())).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    visdial = read_visdial("-")
    write_visdial(visdial, "-")
    assert parse(capsysbinary.readouterr().out) == visdial


def test_records_differ_where_their_content_does():
    visdial = parse(document(dialogue()))
    assert visdial != parse(document(dialogue(6)))
    assert visdial != parse(document(dialogue(5, [round_(question=0)] * 10)))
    assert visdial != 5


def test_it_is_recognised():
    source = Source("f", json.dumps(document(dialogue())).encode())
    assert detect(source) is FORMAT
    visdial = FORMAT.parse(source)
    assert FORMAT.describe(visdial) == "VisDial 1.0 val2018: 1 dialogue, 10 rounds, 100 options each"
    keys = FORMAT.keys(visdial)
    assert keys["image"].tolist() == [5]
    assert keys["round"].tolist() == [[5, number] for number in range(10)]
    assert FORMAT.notes(visdial) == ()


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            '"gt_index": 42',
            '"gt_index": 41, "gt_index": 42',
            "image 5, field `gt_index`: found this key twice in one object, expected each key once",
        ),
        ('"caption"', '"caption": "x", "caption"', "image 5, field `caption`: found this key twice"),
        ('"split"', '"split": "train", "split"', "f.json: field `split`: found this key twice"),
        ('"questions"', '"questions": [], "questions"', "f.json: field `data.questions`: found this key twice"),
        (
            '"data"',
            '"data": {"questions": [], "answers": [], "dialogs": [1]}, "data"',
            "f.json: field `data`: found this key twice",
        ),
        ('"data"', '"data" : 3, "data"', "f.json: field `data`: found"),
    ],
)
def test_a_field_that_occurs_twice_is_refused(old, new, text):
    good = json.dumps(document(dialogue()))
    assert text in complaint(good.replace(old, new, 1).encode())


def test_white_space_before_colons_and_quotes_in_texts_are_no_fault():
    value = document(dialogue())
    value["data"]["questions"] += ['what is "this": a cup', ":)"]
    plain = parse(value)
    assert plain == parse(json.dumps(value, separators=(",", " : ")).encode())
    assert plain.notes == ()


@pytest.mark.parametrize("place", [b'{"version"', b'"data": {'])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b'"caf\xe9"', "line 1: found the byte 0xe9, which is not UTF-8, expected text in UTF-8. Convert the file"),
        (b"1e999", "found a number that cannot be held"),
        (b"9" * 5000, "found a number that cannot be held"),
    ],
)
def test_a_field_that_is_not_known_may_not_hold_what_cannot_be_read(place, value, text):
    data = json.dumps(document(dialogue())).encode()
    opened = place[: place.index(b"{") + 1]
    assert text in complaint(data.replace(place, opened + b'"license": ' + value + b", " + place[len(opened) :], 1))


def test_any_number_of_options_that_is_the_same_in_all_rounds():
    rounds = [round_(answer=OPTIONS[2], gt_index=2, answer_options=OPTIONS[:20]) for _ in range(10)]
    visdial = parse_visdial(Source("f.json", json.dumps(document(dialogue(5, rounds))).encode()))
    assert visdial.options.shape == (10, 20)
    assert visdial.notes == ()
    assert FORMAT.describe(visdial).endswith("10 rounds, 20 options each")
    actual = complaint(document(dialogue(5, [*rounds[:9], round_()])))
    assert "image 5, round 9 (from 0), field `answer_options`: found 100 entries, expected 20" in actual
    beyond = complaint(document(dialogue(5, [*rounds[:9], {**rounds[0], "gt_index": 20}])))
    assert "field `gt_index`: found 20, expected a place among the 20 options, from 0" in beyond


def test_a_file_may_not_ask_for_more_memory_than_it_has_bytes():
    rounds = [round_(answer=0, gt_index=0, answer_options=[0] * 1001)] * 10
    assert "field `answer_options`: found 1,001 entries, expected 1000" in complaint(document(dialogue(5, rounds)))
