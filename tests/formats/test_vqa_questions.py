"""VQA questions: what is read, refused, noted and written."""

import numpy as np
import pytest
from json_files import faults, source

from voirdire.formats.strict import MORE
from voirdire.formats.vqa_questions import FORMAT as QUESTIONS
from voirdire.formats.vqa_questions import (
    VqaQuestion,
    VqaQuestions,
    parse_vqa_questions,
    read_vqa_questions,
    write_vqa_questions,
)

QUESTION = {"question_id": 7, "image_id": 3, "question": "Is the cup red?"}


class TestQuestions:
    def test_reads_ids_texts_and_what_the_file_says_of_itself(self):
        rows = [QUESTION, {"question_id": 2, "image_id": 9, "question": "How many?", "split": "val"}]
        record = parse_vqa_questions(source({"questions": rows, "task_type": "Open-Ended"}))
        assert record.question_ids.tolist() == [7, 2]
        assert record.image_ids.tolist() == [3, 9]
        assert record.questions == ("Is the cup red?", "How many?")
        assert record.splits == (None, "val")
        assert record.meta == {"task_type": "Open-Ended"}
        assert QUESTIONS.describe(record) == "2 questions about 2 images"
        assert record.notes == ()

    def test_no_question_is_an_empty_record(self):
        record = parse_vqa_questions(source({"questions": []}))
        assert len(record) == 0
        assert record.question_ids.dtype == np.int64
        assert QUESTIONS.describe(record) == "0 questions about 0 images"

    def test_every_bad_record_is_listed(self):
        rows = [QUESTION, {**QUESTION, "question_id": "8"}, {"question_id": 9, "image_id": 1}]
        assert faults(parse_vqa_questions, {"questions": rows}) == [
            "question '8', field `question_id`: found '8', expected int",
            "question 9, field `question`: found nothing, expected this field. " + MORE,
        ]

    def test_an_id_twice_is_named(self):
        assert faults(parse_vqa_questions, {"questions": [QUESTION, QUESTION]}) == [
            "question 7, field `question_id`: found 2 records with this id, expected one"
        ]

    def test_an_id_beyond_63_bits_is_refused(self):
        (problems,) = faults(parse_vqa_questions, {"questions": [{**QUESTION, "image_id": 2**63}]})
        assert problems.startswith(f"question 7, field `image_id`: found {2**63}, expected ")

    def test_broken_json_is_refused_with_its_place(self):
        assert "line 1, column" in faults(parse_vqa_questions, b'{"questions": [')[0]

    def test_a_field_twice_is_refused(self):
        data = b'{"questions": [{"question_id": 7, "question_id": 8, "image_id": 3, "question": "Is it: red?"}]}'
        assert faults(parse_vqa_questions, data) == [
            "field `question_id`: found this key twice in one object, expected each key once. " + MORE
        ]

    def test_colons_in_texts_are_no_keys(self):
        data = (
            b'{"info": {"url": "http://a"}, "questions": [{"question_id": 7, "image_id": 3, "question": "a\\u003ab:"}]}'
        )
        assert parse_vqa_questions(source(data)).questions == ("a:b:",)

    def test_an_unknown_field_and_an_empty_text_are_noted(self):
        record = parse_vqa_questions(source({"questions": [{**QUESTION, "question": " ", "mood": 1}]}))
        assert record.notes == (
            "field 'questions.mood' is not known and was not read (1 time)",
            "question 7: no text",
        )

    @pytest.mark.parametrize("name", ["q.json", "q.json.gz"])
    def test_written_and_read_again_it_is_the_same(self, tmp_path, name):
        record = VqaQuestions.from_rows(
            [VqaQuestion(7, 3, "Is it?"), VqaQuestion(8, 3, "Who?", "val")], {"info": {"a": 1}}
        )
        write_vqa_questions(record, tmp_path / name)
        again = read_vqa_questions(tmp_path / name)
        assert again == record
        assert again.rows() == record.rows()

    def test_from_rows_wants_distinct_ids(self):
        with pytest.raises(ValueError, match="question_id"):
            VqaQuestions.from_rows([VqaQuestion(7, 3, "a"), VqaQuestion(7, 3, "b")])
