"""Keys that occur twice in an object."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.formats.keys import count_colons, holds_all_keys, outermost, refuse_repeated_keys
from voirdire.formats.strict import Problems


class Inner(msgspec.Struct):
    b: str | msgspec.UnsetType = msgspec.UNSET
    raw: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class Outer(msgspec.Struct):
    a: str
    inner: list[Inner]


TEXTS = st.text(st.sampled_from('ab":,\\{}[] \né'), max_size=8)
RAWS = st.dictionaries(TEXTS, TEXTS).map(lambda value: msgspec.Raw(msgspec.json.encode(value)))
UNSET = st.just(msgspec.UNSET)


@given(st.lists(st.builds(Outer, TEXTS, st.lists(st.builds(Inner, TEXTS | UNSET, RAWS | UNSET)))))
def test_as_many_colons_are_written_as_read(values):
    text = json.dumps(json.loads(msgspec.json.encode(values)), indent=1).encode()
    assert count_colons(values) == text.count(b":")
    assert holds_all_keys(msgspec.json.decode(text, type=list[Outer]), text)


def test_a_lost_key_is_missed():
    for text in (b'{"a": ":", "inner": [], "a": ""}', b'{"a": "", "inner": [{"b": "", "b": ""}]}'):
        assert not holds_all_keys(msgspec.json.decode(text, type=Outer), text)


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
