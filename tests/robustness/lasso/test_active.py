"""The active columns and the inverse of their Gram matrix."""

import numpy as np
import pytest
from lasso_cases import activate, gram_inverse, inverse_of, sentence_like, slots_of

from voirdire.robustness.lasso.active import WAITING, exchange, join, leave
from voirdire.robustness.lasso.path import residual

# The first call compiles.
pytestmark = pytest.mark.slow


class TestActive:
    def test_the_inverse_follows_who_joins_and_leaves(self) -> None:
        rows = sentence_like(np.random.default_rng(6), 40, 16)
        slots = activate(rows, [3, 9, 20, 31, 7], [1, -1, 1, 1, -1])
        np.testing.assert_allclose(inverse_of(slots), gram_inverse(rows, slots), rtol=1e-9)
        leave(slots.active, 9)
        assert slots.members.tolist() == [3, 7, 20, 31]
        assert slots.active.signs[slots.members].tolist() == [1, -1, 1, 1]
        np.testing.assert_allclose(inverse_of(slots), gram_inverse(rows, slots), rtol=1e-9)
        slots.active.inverse[:] += 1
        slots.invert()
        np.testing.assert_allclose(inverse_of(slots), gram_inverse(rows, slots), rtol=1e-9)

    def test_columns_that_come_back_while_changes_wait(self) -> None:
        rng = np.random.default_rng(16)
        rows = sentence_like(rng, 30, 24)
        slots = slots_of(rows)
        for _ in range(20 * WAITING):
            slot = int(rng.integers(30))
            if slots.active.signs[slot]:
                leave(slots.active, slot)
            elif slots.active.counts[1] < 20:
                assert join(slots.active, slot, 1.0, 0.0)
        np.testing.assert_allclose(inverse_of(slots), gram_inverse(rows, slots), rtol=1e-7, atol=1e-8)

    def test_a_dependent_column_does_not_join(self) -> None:
        rows = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1e-3], [1, 1, 1e-7]], np.float32)
        slots = activate(rows, [0, 1], [1, 1])
        before = inverse_of(slots)
        assert not join(slots.active, 2, 1.0, 0.0)
        assert not join(slots.active, 4, 1.0, 0.0)
        assert slots.active.w[:2].tolist() == [1, 1]
        assert inverse_of(slots).tolist() == before.tolist()
        assert join(slots.active, 3, 1.0, 0.0)


class TestPivot:
    def test_the_first_coefficient_at_zero_leaves_and_the_residual_stays(self) -> None:
        rows = np.array([[1, 0], [0, 1], [0.5, 0.5]], np.float32)
        slots = activate(rows, [0, 1], [0.3, 0.8])
        assert not join(slots.active, 2, 1.0, 0.0)
        assert exchange(slots.active, 2, 1.0, 0.0)
        assert slots.members.tolist() == [1, 2]
        np.testing.assert_allclose(slots.active.x[:3], [0, 0.5, 0.6])
        np.testing.assert_allclose(slots.active.x[:3] @ rows, [0.3, 0.8], rtol=1e-6)

    def test_nothing_can_leave_where_nothing_goes_to_zero(self) -> None:
        slots = activate(np.array([[1, 0], [-2, 0]], np.float32), [0], [0.5])
        assert not join(slots.active, 1, 1.0, 0.0)
        assert not exchange(slots.active, 1, 1.0, 0.0)


class TestSlots:
    def test_slots_are_given_taken_and_given_again(self) -> None:
        rows = sentence_like(np.random.default_rng(14), 900, 6)
        slots = slots_of(rows, [4, 7, 2])
        assert slots.place[:3].tolist() == [4, 7, 2]
        slots.assign(np.array([4, 2, 8]))
        assert slots.place[:3].tolist() == [4, 8, 2]
        assert np.flatnonzero(slots.slot >= 0).tolist() == [2, 4, 8]
        # More than there is room for at first.
        slots.assign(np.arange(2, 800))
        held = rows[slots.place[: slots.used]].astype(np.float64)
        assert slots.used == 798
        np.testing.assert_array_equal(slots.active.rows[: slots.used], held)
        np.testing.assert_allclose(slots.active.gram[: slots.used, : slots.used], held @ held.T, rtol=1e-13, atol=1e-15)

    def test_an_active_column_stays_what_it_is_when_others_get_slots(self) -> None:
        rows = sentence_like(np.random.default_rng(15), 900, 16)
        slots = slots_of(rows, [5, 6, 7])
        for slot in (0, 2):
            assert join(slots.active, slot, 1.0, 0.0)
        slots.active.x[[0, 2]] = 0.5, 0.25
        slots.assign(np.array([5, 7, *range(100, 700)]))
        np.testing.assert_allclose(inverse_of(slots), gram_inverse(rows, slots), rtol=1e-10)
        np.testing.assert_allclose(residual(slots, np.zeros(16)), -0.5 * rows[5] - 0.25 * rows[7], atol=1e-7)
