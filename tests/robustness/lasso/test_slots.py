"""Slots for columns."""

import numpy as np
from lasso_cases import gram_inverse, inverse_of, sentence_like, slots_of

from voirdire.robustness.lasso.active import join
from voirdire.robustness.lasso.path import residual


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
