"""Shards and keys."""

import hashlib
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.engine import Span, Task, shards


def nothing():
    raise AssertionError("must not be prepared")


@pytest.mark.slow
@given(n=st.integers(0, 300), size=st.integers(1, 50))
def test_shards_cover_every_item_once_in_order(n: int, size: int) -> None:
    cut = shards(n, size)
    assert [i for span in cut for i in range(*span)] == list(range(n))
    assert all(stop - start == size for start, stop in cut[:-1])
    assert all(stop > start for start, stop in cut)


def test_shards_by_hand() -> None:
    assert shards(0, 4) == []
    assert shards(4, 4) == [(0, 4)]
    assert shards(9, 4) == [Span(0, 4), Span(4, 8), Span(8, 9)]
    assert str(Span(4, 8)) == "items 4 to 7"


@pytest.mark.parametrize(
    ("n", "size", "named"), [(-1, 4, "`n` must be at least 0, got -1"), (4, 0, "`size` must be at least 1, got 0")]
)
def test_shards_say_which_argument_is_wrong(n: int, size: int, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        shards(n, size)


def test_key_is_the_hash_of_what_the_result_depends_on() -> None:
    task = Task("a.b", 2, nothing, {"y": [1.5, None], "x": "ä"})
    text = '["a.b",2,{"x":"\\u00e4","y":[1.5,null]},[0,10]]'
    assert task.key(Span(0, 10)) == hashlib.sha256(text.encode()).hexdigest()


def test_key_differs_where_anything_differs() -> None:
    span = Span(0, 10)
    task = Task("a", 1, nothing, {"x": 1})
    others = [
        Task("b", 1, nothing, {"x": 1}),
        Task("a", 2, nothing, {"x": 1}),
        Task("a", 1, nothing, {"x": 1.0}),
        Task("a", 1, nothing, {"x": "1"}),
        Task("a", 1, nothing, {"x": True}),
        Task("a", 1, nothing, {}),
    ]
    keys = [task.key(span), task.key(Span(0, 11)), *(other.key(span) for other in others)]
    assert len(set(keys)) == len(keys)
    assert task.key(span) == Task("a", 1, nothing, {"x": 1}).key(span)


def test_parameters_may_be_dataclasses_in_any_order() -> None:
    @dataclass(frozen=True)
    class Options:
        k: int = 5

    first = Task("a", 1, nothing, {"options": Options(), "data": "ff"})
    second = Task("a", 1, nothing, {"data": "ff", "options": {"k": 5}})
    assert first.key("s") == second.key("s")


def test_parameters_that_have_no_one_text_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        Task("a", 1, nothing, {"x": float("nan")}).key(1)
    with pytest.raises(TypeError):
        Task("a", 1, nothing, {"x": object()}).key(1)


def test_a_name_must_do_as_a_folder() -> None:
    for name in ("", "../up", "A", "a b"):
        with pytest.raises(ValueError, match="name"):
            Task(name, 1, nothing)
