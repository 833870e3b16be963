"""Strict tables: typed columns, and errors that name line and column."""

import pytest

from voirdire.errors import InputError
from voirdire.formats.csv_and_npz import (
    choice,
    note_unread,
    read_header,
    read_lines,
    read_table,
    text,
    whole,
    write_table,
)
from voirdire.formats.files import Source, open_source
from voirdire.formats.strict import MORE, Problems

COLUMNS = (whole("id"), choice("flag", {"y": True, "n": False}), text("words"))


def table(data, columns=COLUMNS, **options):
    problems = Problems("t.csv")
    rows = read_table(Source("t.csv", data), columns, problems, **options)
    problems.check()
    return rows


def faults(data, columns=COLUMNS):
    with pytest.raises(InputError) as caught:
        table(data, columns)
    return [str(problem) for problem in caught.value.problems]


def test_columns_are_typed_and_found_by_name():
    rows = table(b'\xef\xbb\xbfflag,id,words\r\ny,7,"a, b"\r\n\r\nn,0,\r\n')
    assert rows.columns == {"id": [7, 0], "flag": [True, False], "words": ["a, b", ""]}
    assert rows.lines == [2, 4]
    assert rows.unread == ()


def test_tabs():
    assert table(b"id\tflag\twords\n1\ty\ta,b\n", delimiter="\t").columns["words"] == ["a,b"]


def test_columns_that_nobody_asked_for_are_noted():
    rows = table(b"id,flag,words,x\n1,y,a,9\n")
    assert note_unread(rows) == ("column 'x' is not known and was not read",)


def test_a_header_alone_is_an_empty_table():
    assert len(table(b"id,flag,words\n")) == 0


@pytest.mark.parametrize("cell", ["", "x", "1.0", " 1", "+1", "1_0", "١", "9" * 19, "1e3", "--1", "-1"])
def test_whole_numbers_are_digits(cell):
    assert faults(f"id,flag,words\n{cell},y,a\n".encode()) == [
        f"line 2, field `id`: found {cell!r}, expected a whole number"
    ]


@pytest.mark.parametrize(("cell", "well"), [("-2", True), ("3", True), ("-3", False), ("4", False)])
def test_whole_numbers_in_a_range(cell, well):
    data = f"n\n{cell}\n".encode()
    columns = (whole("n", -2, 3),)
    if well:
        assert table(data, columns).columns == {"n": [int(cell)]}
    else:
        assert faults(data, columns) == [f"line 2, field `n`: found {cell!r}, expected a whole number from -2 to 3"]


def test_all_problems_are_listed():
    assert faults(b"id,flag,words\n1,z,a\n2,y\n3,y,a,b\nx,y,a\n") == [
        "line 2, field `flag`: found 'z', expected y or n",
        "line 3: found 2 cells, expected 3, as in the first line",
        "line 4: found 4 cells, expected 3, as in the first line",
        "line 5, field `id`: found 'x', expected a whole number",
    ]


def test_rows_that_cannot_be_read_are_left_out():
    problems = Problems("t.csv")
    rows = read_table(Source("t.csv", b"a,b\n1,x\ny,2\n3\n4,5\n"), [whole("a"), whole("b")], problems)
    assert (rows.columns, rows.lines, problems.total) == ({"a": [4], "b": [5]}, [5], 3)


def test_the_first_line_names_the_columns():
    assert faults(b"") == ["found an empty file, expected a table with the columns id, flag, words"]
    (problems,) = faults(b"\nid,flag,words\n")
    assert problems == f"line 1: found an empty line, expected the names of the columns. {MORE}"
    assert faults(b"id,id,words\n") == [
        "line 1, field `id`: found this column twice, expected each column once",
        "line 1, field `flag`: found no such column, expected a column of y or n. " + MORE,
    ]


def test_an_open_quote_and_bytes_that_are_no_text():
    assert faults(b'id,flag,words\n1,y,"a\n')[0].startswith("line 2: found a broken row")
    assert faults(b"id,flag,words\n1,y,\xff\n") == [
        "line 2: found the byte 0xff, which is not UTF-8, expected text in UTF-8. "
        "Convert the file, for example with iconv -f LATIN1 -t UTF-8."
    ]


def test_lines_end_at_line_feeds_only():
    assert read_lines(Source("t", "a\u2028b\r\nc".encode())) == ["a\u2028b", "c"]


def test_the_header():
    assert read_header(Source("t", b"a, b,c\n1,2,3\n")) == ["a", "b", "c"]
    assert read_header(Source("t", b"")) == []


def test_written_and_read_again_it_is_the_same(tmp_path):
    words = ["plain", 'a "b", c', "two\nlines", "return\rhere", "", "é"]
    write_table({"id": range(6), "flag": "ynynyn", "words": words}, tmp_path / "t.csv.gz")
    rows = read_table(open_source(tmp_path / "t.csv.gz"), COLUMNS, Problems("t.csv"))
    assert rows.columns == {"id": [*range(6)], "flag": [True, False] * 3, "words": words}
