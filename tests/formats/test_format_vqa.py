"""VQA questions, annotations and results: what is read, what is refused, and that writing loses nothing."""

import gzip
import json

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats.files import Source
from voirdire.formats.strict import MORE
from voirdire.formats.vqa_annotations import FORMAT as ANNOTATIONS
from voirdire.formats.vqa_annotations import (
    VqaAnnotation,
    VqaAnnotations,
    VqaAnswer,
    parse_vqa_annotations,
    read_vqa_annotations,
    write_vqa_annotations,
)
from voirdire.formats.vqa_questions import FORMAT as QUESTIONS
from voirdire.formats.vqa_questions import (
    VqaQuestion,
    VqaQuestions,
    parse_vqa_questions,
    read_vqa_questions,
    write_vqa_questions,
)
from voirdire.formats.vqa_results import VqaResult, VqaResults, parse_vqa_results, read_vqa_results, write_vqa_results


def source(value):
    return Source("file.json", value if isinstance(value, bytes) else json.dumps(value).encode())


def faults(parse, value):
    with pytest.raises(InputError) as caught:
        parse(source(value))
    assert str(caught.value).startswith("file.json: ")
    return [str(problem) for problem in caught.value.problems]


QUESTION = {"question_id": 7, "image_id": 3, "question": "Is the cup red?"}


def annotation(id_=7, answers=("yes",) * 8 + ("no",) * 2, **more):
    rows = [{"answer": a, "answer_confidence": "yes", "answer_id": i} for i, a in enumerate(answers, start=1)]
    return {
        "question_id": id_,
        "image_id": 3,
        "question_type": "is the",
        "answer_type": "yes/no",
        "multiple_choice_answer": "yes",
        "answers": rows,
        **more,
    }


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
        (found,) = faults(parse_vqa_questions, {"questions": [{**QUESTION, "image_id": 2**63}]})
        assert found.startswith(f"question 7, field `image_id`: found {2**63}, expected ")

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


class TestAnnotations:
    def test_answers_are_places_in_the_pool(self):
        rows = [annotation(), annotation(8, ["no", "red"] * 5, answer_type="other", multiple_choice_answer="red")]
        record = parse_vqa_annotations(source({"annotations": rows}))
        assert record.pool == ("yes", "no", "red")
        assert record.answers.tolist() == [[0] * 8 + [1] * 2, [1, 2] * 5]
        assert record.answers_of(1) == ("no", "red") * 5
        assert record.confidences.tolist() == [[0] * 10] * 2
        assert record.majority == ("yes", "red")
        assert ANNOTATIONS.describe(record) == "2 questions with 10 answers each (1 yes/no, 1 other)"

    @pytest.mark.parametrize("count", [0, 1, 9, 11])
    def test_another_number_of_answers_is_a_fault(self, count):
        found = faults(parse_vqa_annotations, {"annotations": [annotation(answers=["yes"] * count)]})
        some = "1 answer" if count == 1 else f"{count} answers"
        assert found == [f"question 7, field `answers`: found {some}, expected 10"]

    def test_unknown_types_and_duplicates_are_faults(self):
        found = faults(parse_vqa_annotations, {"annotations": [annotation(answer_type="colour")]})
        assert found[0].startswith("question 7, field `answer_type`: found 'colour'")
        found = faults(parse_vqa_annotations, {"annotations": [annotation(), annotation()]})
        assert found == ["question 7, field `question_id`: found 2 records with this id, expected one"]

    def test_the_layout_without_a_majority_answer_and_confidence(self):
        row = annotation()
        del row["multiple_choice_answer"]
        row["answers"] = [{"answer": "x", "raw_answer": "X", "answer_id": i} for i in range(1, 11)]
        record = parse_vqa_annotations(source({"annotations": [row]}))
        assert record.majority == (None,)
        assert record.confidences.tolist() == [[-1] * 10]
        assert record.notes == ()

    def test_answers_out_of_order_are_noted(self):
        row = annotation()
        row["answers"].reverse()
        record = parse_vqa_annotations(source({"annotations": [row]}))
        assert record.notes == ("question 7: the answers are not numbered 1 to 10 by answer_id",)

    def test_written_and_read_again_it_is_the_same(self, tmp_path):
        answers = tuple(VqaAnswer("two" if i else "2", "maybe", i + 1) for i in range(10))
        rows = [VqaAnnotation(7, 3, "how many", "number", answers, "two", "val")]
        record = VqaAnnotations.from_rows(rows, {"data_subtype": "val"})
        write_vqa_annotations(record, tmp_path / "a.json.gz")
        again = read_vqa_annotations(tmp_path / "a.json.gz")
        assert again == record
        assert again.rows() == rows
        assert again.notes == ()

    def test_the_same_record_gives_the_same_bytes(self, tmp_path):
        record = parse_vqa_annotations(source({"annotations": [annotation()]}))
        for name in ("a.json.gz", "b.json.gz"):
            write_vqa_annotations(record, tmp_path / name)
        assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
        assert json.loads(gzip.decompress((tmp_path / "a.json.gz").read_bytes()))["annotations"] == [annotation()]

    def test_from_rows_wants_ten_answers(self):
        with pytest.raises(ValueError, match="question 7 has 1 answers"):
            VqaAnnotations.from_rows([VqaAnnotation(7, 3, "is", "yes/no", (VqaAnswer("yes"),))])


class TestResults:
    def test_an_answer_must_be_a_string(self):
        rows = [
            {"question_id": 1, "answer": "yes"},
            {"question_id": 2, "answer": 3},
            {"question_id": 3, "answer": None},
        ]
        assert faults(parse_vqa_results, rows) == [
            "question 2, field `answer`: found 3, expected str",
            "question 3, field `answer`: found None, expected str",
        ]

    def test_an_id_twice_is_a_fault(self):
        rows = [{"question_id": 1, "answer": "yes"}] * 3
        assert faults(parse_vqa_results, rows) == [
            "question 1, field `question_id`: found 3 records with this id, expected one"
        ]

    def test_an_empty_answer_is_noted(self):
        record = parse_vqa_results(source([{"question_id": 1, "answer": ""}]))
        assert record.notes == ("question 1: an empty answer",)

    @pytest.mark.parametrize("name", ["r.json", "r.jsonl", "r.json.gz", "r.jsonl.gz"])
    def test_written_and_read_again_it_is_the_same(self, tmp_path, name):
        record = VqaResults.from_rows([VqaResult(4, "a red cup"), VqaResult(2, "né")])
        write_vqa_results(record, tmp_path / name)
        assert read_vqa_results(tmp_path / name) == record

    def test_no_answer_is_an_empty_record(self):
        assert len(parse_vqa_results(source([]))) == 0
