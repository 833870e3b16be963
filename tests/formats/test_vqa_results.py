"""A model's answers to VQA questions, and the outputs of the official VQA tool."""

import json

import pytest
from json_files import faults, source

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.strict import MORE
from voirdire.formats.vqa_results import (
    VQA_ACCURACIES,
    VQA_GROUPED_ACCURACIES,
    VQA_PREDICTIONS,
    VQA_TOTALS,
    VqaResult,
    VqaResults,
    parse_vqa_results,
    read_vqa_results,
    write_vqa_results,
)


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


GOOD = {
    "vqa_accuracies": {"10": 100.0, "11": 0, "12": 30.0},
    "vqa_grouped_accuracies": {"is the": {"10": 100.0}, "what": {"11": 0, "12": 30.0}},
    "vqa_predictions": {"10": ["red"], "11": ["two", "cups"], "12": []},
    "vqa_totals": {"overall": 45.5, "perQuestionType": {"is the": 50.0}, "perAnswerType": {"yes/no": 60.0}},
}


@pytest.mark.parametrize("name", sorted(GOOD))
def test_each_is_recognised(name):
    assert detect(source(GOOD[name])).name == name


@pytest.mark.parametrize(
    ("name", "read", "write"),
    [
        ("vqa_accuracies", VQA_ACCURACIES.read, VQA_ACCURACIES.write),
        ("vqa_grouped_accuracies", VQA_GROUPED_ACCURACIES.read, VQA_GROUPED_ACCURACIES.write),
        ("vqa_predictions", VQA_PREDICTIONS.read, VQA_PREDICTIONS.write),
        ("vqa_totals", VQA_TOTALS.read, VQA_TOTALS.write),
    ],
)
def test_written_and_read_again_it_is_the_same(tmp_path, name, read, write):
    path = tmp_path / "file.json.gz"
    path.write_bytes(json.dumps(GOOD[name]).encode())
    record = read(path)
    write(record, path)
    assert read(path) == record


def test_accuracies_by_question():
    record = VQA_ACCURACIES.parse(source(GOOD["vqa_accuracies"]))
    assert record.question_ids.tolist() == [10, 11, 12]
    assert record.accuracies.tolist() == [100.0, 0.0, 30.0]


@pytest.mark.parametrize("value", [101, -1, "50", None, True, [1]])
def test_an_accuracy_is_a_percentage(value):
    (problems,) = faults(VQA_ACCURACIES.parse, {"10": 50.0, "11": value})
    assert problems.startswith("question 11: found ")
    assert problems.endswith("expected an accuracy from 0 to 100")


@pytest.mark.parametrize("key", ["x", "", "-1", "1.5", "007", str(2**63)])
def test_a_key_must_be_an_id(key):
    assert faults(VQA_ACCURACIES.parse, {"10": 50.0, key: 1.0})[0].endswith("expected a question id")


def test_a_key_twice_is_a_fault_and_not_lost():
    assert faults(VQA_ACCURACIES.parse, b'{"10": 1.0, "10": 2.0}') == [
        "field `10`: found this key twice in one object, expected each key once. " + MORE
    ]


def test_a_list_is_no_map():
    assert faults(VQA_ACCURACIES.parse, [1]) == ["found JSON of the type list, expected an object"]


def test_groups():
    record = VQA_GROUPED_ACCURACIES.parse(source(GOOD["vqa_grouped_accuracies"]))
    assert record.names == ("is the", "what")
    assert record.groups.tolist() == [0, 1, 1]
    assert record.accuracies.tolist() == [100.0, 0.0, 30.0]


def test_a_question_in_two_groups_is_a_fault():
    problems = faults(VQA_GROUPED_ACCURACIES.parse, {"a": {"10": 1.0}, "b": {"10": 2.0}})
    assert problems == ["question 10: found 2 records with this id, expected one"]


def test_group_faults_name_group_and_question():
    problems = faults(VQA_GROUPED_ACCURACIES.parse, {"a": 3, "b": {"x": 1, "5": "z"}})
    assert problems == [
        "group 'a': found 3, expected an object of accuracies by question id",
        "group 'b', key 'x': found a name, expected a question id",
        "group 'b', question 5: found 'z', expected an accuracy from 0 to 100",
    ]


def test_predictions_are_joined_and_empty_ones_noted():
    record = VQA_PREDICTIONS.parse(source(GOOD["vqa_predictions"]))
    assert record.answers == ("red", "two cups", "")
    assert record.notes == ("question 12: no word as its answer",)


@pytest.mark.parametrize("words", ["red", [1], ["two cups"], [""], None])
def test_predictions_are_lists_of_words(words):
    (problems,) = faults(VQA_PREDICTIONS.parse, {"10": words})
    assert problems.endswith("expected a list of words without blanks")


def test_totals():
    record = VQA_TOTALS.parse(source(GOOD["vqa_totals"]))
    assert (record.overall, record.by_question_type, record.by_answer_type) == (
        45.5,
        {"is the": 50.0},
        {"yes/no": 60.0},
    )
    assert record.notes == ()


def test_totals_beyond_a_hundred_and_missing_parts_are_faults():
    assert "expected float <= 100" in faults(VQA_TOTALS.parse, {**GOOD["vqa_totals"], "overall": 101})[0]
    assert faults(VQA_TOTALS.parse, {"overall": 1.0, "perAnswerType": {}}) == [
        "field `perQuestionType`: found nothing, expected this field. " + MORE
    ]


def test_a_type_twice_is_refused():
    data = json.dumps(GOOD["vqa_totals"]).replace('"is the": 50.0', '"is the": 50.0, "is the": 40.0')
    assert faults(VQA_TOTALS.parse, data.encode()) == [
        "field `is the`: found this key twice in one object, expected each key once. " + MORE
    ]


def test_an_unknown_answer_type_is_noted():
    record = VQA_TOTALS.parse(source({**GOOD["vqa_totals"], "perAnswerType": {"colour": 1.0}}))
    assert record.notes == ("answer type 'colour' is not known",)


def test_answers_as_words_are_read_as_results(tmp_path):
    path = tmp_path / "said.json"
    path.write_text('{"10": ["red"], "11": ["two", "cups"]}')
    record = read_vqa_results(path)
    assert (record.question_ids.tolist(), record.answers) == ([10, 11], ("red", "two cups"))
    path.write_text('{"10": [5]}')
    with pytest.raises(InputError, match=r"question 10: found \[5\], expected a list of words"):
        read_vqa_results(path)
