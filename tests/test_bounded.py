"""What comes from elsewhere: within bounds it is a value, beyond them one error that says why and where."""

import contextlib
import gzip
import json
import tracemalloc
import zlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.bounded import DEEPEST, LARGEST, MOST_VALUES, Body, Undecodable, decode


class Holder(msgspec.Struct):
    """A row with a value of any type."""

    value: Any = None


class Row(msgspec.Struct):
    """A row of a table."""

    name: str
    count: int


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        (b'"\xff"', "no UTF-8"),
        (b"NaN", "no JSON"),
        (b'"\\ud83d"', "no JSON"),
        (b"1" * 100_000, "JSON of another shape"),
        (b"[" * 1_000_000, "more than 500,000 values"),
        (b"[" * 100_000, "nested deeper than 64 levels"),
        (b"[" * 65 + b"]" * 65, "nested deeper than 64 levels"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "nested deeper than 64 levels"),
        (b"[" + b"{}," * MOST_VALUES + b"1]", "more than 500,000 values"),
        (b'"' + b"a" * LARGEST + b'"', "more than 8,388,608 bytes"),
    ],
)
def test_what_is_beyond_a_bound_is_one_error(data: bytes, kind: str) -> None:
    with pytest.raises(Undecodable, match=r"^line 3: ") as caught:
        decode(data, place="line 3")
    assert kind in caught.value.kind
    assert caught.value.place == "line 3"
    assert len(str(caught.value)) < 300


def test_what_is_within_them_is_a_value() -> None:
    nested = json.loads("[" * DEEPEST + "]" * DEEPEST)
    assert decode(b"[" * DEEPEST + b"]" * DEEPEST) == nested
    assert decode('{"a": "[[[é"}') == {"a": "[[[é"}
    assert decode(b'"' + b"[" * 100 + b'"') == "[" * 100
    assert decode(b'{"name": "a", "count": 1}', Row) == Row("a", 1)


def test_what_is_nested_too_deeply_is_refused_inside_a_type_as_well() -> None:
    """A journal's request may have any value."""
    deep = "[" * DEEPEST + "]" * DEEPEST
    with pytest.raises(Undecodable, match="nested deeper than 64 levels"):
        decode(f'{{"value": {deep}}}', Holder)
    assert decode(f'{{"value": {deep[1:-1]}}}', Holder).value == json.loads(deep[1:-1])


def test_another_shape_says_where() -> None:
    with pytest.raises(Undecodable, match=r"another shape \(Expected `int`, got `str` - at `\$.count`\)"):
        decode(b'{"name": "a", "count": "1"}', Row)


@given(st.binary(max_size=60) | st.text('[]{}":,\\ud8a0é1', max_size=60))
def test_whatever_comes_is_a_value_or_that_error(data: bytes | str) -> None:
    with contextlib.suppress(Undecodable):
        msgspec.json.encode(decode(data))


def received(data: bytes, encoding: str, size: int = 7, most: int = LARGEST, cut: bool = False) -> bytes:
    body = Body(encoding, most, cut)
    for start in range(0, len(data), size):
        body.add(data[start : start + size])
    return body.data


TEXT = b"all that there is to be said, " * 30


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_what_was_packed_is_unpacked(size: int) -> None:
    bare = zlib.compressobj(wbits=-15)
    packed = {
        "": TEXT,
        "identity": TEXT,
        "gzip": gzip.compress(TEXT),
        "X-GZIP": gzip.compress(TEXT),
        "deflate": zlib.compress(TEXT),
        " Deflate ": bare.compress(TEXT) + bare.flush(),
    }
    assert {name: received(data, name, size) for name, data in packed.items()} == dict.fromkeys(packed, TEXT)


def test_too_many_bytes_are_not_taken() -> None:
    for encoding, data in (("", TEXT), ("gzip", gzip.compress(TEXT))):
        with pytest.raises(Undecodable, match="more than 100 bytes"):
            received(data, encoding, most=100)
        assert received(data, encoding, most=100, cut=True) == TEXT[:100]
        assert received(data, encoding, most=len(TEXT)) == TEXT


def test_a_bomb_takes_no_more_room_than_its_bound() -> None:
    bomb = gzip.compress(b"\0" * 300 * 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(Undecodable, match="more than 8,388,608 bytes"):
            received(bomb, "gzip", size=65_536)
        assert tracemalloc.get_traced_memory()[1] < 4 * LARGEST
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd"])
def test_other_encodings_are_named(encoding: str) -> None:
    with pytest.raises(Undecodable, match=f"the content encoding '{encoding}', where gzip, deflate may be"):
        Body(encoding)


def test_what_is_not_what_its_header_says() -> None:
    with pytest.raises(Undecodable, match="no gzip, as its header says"):
        received(TEXT, "gzip")
