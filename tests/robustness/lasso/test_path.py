"""The path, its refinement, and its stages."""

import numpy as np
from lasso_cases import NONE, activate, sentence_like, slots_of, whole
from scipy.linalg import hilbert

from voirdire.robustness.lasso.path import DONE, UNDERWAY, descend, follow, refine, settle, sharpen


class TestPolish:
    def test_a_bad_inverse_does_not_spoil_the_answer(self) -> None:
        rows = hilbert(6).astype(np.float32)
        b, penalty = np.arange(6.0), np.full(6, 1e-3)
        slots = activate(rows, [0, 2, 5], [1, 1, 1])
        slots.keep()
        slots.active.inverse[:] *= 1.01
        left = refine(slots, b, penalty, 9)
        taken = rows[[0, 2, 5]].astype(np.float64)
        np.testing.assert_allclose(taken @ left, 1e-3, rtol=1e-9)
        np.testing.assert_allclose(left, b - slots.active.x[[0, 2, 5]] @ taken, atol=1e-12)

    def test_an_inverse_that_is_none_is_made_anew(self) -> None:
        rows = sentence_like(np.random.default_rng(7), 9, 5)
        slots = activate(rows, [0, 4, 8], [1, 1, -1])
        slots.keep()
        slots.active.inverse[:] = 1e9
        left = refine(slots, np.ones(5), np.full(9, 0.1), 2)
        np.testing.assert_allclose(rows[[0, 4, 8]].astype(np.float64) @ left, [0.1, 0.1, -0.1], rtol=1e-9)

    def test_a_residual_is_known_better_than_its_terms(self) -> None:
        rng = np.random.default_rng(11)
        rows = rng.integers(-4, 5, (6, 6)).astype(np.float32)
        slots, penalty = activate(rows, [0, 1, 2, 3, 4, 5], [1, 1, -1, 1, -1, 1]), np.full(6, 1e-9)
        left = refine(slots, 1e3 * rng.normal(size=6), penalty, 3)
        signs = slots.active.signs[:6]
        before = np.abs(rows.astype(np.float64) @ left - 1e-9 * signs).max()
        left = sharpen(slots, left, penalty)
        after = np.abs(rows.astype(np.float64) @ left - 1e-9 * signs).max()
        assert after < 1e-11 * 1e-9 + 1e-3 * before

    def test_a_wrong_sign_leaves(self) -> None:
        slots = activate(np.eye(2, dtype=np.float32), [0, 1], [1, 1])
        left = settle(slots, np.array([1.0, 0.05]), np.full(2, 0.1))
        assert slots.members.tolist() == [0]
        np.testing.assert_allclose(left, [0.1, 0.05])


class TestPath:
    def test_two_orthogonal_columns_by_hand(self) -> None:
        slots, c, penalty = slots_of(np.eye(2, dtype=np.float32)), np.array([1.0, -0.6]), np.full(2, 1.0)
        status, steps, t = follow(slots.active, np.arange(2), c, penalty, np.full(2, -0.5), 10)
        # The first enters at 1, the second at 0.6; then the path ends.
        assert (status, steps, t) == (DONE, 3, 1.0)
        assert slots.members.tolist() == [0, 1]
        np.testing.assert_allclose(slots.active.x[:2], [0.5, -0.1])
        np.testing.assert_allclose(penalty, [0.5, 0.5])

    def test_a_violated_column_is_brought_back(self) -> None:
        slots = activate(np.eye(2, dtype=np.float32), [0], [0.5])
        c, penalty = np.array([0.5, 0.8]), np.array([0.5, 0.8])
        status, _, _ = follow(slots.active, np.array([1]), c, penalty, np.array([0.0, -0.3]), 10)
        assert status == DONE
        np.testing.assert_allclose(slots.active.x[:2], [0.5, 0.3])

    def test_a_coefficient_that_reaches_zero_leaves(self) -> None:
        rows = sentence_like(np.random.default_rng(8), 400, 10)
        b = sentence_like(np.random.default_rng(9), 1, 10)[0].astype(np.float64)
        slots, c = slots_of(rows), rows @ b
        penalty, stop = np.full(400, np.abs(c).max()), np.full(400, 1e-3)
        status, steps = UNDERWAY, 0
        while status == UNDERWAY:
            change = stop - penalty
            status, more, _ = follow(
                slots.active, np.flatnonzero(slots.active.signs[:400] == 0), c, penalty, change, 10_000
            )
            steps += more
        assert status == DONE
        # More steps than columns that came: some left on the way.
        assert steps > len(slots.members) + 1
        assert (slots.active.x * slots.active.signs).min() >= 0

    def test_it_can_be_left_and_followed_further(self) -> None:
        slots, c, penalty = slots_of(np.eye(2, dtype=np.float32)), np.array([1.0, -0.6]), np.array([1.0, 1.0])
        assert follow(slots.active, np.array([0]), c, penalty, np.full(2, -0.5), 1) == (UNDERWAY, 1, 0.0)
        assert follow(slots.active, NONE, c, penalty, np.full(2, -0.5), 5) == (DONE, 1, 1.0)
        np.testing.assert_allclose(slots.active.x[:1], [0.5])


def test_stages_find_columns_that_no_stage_watched_at_first() -> None:
    rng = np.random.default_rng(10)
    rows = sentence_like(rng, 600, 20)
    b = sentence_like(rng, 1, 20)[0].astype(np.float64)
    slots, c = slots_of(rows, []), rows @ b
    status, _, left = descend(whole(rows), b, slots, c, rng.random(600), (np.abs(c).max(), 1e-4), True, 5000)
    assert status == DONE
    found = rows.astype(np.float64) @ left
    assert np.abs(found).max() <= 1e-4 * (1 + 1e-8)
    inside = slots.place[slots.members]
    np.testing.assert_allclose(found[inside], 1e-4 * slots.active.signs[slots.members], rtol=1e-9)
