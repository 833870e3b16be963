"""VisDial dialogues as text: how turns are cut, and what cannot be."""

import json
from typing import Any

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.visdial_text import (
    FORMAT,
    image_number,
    parse_visdial_text,
    write_visdial_text,
)
from voirdire.formats.visdial_text import FORMAT as VISDIAL_TEXT

TURNS = ["a cup on a table", "is it red? yes", "how many? one, i think"]


def parse(value: Any) -> Any:
    return parse_visdial_text(Source("f.json", value if isinstance(value, bytes) else json.dumps(value).encode()))


def complaint(value: Any) -> str:
    with pytest.raises(InputError) as caught:
        parse(value)
    assert str(caught.value).startswith("f.json: ")
    return str(caught.value)


def one(*turns: str, img: str = "a/000000000042.jpg") -> list[dict[str, Any]]:
    return [{"img": img, "dialog": list(turns)}]


def test_turns_are_cut_into_question_and_answer():
    text = parse(one(*TURNS) + one("a dog", "is it big? no", img="000000000007.png"))
    assert text.image_ids.tolist() == [42, 7]
    assert text.captions == ["a cup on a table", "a dog"]
    assert text.first_round.tolist() == [0, 2, 3]
    assert text.questions == ["is it red", "how many", "is it big"]
    assert text.answers == ["yes", "one, i think", "no"]
    assert text.notes == ()
    assert FORMAT.describe(text) == "2 dialogues, 3 rounds"
    assert FORMAT.keys(text)["round"].tolist() == [[42, 0], [42, 1], [7, 0]]


def test_several_question_marks_are_cut_at_the_first_and_noted():
    text = parse(one("a cup", "is it red? or blue? yes"))
    assert (text.questions, text.answers) == (["is it red"], ["or blue? yes"])
    assert text.notes == ("image 42, round 0 (from 0): cut at the first of several question marks",)


@pytest.mark.parametrize("turn", ["is it red yes", "is it red?", "is it red? ", "? yes", "", "is it red?yes"])
def test_what_cannot_be_cut_is_named(turn):
    text = complaint(one("a cup", "is it red? yes", turn))
    assert (
        f'image 42, round 1 (from 0), field `dialog[2]`: found {turn!r}, expected a question, "? " and an answer'
        in text
    )


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("000000000042.jpg", 42),
        ("unlabeled2017/000000000042.jpg", 42),
        ("VisualDialog_val2018_000000000042.jpg", 42),
        ("42.png", 42),
        ("a42.jpg", None),
        ("42", None),
        ("cup.jpg", None),
        ("", None),
        ("9" * 30 + ".jpg", None),
        ("٤٢.jpg", None),
    ],
)
def test_the_number_of_an_image(name, number):
    assert image_number(name) == number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            one(*TURNS, img="cup.jpg"),
            "field `img`: found 'cup.jpg', expected a file name that ends in the image's number",
        ),
        (one(*TURNS) * 2, "image 42, field `img`: found more than one dialogue of this image, expected one"),
        (
            one("only a caption"),
            "image a/000000000042.jpg, field `dialog`: found ['only a caption'], expected array of",
        ),
        (one(*["is it? yes"] * 12), "field `dialog`: found"),
        ([{"img": 42, "dialog": TURNS}], "record 1, field `img`: found 42, expected str"),
        ([{"img": "42.jpg"}], "image 42.jpg, field `dialog`: found nothing, expected this field"),
        ([], "found no record, expected at least one"),
    ],
)
def test_faults(value, text):
    assert text in complaint(value)


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.jsonl.gz"])
def test_written_and_read_again(tmp_path, name):
    text = parse(one(*TURNS, "is it? or not? yes") + one("a dog", "is it big? no", img="7.png"))
    write_visdial_text(text, tmp_path / name)
    assert VISDIAL_TEXT.read(tmp_path / name) == text


def test_it_is_recognised():
    assert detect(Source("f", json.dumps(one(*TURNS)).encode())) is FORMAT
