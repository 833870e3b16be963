"""Judges' selections: what is read, what is written, and what is wrong with a table."""

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.selections import FORMAT, parse_selections, read_selections, write_selections

HEAD = "image_id,round_id,set,judge,candidate,selected"
GOOD = ["5,1,H,ann,yes,1", '5,1,H,ann,"yes, it is",0', "5,1,H,bob,yes,1", '5,1,H,bob,"yes, it is",1', "5,1,S,ann,yes,0"]


def parse(*rows, head=HEAD):
    return parse_selections(Source("f.csv", "\n".join([head, *rows]).encode()))


def complaint(*rows, head=HEAD):
    with pytest.raises(InputError) as caught:
        parse(*rows, head=head)
    assert str(caught.value).startswith("f.csv: ")
    return str(caught.value)


def test_what_is_read():
    record = parse(*GOOD)
    assert len(record) == 5
    assert record.image_ids.tolist() == [5] * 5
    assert record.round_ids.tolist() == [1] * 5
    assert record.sets == ("H", "H", "H", "H", "S")
    assert record.judges == ("ann", "ann", "bob", "bob", "ann")
    assert record.candidates[:2] == ("yes", "yes, it is")
    assert record.selected.tolist() == [True, False, True, True, False]
    assert record.tasks()[-1] == (5, 1, "S")
    assert FORMAT.describe(record) == "5 judgements of 2 sets by 2 judges"
    assert FORMAT.keys(record)["image"].tolist() == [5]


def test_it_is_recognised_and_written(tmp_path):
    record = parse(*GOOD)
    assert detect(Source("f", "\n".join([HEAD, *GOOD]).encode())) is FORMAT
    write_selections(record, tmp_path / "x.csv")
    assert read_selections(tmp_path / "x.csv") == record


def test_columns_in_any_order_and_unknown_ones_noted():
    record = parse("1,x,yes,ann,H,1,5", head="selected,worker,candidate,judge,set,round_id,image_id")
    assert record == parse("5,1,H,ann,yes,1")
    assert record.notes == ("column 'worker' is not known and was not read",)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ((), "found no judgement, expected at least one"),
        (("5,1,H,ann,yes,2",), "line 2, field `selected`: found '2', expected 0 or 1"),
        (("5,1,H,ann,yes,true",), "line 2, field `selected`: found 'true', expected 0 or 1"),
        (("x,1,H,ann,yes,1",), "line 2, field `image_id`: found 'x', expected a whole number"),
        (("5,11,H,ann,yes,1",), "line 2, field `round_id`: found '11', expected a whole number from 0 to 10"),
        (("5,1,,ann,yes,1",), "line 2, field `set`: found nothing, expected a name"),
        (("5,1,H, ,yes,1",), "line 2, field `judge`: found nothing, expected a name"),
        (("5,1,H,ann,,1",), "line 2, field `candidate`: found nothing, expected a name"),
        (("5,1,H,ann,yes,1", "5,1,H,ann,yes,0"), "line 3, field `candidate`: found the candidate of line 2"),
        (
            ("5,1,H,ann,yes,1", "5,1,H,ann,no,0", "5,1,H,bob,yes,1"),
            "image 5, round_id 1, set 'H', field `candidate`: found 1 judged by 'bob', expected all 2. "
            "What a judge did not select is a row with 0.",
        ),
    ],
)
def test_faults(rows, text):
    assert text in complaint(*rows)


def test_a_missing_column():
    assert "field `judge`: found no such column" in complaint(
        "5,1,H,yes,1", head="image_id,round_id,set,candidate,selected"
    )
