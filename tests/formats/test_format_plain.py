"""Judgements in a CSV, and lists of image ids."""

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.declared import CONV_JUDGEMENTS, IMAGE_IDS
from voirdire.formats.files import Source, open_source

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
