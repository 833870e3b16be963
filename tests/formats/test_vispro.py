"""Gold coreference: what is read, and which contradictions are found."""

import copy
import json
from typing import Any

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.vispro import FORMAT, parse_vispro
from voirdire.formats.vispro import FORMAT as VISPRO

SENTENCES = [["A", "dog", "runs", "."], ["Is", "it", "brown", "?"], ["Yes", "."]]
PRONOUN = {
    "current_pronoun": [5, 5],
    "candidate_NPs": [[0, 1], [2, 2]],
    "reference_type": 0,
    "correct_NPs": [[0, 1]],
    "not_discussed": False,
}
DIALOGUE = {
    "pronoun_info": [PRONOUN],
    "sentences": SENTENCES,
    "image_file": "COCO_val2014_000000000005.jpg",
    "clusters": [[[0, 1], [5, 5]]],
    "doc_key": "dl:1",
    "speakers": [["caption"] * 4, ["question"] * 4, ["answer"] * 2],
    "correct_caption_NPs": [[0, 1]],
    "object_detection": [18],
}


def changed(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(DIALOGUE), **changes}


def pronoun(**changes: Any) -> dict[str, Any]:
    return changed(pronoun_info=[PRONOUN, {**PRONOUN, **changes}])


def parse(*dialogues: Any) -> Any:
    return parse_vispro(Source("f.jsonl", b"\n".join(json.dumps(dialogue).encode() for dialogue in dialogues)))


def complaint(*dialogues: Any) -> str:
    with pytest.raises(InputError) as caught:
        parse(*dialogues)
    assert str(caught.value).startswith("f.jsonl: ")
    return str(caught.value)


def test_a_dialogue_is_read():
    vispro = parse(DIALOGUE, changed(doc_key="dl:2", image_file="x"))
    first = vispro.dialogues[0]
    assert first.tokens() == ["A", "dog", "runs", ".", "Is", "it", "brown", "?", "Yes", "."]
    assert first.pronoun_info[0].current_pronoun == (5, 5)
    assert first.pronoun_info[0].candidate_NPs == [(0, 1), (2, 2)]
    assert first.pronoun_info[0].correct_NPs == [(0, 1)]
    assert first.clusters == [[(0, 1), (5, 5)]]
    assert first.object_detection == [18]
    assert vispro.notes == ("doc_key dl:2: no number in the image's file name 'x'",)
    assert FORMAT.describe(vispro) == "2 dialogues, 2 pronouns, 2 of them refer to a phrase"
    assert FORMAT.keys(vispro)["image"].tolist() == [5]


@pytest.mark.parametrize(
    ("dialogue", "text"),
    [
        (
            pronoun(current_pronoun=[10, 10]),
            "pronoun_info[1].current_pronoun`: found the span [10, 10], expected first <=",
        ),
        (
            pronoun(current_pronoun=[6, 5]),
            "doc_key dl:1, field `pronoun_info[1].current_pronoun`: found the span [6, 5]",
        ),
        (pronoun(candidate_NPs=[[0, 1], [5, 6]]), "found the span [5, 6], expected spans before the pronoun"),
        (
            pronoun(correct_NPs=[[1, 1]]),
            "`pronoun_info[1].correct_NPs`: found the span [1, 1], expected one of `candidate",
        ),
        (pronoun(correct_NPs=[]), "found 0 correct phrases with reference_type 0, expected correct phrases where"),
        (pronoun(reference_type=2), "found 1 correct phrase with reference_type 2"),
        (pronoun(reference_type=3), "field `pronoun_info[1].reference_type`: found 3, expected int <= 2"),
        (
            pronoun(not_discussed=0),
            "line 1, doc_key dl:1, field `pronoun_info[1].not_discussed`: found 0, expected bool",
        ),
        (
            pronoun(current_pronoun=[5]),
            "field `pronoun_info[1].current_pronoun`: found [5], expected array of length 2",
        ),
        (changed(clusters=[[[0, 99]]]), "field `clusters`: found the span [0, 99], expected first <= last < 10"),
        (changed(correct_caption_NPs=[[3, 2]]), "field `correct_caption_NPs`: found the span [3, 2]"),
        (changed(speakers=[["caption"] * 4]), "field `speakers`: found another number of entries than `sentences` has"),
        (
            changed(speakers=[["caption"] * 4, ["answer", "question"] * 2, ["answer"] * 2]),
            "found two speakers in a senten",
        ),
        (changed(speakers=[["x"] * 4, ["question"] * 4, ["answer"] * 2]), "field `speakers[0][0]`: found 'x'"),
        ({"doc_key": "dl:1"}, "field `pronoun_info`: found nothing, expected this field"),
    ],
)
def test_contradictions(dialogue, text):
    assert text in complaint(dialogue)


def test_keys_are_distinct():
    assert "doc_key dl:1, field `doc_key`: found more than one dialogue with this key" in complaint(DIALOGUE, DIALOGUE)


def test_unknown_fields_are_noted():
    dialogue = pronoun(score=1)
    dialogue["licence"] = "free"
    assert parse(dialogue).notes == (
        "field 'licence' is not known and was not read (1 time)",
        "field 'pronoun_info.score' is not known and was not read (1 time)",
    )


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonlines.gz"])
def test_written_and_read_again(tmp_path, name):
    vispro = parse(DIALOGUE, changed(doc_key="dl:2", pronoun_info=[]))
    FORMAT.write(vispro, tmp_path / name)
    assert VISPRO.read(tmp_path / name) == vispro


def test_it_is_recognised():
    line = json.dumps(DIALOGUE).encode()
    assert detect(Source("f", line)) is FORMAT
    assert detect(Source("f", line + b"\n" + line)) is FORMAT
