"""Keys that occur twice in an object."""

import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from voirdire.formats.keys import colons_read, colons_written, repeated_keys, repeated_outer_keys


class Inner(msgspec.Struct):
    b: str | msgspec.UnsetType = msgspec.UNSET


class Outer(msgspec.Struct):
    a: str
    inner: list[Inner]


TEXTS = st.text(st.sampled_from('ab":,\\{}[] \né'), max_size=8)


@given(st.lists(st.builds(Outer, TEXTS, st.lists(st.builds(Inner, st.one_of(TEXTS, st.just(msgspec.UNSET)))))))
def test_as_many_colons_are_written_as_read(values):
    text = json.dumps(msgspec.to_builtins(values)).encode()
    assert colons_written(msgspec.json.encode(values)) == colons_written(text) == colons_read(values)


def test_numbers_have_no_colons():
    assert colons_read([1, 2]) == colons_read([]) == colons_read("a") == 0


def test_repeated_keys_are_found_at_any_depth():
    assert repeated_keys(b'{"a": 1, "b": {"a": 2}}') == []
    assert repeated_keys(b'[{"a": {"c": 1, "b": 1, "c": 1}, "d": 2, "d": 3}]') == ["c", "d"]


def test_repeated_keys_of_the_outermost_object():
    assert repeated_outer_keys(b'{"a": [1, {"b": 1, "b": 2}], "c": {"d": 1}}') == []
    assert repeated_outer_keys(b'{"a": [1], "b": 0, "a": [2]}') == ["a"]
    assert repeated_outer_keys(b'{"a": [1], "a": [1]}') == ["a"]
    assert repeated_outer_keys(json.dumps({"a": [], "b": "[]", "c": {}}).encode()) == []
