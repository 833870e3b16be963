"""Documents, lists and lines of structs: one pass for good files, all problems of bad ones."""

from collections import Counter

import msgspec
import pytest

from voirdire.errors import InputError
from voirdire.formats.documents import Ignored, Unset, decode_document, decode_each_line, decode_records, given, named
from voirdire.formats.files import Source
from voirdire.formats.strict import MORE, Problems


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    b: int


class Outer(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    a: int
    inner: list[Inner] = []
    passed: Ignored = msgspec.UNSET


class Whole(msgspec.Struct, forbid_unknown_fields=True):
    rows: list[Outer]
    name: str | Unset = msgspec.UNSET


TWICE = "found this key twice in one object, expected each key once"


def complaints(function, data, *arguments):
    with pytest.raises(InputError) as caught:
        function(Source("f", data), *arguments)
    return [str(problem) for problem in caught.value.problems]


def records(source, type_, label=lambda record: ""):
    """The records of a file that must be good."""
    problems = Problems(source.name)
    rows = decode_records(source, type_, label, problems)
    problems.check()
    return rows


def each_line(source):
    """The lines' places and records, and the fields not known."""
    problems, unknown = Problems(source.name), Counter()
    rows = list(decode_each_line(source, Outer, named(row="a"), problems, unknown))
    problems.check()
    return rows, unknown


@pytest.mark.parametrize("data", [b'[{"a": 1}, {"a": 2}]', b'{"a": 1}\n{"a": 2}\n', b' \n[{"a":1},{"a":2}]'])
def test_records_are_a_list_or_lines_by_their_content(data):
    assert records(Source("f", data), Outer) == ([Outer(1), Outer(2)], ())


def test_unknown_fields_become_notes():
    data = b'[{"a": 1, "x": 1}, {"a": 2, "x": 3, "inner": [{"b": 1, "y": 2}]}]'
    found, notes = records(Source("f", data), Outer)
    assert found == [Outer(1), Outer(2, [Inner(1)])]
    assert notes == (
        "field 'inner.y' is not known and was not read (1 time)",
        "field 'x' is not known and was not read (2 times)",
    )


def test_unknown_fields_do_not_hide_faults():
    text = complaints(records, b'[{"a": 1, "x": 1}, {"a": "y"}]', Outer, named(row="a"))
    assert text == ["row 'y', field `a`: found 'y', expected int"]


def test_every_record_that_is_to_blame_is_listed():
    bad = [b'{"a": 1}', b'{"a": "x"}', b"{}", b'{"a": 2, "inner": [{"b": 1}, {"b": null}]}', b'{"a": 3, "a": 4}', b"7"]
    expected = [
        "2, row 'x', field `a`: found 'x', expected int",
        "3, field `a`: found nothing, expected this field",
        "4, row 2, field `inner[1].b`: found None, expected int",
        f"5, row 4, field `a`: {TWICE}",
        "6: found 7, expected object",
    ]
    label = named(row="a")
    listed, lines = b"[" + b",".join(bad) + b"]", b"\n".join(bad)
    named_ = [each.split(", ", 1)[1] if ", row " in each else f"record {each}" for each in expected]
    assert complaints(records, listed, Outer, label) == named_
    assert complaints(records, lines, Outer, label) == [f"line {each}" for each in expected]
    assert complaints(each_line, lines) == [f"line {each}" for each in expected]


def test_records_beside_bad_ones_are_kept():
    problems = Problems("f")
    found, _ = decode_records(Source("f", b'[{"a": "x"}, {"a": 1}]'), Outer, named(row="a"), problems)
    assert (found, problems.total) == ([Outer(1)], 1)


def test_bytes_that_are_not_utf_8():
    (text,) = complaints(records, b'{"a": 1}\n{"a": "caf\xe9"}\n', Outer)
    assert text.startswith("line 2: found bytes that are not UTF-8, expected text in UTF-8. Convert")
    (text,) = complaints(records, b'[{"a": 1},\n{"a": "caf\xe9"}]', Outer)
    assert text.startswith("line 2: found the byte 0xe9, which is not UTF-8")


def test_a_line_that_is_no_json():
    for read in (each_line, lambda source: records(source, Outer)):
        (text,) = complaints(read, b'{"a": 1}\n\n{\n')
        assert text.startswith("line 3: found '{")
        assert text.endswith("expected one JSON object")


def test_lines_come_with_their_places():
    found, unknown = each_line(Source("f", b'\n{"a": 1, "passed": {"c": 1}}\n \n{"a": 2, "x": 1}'))
    assert [(place, record.a) for place, record in found] == [("line 2", 1), ("line 4", 2)]
    assert unknown == {"x": 1}


def test_a_document():
    lists = {"rows": named(row="a")}
    document, notes = decode_document(Source("f", b'{"rows": [{"a": 1}], "name": "a:b"}'), Whole, lists)
    assert (document.rows, document.name, notes) == ([Outer(1)], "a:b", ())
    document, notes = decode_document(Source("f", b'{"rows": [{"a": 1, "y": 2}], "x": 1}'), Whole, lists)
    assert document.rows == [Outer(1)]
    assert [note.split()[1] for note in notes] == ["'rows.y'", "'x'"]
    assert given(document.name) is None


def test_faults_of_a_document():
    lists = {"rows": named(row="a")}
    assert complaints(decode_document, b'{"rows": [{"a": 1}, {"a": "x"}, {}]}', Whole, lists) == [
        "row 'x', field `a`: found 'x', expected int",
        f"record 3 of rows, field `a`: found nothing, expected this field. {MORE}",
    ]
    assert complaints(decode_document, b'{"rows": [], "name": 3}', Whole, lists) == [
        f"field `name`: found 3, expected str. {MORE}"
    ]
    assert complaints(decode_document, b'{"rows": [{"a": 1, "a": 2}]}', Whole, lists) == [f"field `a`: {TWICE}. {MORE}"]
    assert complaints(decode_document, b"[]", Whole, lists) == ["found [], expected object"]


@pytest.mark.parametrize("optional", [b"", b', "passed": {"c": [1, {"d": 2}]}', b', "inner": []', b', "x": 1'])
def test_a_repeated_key_is_seen_whatever_else_is_there(optional):
    row = b'{"a": 3, "a": 4' + optional + b"}"
    assert complaints(records, row, Outer) == [f"line 1, field `a`: {TWICE}"]
    assert complaints(each_line, row) == [f"line 1, row 4, field `a`: {TWICE}"]
    assert complaints(decode_document, b'{"rows": [' + row + b"]}", Whole) == [f"field `a`: {TWICE}. {MORE}"]
