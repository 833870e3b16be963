"""A model's judgements: what is read, and every fault that is refused."""

import json

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source, write_lines
from voirdire.formats.model_judgements import (
    ModelJudgement,
    parse_model_judgements,
    read_model_judgements,
)


def source(*lines):
    return Source("j.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())


def line(**more):
    return {"dialogue": 3, "turn": 2, "index": 1, "question": "truth", "value": "yes", **more}


def test_lines_are_read():
    answers = line(question="sharing", value=None, how="logprobs", text="Perhaps.", proposition="there is a dog.")
    rows = parse_model_judgements(source(line(), answers))
    assert list(rows) == [
        ModelJudgement(3, 2, 1, "truth", "yes"),
        ModelJudgement(3, 2, 1, "sharing", None, "logprobs", "Perhaps.", "there is a dog."),
    ]
    score = line(question="score", value="open", how="text-low")
    assert list(parse_model_judgements(source(score))) == [ModelJudgement(3, 2, 1, "score", "open", "text-low")]
    assert len(rows.fingerprint) == 64


def test_it_is_known_and_described():
    format_ = detect(source(line()))
    assert format_.name == "model_judgements"
    assert format_.describe(format_.parse(source(line(), line(dialogue=4)))) == "2 judgements of 2 dialogues"
    unread = format_.parse(source(line(value=None), line(turn=3)))
    assert format_.describe(unread) == "2 judgements of 1 dialogue, 1 of which could not be read"
    assert format_.keys(unread)["dialogue"].tolist() == [3]


def test_writing_and_reading_again(tmp_path):
    rows = [ModelJudgement(0, turn, 1, "sharing", None, "typed", "p(yes) = 0.5", "ein Satz.") for turn in range(3)]
    write_lines(rows, tmp_path / "j.jsonl.gz")
    assert list(read_model_judgements(tmp_path / "j.jsonl.gz")) == rows


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [line(value="maybe")],
            "dialogue 3, turn 2, proposition 1, field `value`: found 'maybe', expected yes, no or null",
        ),
        ([line(question="score")], "field `value`: found 'yes', expected true, false, open or null"),
        ([line(value="open")], "field `value`: found 'open', expected yes, no or null"),
        ([line(value="Yes")], "field `value`: found 'Yes'"),
        ([line(value=True)], "field `value`"),
        ([line(question="falsity")], "field `question`: found 'falsity', expected score, truth or sharing"),
        ([line(how="guessed")], "field `how`: found 'guessed', expected logprobs, text, text-low or typed"),
        ([line(turn=11)], "field `turn`: found 11"),
        ([line(index=-1)], "field `index`: found -1"),
        ([line(dialogue="3")], "field `dialogue`: found '3', expected int"),
        ([{name: value for name, value in line().items() if name != "value"}], "field `value`: found nothing"),
        (
            [line(), line(value="no")],
            "dialogue 3, turn 2, proposition 1 (all from 0), field `question`: found 'truth'",
        ),
    ],
)
def test_faults_are_named(lines, message):
    with pytest.raises(InputError) as caught:
        parse_model_judgements(source(*lines))
    assert message in str(caught.value)


def test_an_empty_list_has_no_judgement():
    with pytest.raises(InputError, match="no judgement, expected at least one"):
        parse_model_judgements(Source("j.json", b"[]"))
