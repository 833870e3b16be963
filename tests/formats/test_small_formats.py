"""Small formats: image ids, judgements on the history, types of questions, questions of GuessWhat?! games."""

import json

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source, open_source
from voirdire.formats.small_formats import (
    CONV_JUDGEMENTS,
    HISTORY_QUESTIONS,
    IMAGE_IDS,
    ORACLE_QA,
    QUESTION_TYPES,
    parse_word_types,
    read_word_types,
    write_word_types,
)

HEADER = b"img,judge,response\n"


def complaint(parse, data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        parse(Source("f", data))
    assert str(caught.value).startswith("f: ")
    return str(caught.value)


def test_judgements_are_read():
    record = CONV_JUDGEMENTS.parse(Source("f", HEADER + b"7,0,1\r\n7,1,6\r\n\r\n5,0,3"))
    assert record.image_ids.tolist() == [7, 7, 5]
    assert record.judges.tolist() == [0, 1, 0]
    assert record.responses.tolist() == [1, 6, 3]
    assert {array.dtype for array in (record.image_ids, record.judges, record.responses)} == {np.dtype(np.int64)}
    assert CONV_JUDGEMENTS.describe(record) == "3 judgements of 2 images by 2 judges"
    assert CONV_JUDGEMENTS.keys(record)["image"].tolist() == [5, 7]


def test_columns_may_stand_in_any_order_and_others_are_noted():
    record = CONV_JUDGEMENTS.parse(Source("f", b"judge,note,img,response\n1,x,7,2\n"))
    assert (record.image_ids.tolist(), record.judges.tolist(), record.responses.tolist()) == ([7], [1], [2])
    assert record.notes == ("column 'note' is not known and was not read",)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "an empty file"),
        (HEADER, "found no judgement, expected at least one"),
        (b"img,judge\n1,2\n", "line 1, field `response`: found no such column"),
        (HEADER + b"5,0,7\n", "line 2, field `response`: found '7', expected a whole number from 1 to 6"),
        (HEADER + b"5,0,0\n", "line 2, field `response`: found '0', expected"),
        (HEADER + b"5,0,1\nx,0,1\n", "line 3, field `img`: found 'x', expected a whole number"),
        (HEADER + b"5,0,1\n5,1.0,1\n", "line 3, field `judge`: found '1.0', expected a whole number"),
        (HEADER + b"5,0\n", "line 2: found 2 cells, expected 3"),
        (HEADER + b"5,0,1\n6,0,1\n5,0,2\n", "line 4: found judge 0 on image 5 again, expected each judge once"),
        (HEADER + b"99999999999999999999,0,1\n", "line 2, field `img`"),
        (HEADER + b"5,0,\xff\n", "not UTF-8"),
    ],
)
def test_faults_of_judgements(data, text):
    assert text in complaint(CONV_JUDGEMENTS.parse, data)


def test_image_ids_keep_their_order():
    record = IMAGE_IDS.parse(Source("f", b"7\n\n 5 \r\n9223372036854775807"))
    assert record.image_ids.tolist() == [7, 5, 2**63 - 1]
    assert IMAGE_IDS.describe(record) == "3 image ids"
    assert IMAGE_IDS.notes(record) == ()


def test_one_number_alone_is_noted():
    record = IMAGE_IDS.parse(Source("ids.txt", b"5\n"))
    assert IMAGE_IDS.notes(record) == ("one number alone; it was read as the id of an image",)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "found an empty file, expected at least one image id"),
        (b"7\nx\n", "line 2: found 'x', expected an image id, a whole number"),
        (b"7\n5\x1d\n", "line 2: found '5"),
        (b"-7\n", "line 1: found '-7'"),
        (b"7.0\n", "line 1: found '7.0'"),
        (b"9223372036854775808", "line 1: found '9223372036854775808'"),
        ("٤٢".encode(), "line 1: found '٤٢'"),
        (b"7\n5\n7\n", "line 3: found image 7 again, after line 1, expected each image once"),
        (b"7\n\xff\n", "not UTF-8"),
    ],
)
def test_faults_of_image_ids(data, text):
    assert text in complaint(IMAGE_IDS.parse, data)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_written_and_read_again(tmp_path, ending):
    judgements = CONV_JUDGEMENTS.parse(Source("f", HEADER + b"7,0,1\n5,1,6\n"))
    CONV_JUDGEMENTS.write(judgements, tmp_path / f"x.csv{ending}")
    assert CONV_JUDGEMENTS.read(tmp_path / f"x.csv{ending}") == judgements
    ids = IMAGE_IDS.parse(Source("f", b"7\n5\n"))
    IMAGE_IDS.write(ids, tmp_path / f"x.txt{ending}")
    assert IMAGE_IDS.read(tmp_path / f"x.txt{ending}") == ids
    assert open_source(tmp_path / f"x.txt{ending}").data == b"7\n5\n"


def test_they_are_recognised():
    assert detect(Source("f", HEADER + b"7,0,1\n")) is CONV_JUDGEMENTS
    assert detect(Source("f", b"7\n5\n")) is IMAGE_IDS


def source(value):
    return Source("file.json", value if isinstance(value, bytes) else json.dumps(value).encode())


def faults(parse, value):
    with pytest.raises(InputError) as caught:
        parse(source(value))
    return [str(problem) for problem in caught.value.problems]


class TestQuestionTypes:
    def test_one_a_line(self, tmp_path):
        types = QUESTION_TYPES.parse(source(b"is the\r\n\nwhat\nnone of the above"))
        assert tuple(types) == ("is the", "what", "none of the above")
        QUESTION_TYPES.write(types, tmp_path / "types.txt.gz")
        assert QUESTION_TYPES.read(tmp_path / "types.txt.gz") == types

    def test_faults_name_the_line(self):
        assert faults(QUESTION_TYPES.parse, b"is the\nIs It?\nis the\nthe cup\n") == [
            "line 2: found 'Is It?', expected the first words of a question, in lower case",
            "line 3: found 'is the', as on line 1, expected each type once",
            "line 4: found 'the cup', expected the first words of a question, in lower case",
        ]

    def test_nothing_is_a_fault(self):
        assert faults(QUESTION_TYPES.parse, b"\n \n") == ["found no question type, expected at least one"]

    def test_bytes_that_are_not_text_are_a_fault(self):
        assert faults(QUESTION_TYPES.parse, b"what\n\xff\n") == [
            "line 2: found the byte 0xff, which is not UTF-8, expected text in UTF-8. "
            "Convert the file, for example with iconv -f LATIN1 -t UTF-8."
        ]


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
        (problems,) = faults(ORACLE_QA.parse, self.data(**fields))
        assert problems.startswith(f"line 1, question 4, field `{field}`: found ")

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


def word_faults(parse, data):
    with pytest.raises(InputError) as caught:
        parse(Source("file", data))
    return [str(problem) for problem in caught.value.problems]


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
        problems = word_faults(parse_word_types, b"cup\tobject\ncup\n\tobject\nred\tcolour\na\tobject\tx\n")
        assert [text.split(", expected")[0] for text in problems] == [
            "line 2: found 'cup'",
            "line 3: found '\\tobject'",
            "line 4: found 'colour'",
            "line 5: found 'a\\tobject\\tx'",
        ]
        assert word_faults(parse_word_types, b" \n") == ["found no word, expected at least one"]
