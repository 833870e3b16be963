"""Typed JSON: the place of what is broken, and the field that is of another type."""

from collections import Counter
from typing import Annotated

import msgspec
import pytest

from voirdire.errors import InputError
from voirdire.formats.source import Source
from voirdire.formats.strict import MORE, Problems, decode, note_unknown, parse, prune


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    b: int


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    a: int
    inner: Annotated[list[Inner], msgspec.Meta(max_length=3)] = []


class Whole(msgspec.Struct):
    rows: list[Outer]
    name: str = ""


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
        (b'["ab",\n"c\xffd"]', "line 2: found the byte 0xff, which is not UTF-8"),
        (b'"\\ud800"', "found broken JSON"),
    ],
)
def test_broken_json_is_placed(data, text):
    assert text in complaint(parse, data)


def test_a_document_of_a_type():
    assert decode(Source("f", b'{"rows": [{"a": 1}]}'), Whole).rows == [Outer(1)]
    bad = b'{"rows": [{"a": 1, "inner": [{"b": 1}, {"b": null}]}]}'
    more = b'{"rows": [{"a": 1, "inner": [{"b": 1, "c": 2}]}]}'
    for data, text in (
        (b'{"rows": [], "name": 3}', "field `name`: found 3, expected str"),
        (bad, "field `rows[0].inner[1].b`: found None, expected int"),
        (b'{"rows": [{}]}', "field `rows[0].a`: found nothing, expected this field"),
        (more, "field `rows[0].inner[0].c`: found 2, expected no field of this name"),
    ):
        assert complaint(decode, data, Whole) == f"f: {text}. {MORE}"
    assert complaint(decode, b"[]", Whole) == "f: found [], expected object"
    assert "found broken JSON" in complaint(decode, b"{", Whole)


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
