"""Oracles' answers: the table of several oracles, and one oracle's answers about every object."""

import json

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source, write_lines
from voirdire.formats.oracle_answers import (
    ORACLE_ANSWERS,
    QuestionAnswers,
    parse_object_answers,
    parse_oracle_answers,
    read_object_answers,
    write_oracle_answers,
)
from voirdire.formats.oracle_answers import ORACLE_ANSWERS as ANSWERS


def faults(parse, data):
    with pytest.raises(InputError) as caught:
        parse(Source("file", data))
    return [str(problem) for problem in caught.value.problems]


class TestOracleAnswers:
    DATA = b"gid,pos,Blind,question_id,human,Seer\n7,0,<no>,70,<no>,<n/a>\n7,1,<yes>,71,<no>,<yes>\n"

    def test_every_other_column_is_an_oracle(self):
        record = parse_oracle_answers(Source("file", self.DATA))
        assert record.oracles == ("Blind", "Seer")
        assert record.game_ids.tolist() == [7, 7]
        assert record.positions.tolist() == [0, 1]
        assert record.question_ids.tolist() == [70, 71]
        assert record.human.tolist() == [1, 1]
        assert record.of("Blind").tolist() == [1, 0]
        assert record.of("Seer").tolist() == [2, 0]
        assert ANSWERS.describe(record) == "2 questions of 1 game, human and Blind, Seer"
        assert detect(Source("file", self.DATA)).name == "oracle_answers"
        with pytest.raises(ValueError, match="`oracle` must be one of Blind, Seer, got 'Cat'"):
            record.of("Cat")

    def test_a_table_without_oracles_or_rows(self):
        record = parse_oracle_answers(Source("file", b"gid,pos,question_id,human\n"))
        assert record.answers.shape == (0, 0)
        assert ANSWERS.describe(record) == "0 questions of 0 games, human and no oracle"

    def test_faults(self):
        data = self.DATA + b"x,1,yes,71,<no>,<yes>\n7,2,<no>,73,<no>\n"
        assert faults(parse_oracle_answers, data) == [
            "line 4, field `gid`: found 'x', expected a whole number",
            "line 4, field `Blind`: found 'yes', expected <yes> or <no> or <n/a>",
            "line 5: found 5 cells, expected 6, as in the first line",
        ]
        assert faults(parse_oracle_answers, self.DATA + b"7,1,<no>,71,<no>,<yes>\n") == [
            "question 71, field `question_id`: found 2 records with this id, expected one",
            "game 7, field `pos`: found the place 1 more than once, expected each place once",
        ]

    def test_written_and_read_again_it_is_the_same(self, tmp_path):
        record = parse_oracle_answers(Source("file", self.DATA))
        write_oracle_answers(record, tmp_path / "o.csv.gz")
        assert ORACLE_ANSWERS.read(tmp_path / "o.csv.gz") == record


def source(*lines):
    return Source("o.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())


def line(game=1, question=0, **answers):
    return {"game_id": game, "question": question, "answers": answers or {"7": "yes", "8": "n/a"}}


def test_lines_are_read():
    rows = parse_object_answers(source(line(), line(question=1, **{"7": "no", "8": "n/a"})))
    assert list(rows) == [
        QuestionAnswers(1, 0, {7: "yes", 8: "n/a"}),
        QuestionAnswers(1, 1, {7: "no", 8: "n/a"}),
    ]
    assert len(rows.fingerprint) == 64


def test_it_is_known_and_described():
    format_ = detect(source(line()))
    assert format_.name == "object_answers"
    assert format_.describe(format_.parse(source(line(), line(question=1)))) == "2 questions of 1 game, 4 answers"


def test_writing_and_reading_again(tmp_path):
    lines = [QuestionAnswers(5, 0, {8: "yes", 7: "n/a"}), QuestionAnswers(5, 1, {8: "no", 7: "yes"})]
    write_lines(lines, tmp_path / "o.jsonl.gz")
    assert list(read_object_answers(tmp_path / "o.jsonl.gz")) == lines


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line(**{"7": "maybe"})], "game 1, question 0, object 7, field `answers`: found 'maybe', expected yes, no"),
        ([line(**{"7": "Yes"})], "object 7, field `answers`: found 'Yes'"),
        ([line(), line()], "game 1, question 0, field `question`: found 2 lines for it, expected one"),
        ([{"game_id": 1, "question": 0}], "line 1, game 1, question 0, field `answers`: found nothing"),
        ([line(question=-1)], "field `question`: found -1"),
        ([line(**{"seven": "yes"})], "expected int"),
        ([{**line(), "game_id": "1"}], "field `game_id`: found '1', expected int"),
    ],
)
def test_faults_are_named(lines, message):
    with pytest.raises(InputError) as caught:
        parse_object_answers(source(*lines))
    assert message in str(caught.value)


def test_another_format_is_named(tmp_path):
    (tmp_path / "r.json").write_text('[{"question_id": 1, "answer": "yes"}]')
    with pytest.raises(InputError, match=r"vqa_results\), expected an oracle's answers about every object"):
        read_object_answers(tmp_path / "r.json")


def test_an_empty_file(tmp_path):
    with pytest.raises(InputError, match="an empty file"):
        parse_object_answers(Source("o.jsonl", b""))
