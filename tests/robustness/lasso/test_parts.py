"""A dictionary in parts is the dictionary in one memory, bit by bit."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from lasso_cases import check_optimal, columns_of, sentence_like

from voirdire.robustness.lasso import Dictionary, Solution, parts, solve_lasso
from voirdire.robustness.lasso.columns import BLOCK
from voirdire.robustness.lasso.layout import ColumnLayout, MappedParts, lay_out
from voirdire.robustness.lasso.parts import SplitColumns, bounds_of_parts


def plain(rng: np.random.Generator) -> np.ndarray:
    rows = sentence_like(rng, 6000, 40)
    rows[5000:5010] = rows[:10]
    rows[100], rows[4000] = 0, -rows[7]
    return rows


def rotated(rng: np.random.Generator) -> np.ndarray:
    """Whole numbers, so that the columns lie in a range of 16 dimensions exactly."""
    return (rng.integers(-9, 10, (5500, 16)) @ rng.integers(-2, 3, (16, 40))).astype(np.float32)


def leaking(rng: np.random.Generator) -> np.ndarray:
    """Columns of a range of 16 dimensions, up to rounding."""
    return (rng.normal(size=(5500, 16)) @ rng.normal(size=(16, 40))).astype(np.float32)


def few(rng: np.random.Generator) -> np.ndarray:
    """So few columns that they are their own working set."""
    return sentence_like(rng, 2000, 40)


def nothing(rng: np.random.Generator) -> np.ndarray:
    return np.zeros((3, 40), np.float32)


def laid(folder: Path, rows: np.ndarray, step: int = 700) -> ColumnLayout:
    def pieces() -> Iterator[np.ndarray]:
        for start in range(0, len(rows), step):
            yield rows[start : start + step]

    return lay_out(folder / "columns", pieces, rows.shape[1])


def cut(folder: Path, rows: np.ndarray, count: int) -> SplitColumns:
    return MappedParts(laid(folder, rows).folder, count)()


def bits(found: list[Solution]) -> list[tuple[list[int], list[float], float, float, str]]:
    return [(one.columns.tolist(), one.coefficients.tolist(), one.gap, one.objective, one.reason) for one in found]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("make", [plain, rotated, leaking, few, nothing])
def test_parts_give_the_same_bits_as_the_whole(tmp_path: Path, make, count: int) -> None:
    rng = np.random.default_rng(0)
    rows = make(rng)
    main = rows[np.arange(25) % len(rows)] + 0.3 * rng.normal(size=(25, 40))
    left_out = [[i % len(rows)] for i in range(25)]
    whole, apart = Dictionary.of(rows), cut(tmp_path, rows, count)
    assert len(apart.bounds) - 1 == min(count, max(1, -(-whole.count // BLOCK)))
    for penalty in (100.0, 0.1, 1e-5):
        solution = solve_lasso(whole, main, penalty, left_out)
        assert bits(solve_lasso(apart, main, penalty, left_out)) == bits(solution)
        assert {found.status for found in solution} == {"certified"}
        assert max(found.gap for found in solution) <= 1e-8
        x = columns_of(whole, solution[0])
        check_optimal(np.delete(rows, 0, axis=0), main[0], np.delete(x, 0), penalty, share=1e-5)


@pytest.mark.parametrize("make", [plain, rotated, leaking, nothing])
def test_what_is_laid_out_is_the_dictionary(tmp_path: Path, make) -> None:
    rows = make(np.random.default_rng(1))
    whole, layout = Dictionary.of(rows), laid(tmp_path, rows)
    assert layout.is_whole()
    for name, array in {**layout.space(), **layout.rows(0, whole.count)}.items():
        np.testing.assert_array_equal(array, getattr(whole, name), err_msg=name)


def test_a_damaged_layout_is_seen(tmp_path: Path) -> None:
    layout = laid(tmp_path, plain(np.random.default_rng(1)))
    with layout.path("original").open("r+b") as file:
        file.seek(5000)
        file.write(b"?")
    assert not layout.is_whole()
    assert not ColumnLayout(tmp_path / "nowhere").is_whole()
    (layout.folder / "layout.json").write_text("{")
    assert layout.contents() is None


def test_parts_begin_where_blocks_do() -> None:
    assert bounds_of_parts(10 * BLOCK + 1, 2) == [0, 5 * BLOCK, 10 * BLOCK + 1]
    assert bounds_of_parts(3 * BLOCK, 5) == [0, BLOCK, 2 * BLOCK, 3 * BLOCK]
    assert bounds_of_parts(7, 3) == [0, 7]
    assert bounds_of_parts(0, 3) == [0, 0]


@pytest.mark.slow
def test_a_batch_that_does_not_fit_into_memory_goes_on_in_groups(tmp_path: Path, monkeypatch) -> None:
    rng = np.random.default_rng(2)
    rows, main = plain(rng), sentence_like(rng, 9, 40)
    solution = bits(solve_lasso(Dictionary.of(rows), main, 1e-3))
    messages = []
    # Room for all columns, for the working sets of two problems, for none: each problem goes on alone then.
    for room in (2**29, 2000 * 40 * 4, 1):
        monkeypatch.setattr(parts, "ROOM", room)
        apart = cut(tmp_path, rows, 2)
        assert bits(solve_lasso(apart, main, 1e-3)) == solution
        messages.append(apart.traffic.messages)
        assert apart.traffic.received >= apart.traffic.wanted * (room == 1)
    assert messages[0] < messages[1] < messages[2]


def test_columns_stay_cached_from_one_batch_to_the_next(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows, main = plain(rng), sentence_like(rng, 9, 40)
    apart = cut(tmp_path, rows, 2)
    solution = bits(solve_lasso(apart, main, 1e-3))
    received, wanted = apart.traffic.received, apart.traffic.wanted
    assert bits(solve_lasso(apart, main, 1e-3)) == solution
    assert apart.traffic.wanted == 2 * wanted
    assert apart.traffic.received < 2 * received - rows.nbytes / 4


@pytest.mark.slow
def test_messages_do_not_grow_with_the_questions_of_a_batch(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows, main = plain(rng), np.repeat(sentence_like(rng, 1, 40), 64, axis=0)
    counts = []
    for number in (1, 64):
        apart = cut(tmp_path, rows, 5)
        solve_lasso(apart, main[:number], 1e-3)
        counts.append(apart.traffic)
    assert counts[0].messages == counts[1].messages > 10
    # The same columns are asked for once.
    assert counts[1].received < 64 * counts[0].received / 2


def test_vectors_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"`vectors` must be finite and of length 1e\+18 at most"):
        laid(tmp_path, np.full((3, 2), np.nan, np.float32))
