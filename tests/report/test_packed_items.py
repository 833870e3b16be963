"""The items of a report as the page carries them: what is packed comes out again, in any number."""

import base64
import gzip
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from section_checks import unpack

from voirdire.report.packed_items import CHUNK, pack, pack_drill
from voirdire.section.content import Drill, Grid, Item, Lines, Reference, SmallTable, Text


@dataclass(frozen=True)
class Made:
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Item]:
        for at in range(self.count):
            yield Item(
                f"item {at}",
                (str(at % 3),),
                ((at / 7, None),),
                f"text {at}",
                (Text("question", f"q{at}"),),
                at % 5 or None,
            )


def drill(count: int) -> Drill:
    return Drill("made", "Made", ("one", "two"), ("third",), ("score",), Made(count))


@settings(max_examples=30)
@given(st.recursive(st.none() | st.text() | st.integers(-(2**53), 2**53), lambda some: st.lists(some, max_size=4)))
def test_what_is_packed_comes_out_again(value: object) -> None:
    packed = pack(value)
    assert unpack(packed) == value
    assert packed == pack(value)


def test_packed_is_gzip_in_letters_that_no_parser_takes_for_markup() -> None:
    packed = pack({"text": "</script><!--"})
    assert gzip.decompress(base64.b64decode(packed)) == b'{"text":"</script><!--"}'
    assert packed.replace("+", "").replace("/", "").replace("=", "").isalnum()


@pytest.mark.parametrize("count", [0, 1, CHUNK, CHUNK + 1])
def test_a_drill_has_all_its_items(count: int) -> None:
    packed = pack_drill(drill(count))
    index = unpack(packed.index)
    assert index["labels"] == ["one", "two"]
    assert index["names"] == [f"item {at}" for at in range(count)]
    scores = [[at / 7 for at in range(count)], [None] * count]
    assert index["scores"] == [{"name": "score", "columns": scores, "lower": False}]
    (facet,) = index["facets"]
    assert [facet["values"][code] for code in facet["codes"]] == [str(at % 3) for at in range(count)]
    details = [item for chunk in packed.chunks for item in unpack(chunk)]
    assert details == [[["text", "question", f"q{at}"]] for at in range(count)]
    assert all(len(unpack(chunk)) == CHUNK for chunk in packed.chunks[:-1])
    assert packed.images == ({at % 5 for at in range(count)} - {0})


def test_every_kind_of_block() -> None:
    blocks = (
        Text("caption", "a cat"),
        Lines("references", ("yes", "no")),
        SmallTable("turns", ("question", "answer"), (("is it?", "no"),), (0,)),
        Grid("board", (("it is", "AB", "AA", "turn 1"),), (("A", "shared"),)),
        Reference("dialogue", 3),
    )
    items = [Item("one", (), (), "", blocks)]
    made = Drill("made", "Made", (), (), (), items, shared={"dialogue": (Text("caption", "a cat"),)})
    packed = pack_drill(made)
    assert unpack(packed.chunks[0]) == [
        [
            ["text", "caption", "a cat"],
            ["lines", "references", ["yes", "no"]],
            ["rows", "turns", ["question", "answer"], [["is it?", "no"]], [0]],
            ["grid", "board", [["it is", "AB", "AA", "turn 1"]], [["A", "shared"]]],
            ["shared", "dialogue", 3],
        ]
    ]
    assert unpack(packed.shared) == {"dialogue": [["text", "caption", "a cat"]]}


def test_what_is_no_number_is_none() -> None:
    items = [Item("one", (), ((float("nan"),), (float("inf"),)), "", ())]
    index = unpack(pack_drill(Drill("made", "Made", ("m",), (), ("a", "b"), items)).index)
    assert [score["columns"] for score in index["scores"]] == [[[None]], [[None]]]


def test_an_item_that_does_not_fit_its_drill_is_named() -> None:
    items = [Item("odd", ("a", "b"), (), "", ())]
    with pytest.raises(ValueError, match="odd has 2 facets and 0 scores, drill made 1 and 0"):
        pack_drill(Drill("made", "Made", (), ("one",), (), items))
