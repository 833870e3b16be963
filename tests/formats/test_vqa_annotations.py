"""VQA annotations: what is read, refused, noted and written."""

import gzip
import json

import pytest
from json_files import faults, source

from voirdire.formats.vqa_annotations import FORMAT as ANNOTATIONS
from voirdire.formats.vqa_annotations import (
    VqaAnnotation,
    VqaAnnotations,
    VqaAnswer,
    parse_vqa_annotations,
    read_vqa_annotations,
    write_vqa_annotations,
)


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
        problems = faults(parse_vqa_annotations, {"annotations": [annotation(answers=["yes"] * count)]})
        some = "1 answer" if count == 1 else f"{count} answers"
        assert problems == [f"question 7, field `answers`: found {some}, expected 10"]

    def test_unknown_types_and_duplicates_are_faults(self):
        problems = faults(parse_vqa_annotations, {"annotations": [annotation(answer_type="colour")]})
        assert problems[0].startswith("question 7, field `answer_type`: found 'colour'")
        problems = faults(parse_vqa_annotations, {"annotations": [annotation(), annotation()]})
        assert problems == ["question 7, field `question_id`: found 2 records with this id, expected one"]

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
