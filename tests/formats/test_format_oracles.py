"""Answers of oracles, questions for one, questions that lean on the history, and words with their types."""

import json

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.declared import HISTORY_QUESTIONS, ORACLE_QA
from voirdire.formats.files import Source
from voirdire.formats.oracle_answers import ORACLE_ANSWERS as ANSWERS
from voirdire.formats.oracle_answers import parse_oracle_answers, read_oracle_answers, write_oracle_answers
from voirdire.formats.word_types import parse_word_types, read_word_types, write_word_types


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
        assert read_oracle_answers(tmp_path / "o.csv.gz") == record


ROW = {
    "question_id": 4,
    "question": "Is it red?",
    "answer": 0,
    "category": 46,
    "bbox": [0.25, 0.5, 0.75, 0.1],
    "width": 64,
    "height": 48,
}


class TestOracleQuestions:
    def data(self, **fields):
        return json.dumps({**ROW, **fields}).encode() + b"\n"

    def test_rows(self, tmp_path):
        rows = ORACLE_QA.parse(Source("file", self.data() + self.data(question_id=5, answer=2)))
        assert rows[0].bbox == (0.25, 0.5, 0.75, 0.1)
        assert ORACLE_QA.describe(rows) == "2 questions with a box (1 yes, 1 n/a)"
        assert ORACLE_QA.keys(rows)["game question"].tolist() == [4, 5]
        assert detect(Source("file", self.data())).name == "oracle_qa"
        ORACLE_QA.write(rows, tmp_path / "q.jsonl")
        assert ORACLE_QA.read(tmp_path / "q.jsonl") == rows

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"answer": 3}, "answer"),
            ({"answer": "yes"}, "answer"),
            ({"category": 90}, "category"),
            ({"bbox": [0, 0, 1.5, 1]}, "bbox[2]"),
            ({"bbox": [0, 0, 1]}, "bbox"),
            ({"width": 0}, "width"),
        ],
    )
    def test_faults_name_the_field(self, fields, field):
        (found,) = faults(ORACLE_QA.parse, self.data(**fields))
        assert found.startswith(f"line 1, question 4, field `{field}`: found ")

    def test_a_list_of_none(self):
        assert faults(ORACLE_QA.parse, b"[]") == ["found no question, expected at least one"]

    def test_a_box_that_leaves_the_image_and_an_id_twice(self):
        assert faults(ORACLE_QA.parse, self.data(bbox=[0.5, 0, 0.6, 1]) * 2) == [
            "question 4, field `question_id`: found 2 records with this id, expected one",
            "question 4, field `bbox`: found [0.5, 0.0, 0.6, 1.0], expected a box inside the image",
            "question 4, field `bbox`: found [0.5, 0.0, 0.6, 1.0], expected a box inside the image",
        ]


class TestHistoryQuestions:
    DATA = b'question_id,game_id,question\n70,7,"the left, then?"\n71,8,"a\nb"\n72,8,c\n'

    def test_rows(self, tmp_path):
        record = HISTORY_QUESTIONS.parse(Source("file", self.DATA))
        assert record.question_ids.tolist() == [70, 71, 72]
        assert record.game_ids.tolist() == [7, 8, 8]
        assert record.questions == ("the left, then?", "a\nb", "c")
        assert detect(Source("file", self.DATA)).name == "history_questions"
        HISTORY_QUESTIONS.write(record, tmp_path / "h.csv")
        assert HISTORY_QUESTIONS.read(tmp_path / "h.csv") == record

    def test_a_row_over_two_lines_is_named_by_its_first(self):
        assert faults(HISTORY_QUESTIONS.parse, self.DATA.replace(b"71,8", b"x,8").replace(b"72,8", b"y,8")) == [
            "line 3, field `question_id`: found 'x', expected a whole number",
            "line 5, field `question_id`: found 'y', expected a whole number",
        ]

    def test_an_unknown_column_is_noted(self):
        record = HISTORY_QUESTIONS.parse(Source("file", b"game_id,mood,question_id,question\n7,good,70,why?\n"))
        assert record.notes == ("column 'mood' is not known and was not read",)


class TestWordTypes:
    DATA = b"above\tspatial\ncup \tobject\n\norange\tcolor\norange \tobject\ncup\tobject\r\n"

    def test_words_may_have_two_types(self, tmp_path):
        record = parse_word_types(Source("file", self.DATA))
        assert record.by_word == {"above": ("spatial",), "cup": ("object",), "orange": ("color", "object")}
        assert record.notes == ("line 6: cup as object is on line 2 already", "orange is color and object")
        assert detect(Source("file", self.DATA)).name == "word_types"
        write_word_types(record, tmp_path / "w.tsv")
        assert read_word_types(tmp_path / "w.tsv") == record

    def test_faults_name_the_line(self):
        found = faults(parse_word_types, b"cup\tobject\ncup\n\tobject\nred\tcolour\na\tobject\tx\n")
        assert [text.split(", expected")[0] for text in found] == [
            "line 2: found 'cup'",
            "line 3: found '\\tobject'",
            "line 4: found 'colour'",
            "line 5: found 'a\\tobject\\tx'",
        ]
        assert faults(parse_word_types, b" \n") == ["found no word, expected at least one"]
