"""Typed JSON: the place of what is broken, the field that is of another type, keys that occur twice in an object."""

import json
from collections import Counter
from typing import Annotated

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import InputError
from voirdire.formats.files import Source
from voirdire.formats.strict import (
    MORE,
    Problems,
    count_colons,
    decode,
    escapes_colons,
    holds_all_keys,
    note_unknown,
    outermost,
    parse,
    prune,
    refuse_repeated_keys,
)


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


def test_a_document_with_a_key_twice_is_refused():
    for data in (
        b'{"rows": [], "name": "x", "name": "y"}',
        b'{"rows": [{"a": 1, "\\u0061": 2}]}',
        b'{"rows": [], "name": "x\\u003a", "\\u006eame": "y\\u003a"}',
    ):
        assert "found this key twice in one object, expected each key once" in complaint(decode, data, Whole)
    assert decode(Source("f", b'{"rows": [], "name": "\\u003a"}'), Whole).name == ":"


def test_notes_on_unknown_fields_are_bounded():
    notes = note_unknown(Counter({f"field{number:02}": 1 for number in range(30)}))
    assert len(notes) == 21
    assert notes[-1] == "… and 10 more fields"


def test_pruning_leaves_what_is_no_struct():
    unknown = Counter[str]()
    assert prune([1, {"a": 1, "z": 2}], list[Outer], unknown) == [1, {"a": 1}]
    assert prune({"z": 1}, int, unknown) == {"z": 1}
    assert unknown == {"z": 1}


def test_three_problems_of_a_kind_are_kept_of_twenty_kinds_and_all_are_counted():
    problems = Problems("f")
    problems.check()
    for number in range(25):
        problems.add(f"row {number}", f"a[{number}]", "x", "y")
    problems.add("row 7", "b", "z", "y")
    assert [problem.where for problem in problems.kept] == ["row 0", "row 1", "row 2", "row 7"]
    with pytest.raises(InputError, match="26 problems") as caught:
        problems.check()
    assert str(caught.value).splitlines()[1:] == [
        "  row 0, field `a[0]`: found x, expected y. 24 more of this kind: row 1, field `a[1]`; row 2, field `a[2]`; …",
        "  row 7, field `b`: found z, expected y",
    ]
    for kind in "cdefghijklmnopqrstuvwxyz":
        problems.add("", kind, "x", "y")
    assert (problems.total, str(problems.error()).splitlines()[-1]) == (50, "  … and 6 more")


class Member(msgspec.Struct):
    b: str | msgspec.UnsetType = msgspec.UNSET
    raw: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class Holder(msgspec.Struct):
    a: str
    inner: list[Member]


TEXTS = st.text(st.sampled_from('ab":,\\{}[] \né'), max_size=8)
RAWS = st.dictionaries(TEXTS, TEXTS).map(lambda value: msgspec.Raw(msgspec.json.encode(value)))
UNSET = st.just(msgspec.UNSET)


@pytest.mark.slow
@given(st.lists(st.builds(Holder, TEXTS, st.lists(st.builds(Member, TEXTS | UNSET, RAWS | UNSET)))))
def test_as_many_colons_are_written_as_read(values):
    text = json.dumps(json.loads(msgspec.json.encode(values)), indent=1).encode()
    assert count_colons(values) == text.count(b":")
    assert holds_all_keys(msgspec.json.decode(text, type=list[Holder]), text)


def test_a_lost_key_is_missed():
    for text in (b'{"a": ":", "inner": [], "a": ""}', b'{"a": "", "inner": [{"b": "", "b": ""}]}'):
        assert not holds_all_keys(msgspec.json.decode(text, type=Holder), text)


@pytest.mark.parametrize("before", [0, 1, 2, 3, 3000])
def test_an_escaped_colon_is_seen_after_any_number_of_backslashes(before):
    text = b'["' + b"\\n" * before
    assert not escapes_colons(text + b'"]')
    for escape in (b"\\u003a", b"\\u003A"):
        assert escapes_colons(text + escape + b'"]')


def repeated(data, path=""):
    """The places of the problems that are noted."""
    problems = Problems("f")
    refuse_repeated_keys(msgspec.json.decode(data), data, "here", problems, path)
    assert all(problem.where == "here" for problem in problems.kept)
    return [problem.field for problem in problems.kept]


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b'{"a": 1, "b": {"a": 2}}', []),
        (b'[{"a": {"c": 1, "b": 1, "c": 1}, "d": 2, "d": 3}]', ["c", "d"]),
        (b'[{"a": 1, "a": 2}, {"a": 1, "a": 2}]', ["a"]),
        (b'{"a": "\\u003a"}', []),
        (b'{"a": 1, "b": "\\u003a", "a": 2}', ["a"]),
        (b'{"a": 1, "b": "\\u003A", "\\u0061": 2}', ["a"]),
        (b'{"a\\u003a": 1, "a:": 2}', ["a:"]),
    ],
)
def test_repeated_keys_are_found_at_any_depth(data, keys):
    assert repeated(data) == keys
    assert repeated(data, "in.") == [f"in.{key}" for key in keys]


def test_repeated_keys_of_the_outermost_object():
    assert repeated(outermost(b'{"a": [1, {"b": 1, "b": 2}], "c": {"d": 1}}')) == []
    assert repeated(outermost(b'{"a": [1], "b": 0, "a": [2]}')) == ["a"]
    assert repeated(outermost(b'{"a": [1], "a": [1]}')) == ["a"]
    assert repeated(outermost(json.dumps({"a": [], "b": "[]", "c": {}}).encode())) == []
