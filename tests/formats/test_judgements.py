"""Human judgements of propositions."""

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.judgements import FORMAT, parse_judgements, read_judgements, write_judgements

HEADER = (
    "username,timestamp,split,dlg_idx,turn_idx,prop_idx,content,content_gold,shared,shared_gold,turn_shared,"
    "rule,type,qa_fact,question,answer,prop"
)


def row(
    judge="A1", dialogue=4, turn=3, content=1, gold=1, shared_gold=1, since=2, kind="direct entailment", fact="positive"
):
    return (
        f"{judge},10:00:00,test,{dialogue},{turn},6,{content},{gold},0,{shared_gold},{since},there,{kind},{fact},"
        '"Is there a cup, or two?",Yes.,There is a cup.'
    )


def source(*rows):
    return Source("judgements.csv", "\n".join([HEADER, *rows, ""]).encode())


def faults(*rows):
    with pytest.raises(InputError) as caught:
        parse_judgements(source(*rows))
    return [str(problem) for problem in caught.value.problems]


def test_columns_become_arrays():
    record = parse_judgements(source(row(), row("B2", content=0, fact="none")))
    assert record.judges == ("A1", "B2")
    assert record.dialogues.tolist() == [4, 4]
    assert record.true.tolist() == [True, False]
    assert record.true_gold.tolist() == [True, True]
    assert record.shared.tolist() == [False, False]
    assert record.shared_gold.tolist() == [True, True]
    assert record.kinds == ("entailment", "entailment")
    assert record.facts == ("positive", None)
    assert record.questions[0] == "Is there a cup, or two?"
    assert FORMAT.describe(record) == "2 judgements of 1 proposition by 2 judges"
    assert FORMAT.notes(record) == ()
    assert detect(source(row())).name == "judgements"


def test_no_judgement_is_an_empty_record():
    record = parse_judgements(source())
    assert len(record) == 0
    assert FORMAT.describe(record) == "0 judgements of 0 propositions by 0 judges"


def test_a_point_with_fewer_judges_is_noted():
    record = parse_judgements(source(row(), row("B2"), row(dialogue=5)))
    assert FORMAT.notes(record) == ("'test', dialogue 5, turn 3, proposition 6: 1 judgement, others have 2",)


def test_bad_cells_are_named_by_line_and_column():
    assert faults(row(), row("B2", turn=11), row("C3", content=2, fact="maybe")) == [
        "line 3, field `turn_idx`: found '11', expected a whole number from 0 to 10",
        "line 4, field `content`: found '2', expected 0 or 1",
        "line 4, field `qa_fact`: found 'maybe', expected positive or negative or none",
    ]


def test_a_judge_judges_a_point_once():
    assert faults(row(), row()) == [
        "line 3, field `username`: found 'A1' on the point of line 2 again, expected once per judge"
    ]


def test_gold_labels_are_the_same_for_all_judges():
    assert faults(row(), row("B2", gold=0)) == [
        "line 3, field `content_gold`: found 0, but 1 on line 2, expected the same for all judges of a point"
    ]


def test_the_gold_label_of_sharing_fits_the_turns():
    assert faults(row(turn=1)) == [
        "line 2, field `shared_gold`: found 1 at turn 1, expected 0, as it is shared from turn 2 on"
    ]


def test_a_missing_column_is_named():
    with pytest.raises(InputError, match="line 1, field `prop`: found no such column"):
        parse_judgements(Source("judgements.csv", HEADER.removesuffix(",prop").encode() + b"\n"))


def test_written_and_read_again_it_is_the_same(tmp_path):
    record = parse_judgements(source(row(), row("B2", fact="none", kind="direct contradiction", dialogue=9)))
    write_judgements(record, tmp_path / "judgements.csv.gz")
    assert read_judgements(tmp_path / "judgements.csv.gz") == record
