"""Lists of numbers into an array: the fast way reads what the slow way reads."""

import json
from typing import Any

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voirdire.formats import option_rows
from voirdire.formats.option_rows import fill_rows


def fill(
    values: list[Any], width: int = 3, below: int = 10, dump: Any = json.dumps
) -> tuple[list[list[int]], list[Any]]:
    raws = [None if value is None else msgspec.Raw(dump(value).encode()) for value in values]
    out = np.full((len(values), width), -1, np.int32)
    return out, fill_rows(out, raws, below)


def test_rows_are_filled_and_missing_ones_left():
    out, faults = fill([[1, 2, 3], None, [9, 0, 4]])
    assert out.tolist() == [[1, 2, 3], [-1, -1, -1], [9, 0, 4]]
    assert faults == []


def test_nothing_to_fill():
    assert fill([])[1] == []
    assert fill([None, None])[0].tolist() == [[-1] * 3] * 2


def test_white_space_is_no_fault():
    out, faults = fill([[1, 2, 3], [4, 5, 6]], dump=lambda value: json.dumps(value, indent=4))
    assert (out.tolist(), faults) == ([[1, 2, 3], [4, 5, 6]], [])


def test_faults_are_named_and_the_good_rows_of_the_batch_read():
    out, faults = fill([[1, 2, 3], [1, 2], [1, 2, 10], [0, True, 1], "x", [1, [2], 3]])
    assert out[0].tolist() == [1, 2, 3]
    assert faults == [
        (1, "", "2 entries", "3"),
        (2, "[2]", "10", "a whole number from 0 to 9"),
        (3, "[1]", "True", "a whole number from 0 to 9"),
        (4, "", "'x'", "a list of 3 numbers"),
        (5, "[1]", "[2]", "a whole number from 0 to 9"),
    ]


def test_an_empty_pool_has_no_places():
    assert fill([[0, 0, 0]], below=0)[1] == [(0, "[0]", "0", "nothing, since the pool is empty")]


def test_more_rows_than_a_batch():
    rows = [[row % 10, 0, 9] for row in range(2 * option_rows.BATCH + 3)]
    out, faults = fill([*rows, [1, 2, -3]])
    assert out[:-1].tolist() == rows
    assert [fault[0] for fault in faults] == [len(rows)]


ODD = st.one_of(st.integers(-2, 12), st.booleans(), st.floats(0, 3), st.text(max_size=2), st.none(), st.just([]))
ROW = st.one_of(
    st.lists(st.integers(0, 9), min_size=3, max_size=3),
    st.lists(st.one_of(ODD, st.lists(ODD, max_size=2)), max_size=5),
    st.none(),
)


@given(st.lists(ROW, max_size=6))
def test_both_ways_agree(values):
    fast, fast_faults = fill(values)
    slow = np.full((len(values), 3), -1, np.int32)
    batch = [(row, msgspec.Raw(json.dumps(value).encode())) for row, value in enumerate(values) if value is not None]
    assert list(option_rows._slow(slow, batch, 10)) == fast_faults
    assert np.array_equal(slow, fast)
