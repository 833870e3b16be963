"""Typed JSON: one pass for good files, all problems of bad ones."""

from collections import Counter
from typing import Annotated

import msgspec
import pytest

from voirdire.errors import InputError
from voirdire.formats.source import Source
from voirdire.formats.strict import (
    Problems,
    decode,
    decode_lines,
    decode_list,
    decode_records,
    note_unknown,
    parse,
    prune,
)


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    b: int


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    a: int
    inner: Annotated[list[Inner], msgspec.Meta(max_length=3)] = []


class Whole(msgspec.Struct):
    rows: list[Outer]
    name: str = ""


def label(index, record):
    return f"row {index}"


def complaint(function, data, *arguments):
    with pytest.raises(InputError) as caught:
        function(Source("f", data), *arguments)
    assert str(caught.value).startswith("f: ")
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "found an empty file"),
        (b" \n", "found an empty file"),
        (b'{"a": 1,\n "b": }', "line 2, column 7: found broken JSON near"),
        (b'{"a": [1, 2', "cut short"),
        (b"[1e999]", "a number that cannot be held"),
        (b"[" * 100_000, "nested too deeply"),
        (b'["ab",\n"c\xffd"]', "line 2, column 3: found broken JSON near"),
        (b'"\\ud800"', "found broken JSON"),
    ],
)
def test_broken_json_is_placed(data, text):
    assert text in complaint(parse, data)


def test_a_document_of_records():
    assert decode(Source("f", b'{"rows": [{"a": 1}]}'), Whole).rows == [Outer(1)]
    bad = b'{"rows": [{"a": 1}, {"a": "x"}, {}, {"a": 1, "inner": [{"b": 1}, {"b": null}]}]}'
    text = complaint(decode, bad, Whole, label, ("rows",))
    assert "3 problems" in text
    assert "row 1, field `a`: found 'x', expected int" in text
    assert "row 2, field `a`: found nothing, expected this field" in text
    assert "row 3, field `inner[1].b`: found None, expected int" in text


def test_a_fault_outside_the_records():
    text = complaint(decode, b'{"rows": [], "name": 3}', Whole, label, ("rows",))
    assert text == "f: field `name`: found 3, expected str"


def test_a_list_and_lines():
    assert decode_list(Source("f", b'[{"a": 1}]'), Outer, label) == [Outer(1)]
    assert decode_lines(Source("f", b'{"a": 1}\n\n{"a": 2}'), Outer) == [Outer(1), Outer(2)]
    assert "line 2, field `a`: found 'x'" in complaint(decode_lines, b'{"a": 1}\n{"a": "x"}', Outer)
    assert "line 2: found '{' (" in complaint(decode_lines, b'{"a": 1}\n{', Outer)


@pytest.mark.parametrize("data", [b'[{"a": 1}, {"a": 2}]', b'{"a": 1}\n{"a": 2}\n', b' \n[{"a":1},{"a":2}]'])
def test_records_are_a_list_or_lines_by_their_content(data):
    assert decode_records(Source("f", data), Outer) == ([Outer(1), Outer(2)], ())


def test_unknown_fields_become_notes():
    data = b'[{"a": 1, "x": 1}, {"a": 2, "x": 3, "inner": [{"b": 1, "y": 2}]}]'
    records, notes = decode_records(Source("f", data), Outer)
    assert records == [Outer(1), Outer(2, [Inner(1)])]
    assert notes == (
        "field 'inner.y' is not known and was not read (1 times)",
        "field 'x' is not known and was not read (2 times)",
    )


def test_unknown_fields_do_not_hide_faults():
    text = complaint(decode_records, b'[{"a": 1, "x": 1}, {"a": "y"}]', Outer, lambda record: f"a {record['a']}")
    assert text == "f: record 2, a y, field `a`: found 'y', expected int"


def test_notes_on_unknown_fields_are_bounded():
    notes = note_unknown(Counter({f"field{number:02}": 1 for number in range(30)}))
    assert len(notes) == 21
    assert notes[-1] == "… and 10 more fields"


def test_pruning_leaves_what_is_no_struct():
    unknown = Counter[str]()
    assert prune([1, {"a": 1, "z": 2}], list[Outer], unknown) == [1, {"a": 1}]
    assert prune({"z": 1}, int, unknown) == {"z": 1}
    assert unknown == {"z": 1}


def test_problems_are_kept_to_twenty_and_counted():
    problems = Problems("f")
    problems.check()
    for number in range(25):
        problems.add(f"row {number}", "a", "x", "y")
    with pytest.raises(InputError, match="25 problems"):
        problems.check()
    assert len(problems.kept) == 20
