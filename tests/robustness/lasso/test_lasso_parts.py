"""The parts of the solver, each alone."""

import numpy as np
import pytest
from lasso_cases import sentence_like
from scipy.linalg import hilbert

from voirdire.engine.threads import one_thread
from voirdire.robustness.lasso.active import WAITING, exchange, join, leave
from voirdire.robustness.lasso.certificate import Question, certify, check_of, highest, primal, rounding_bound
from voirdire.robustness.lasso.columns import (
    BLOCK,
    WorkingSet,
    beyond,
    correlate,
    correlations,
    inner,
    largest,
)
from voirdire.robustness.lasso.dictionary import Dictionary, basis_of_range, main_range
from voirdire.robustness.lasso.path import DONE, UNDERWAY, descend, follow, refine, residual, settle, sharpen
from voirdire.robustness.lasso.slots import Slots

NONE = np.empty(0, np.int64)


def one_by_one(function, tasks) -> None:
    for task in tasks:
        function(task)


def backward(function, tasks) -> None:
    for task in reversed(list(tasks)):
        function(task)


def whole(rows: np.ndarray) -> WorkingSet:
    return WorkingSet(rows, np.arange(len(rows)))


def slots_of(rows: np.ndarray, held: list[int] | None = None) -> Slots:
    """Slots for these rows, none of them active; all rows, each in the slot of its number, where none are named."""
    made = Slots(whole(rows), rows.shape[1], NONE, np.empty(0), np.empty(0))
    made.hold(np.arange(len(rows)) if held is None else np.array(held, np.int64))
    return made


def activate(rows: np.ndarray, places: list[int], x: list[float]) -> Slots:
    slots = slots_of(rows)
    for place, value in zip(places, x, strict=True):
        assert join(slots.active, place, np.sign(value), 0.0)
        slots.active.x[place] = value
    return slots


def inverse_of(slots: Slots) -> np.ndarray:
    lower = np.tril(slots.keep()[1])
    return lower + np.tril(lower, -1).T


def gram_inverse(rows: np.ndarray, slots: Slots) -> np.ndarray:
    taken = rows[slots.place[slots.members]].astype(np.float64)
    return np.linalg.inv(taken @ taken.T)


class TestProducts:
    def test_equal_double_precision(self) -> None:
        rng = np.random.default_rng(0)
        rows, places = rng.normal(size=(30, 17)).astype(np.float32), np.array([3, 29, 0, 4, 8, 3, 11])
        vector, out = rng.normal(size=17), np.empty(7)
        correlate(rows, places, 7, vector, out)
        np.testing.assert_allclose(out, rows[places].astype(np.float64) @ vector, rtol=1e-13)
        assert inner(rows[0], vector) == pytest.approx(rows[0].astype(np.float64) @ vector, rel=1e-14)


class TestDictionary:
    def test_equal_columns_are_one_and_zeros_are_none(self) -> None:
        made = Dictionary.of([[1, 2], [0, 0], [1, 2], [2, 1], [-0.0, 0], [1, 2]])
        assert made.group.tolist() == [0, -1, 0, 1, -1, 0]
        assert made.twins.tolist() == [3, 1]
        assert made.single.tolist() == [[1, 2], [2, 1]]
        assert made.norms.tolist() == pytest.approx([5**0.5] * 2)

    def test_minus_zero_equals_zero(self) -> None:
        assert Dictionary.of([[0.0, 1], [-0.0, 1]]).twins.tolist() == [2]

    def test_nearly_equal_columns_stay_apart(self) -> None:
        assert len(Dictionary.of(np.array([[1, 1], [1, 1 + 2**-23]], np.float32)).single) == 2

    def test_single_precision_is_held_once(self) -> None:
        rows = sentence_like(np.random.default_rng(0), 100, 8)
        made = Dictionary.of(rows)
        assert made.exact is made.single
        assert np.shares_memory(made.single, rows)

    @pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e300, 3e38])
    def test_what_is_not_finite_or_too_long_is_refused(self, wrong: float) -> None:
        with pytest.raises(ValueError, match=r"`vectors` must be finite and of length 1e\+18 at most, got NaN"):
            Dictionary.of([[1, 2], [wrong, 1]])

    def test_other_shapes_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"got float64 of shape \(3,\)"):
            Dictionary.of([1.0, 2, 3])


class TestReduction:
    def test_the_range_is_found_and_distances_stay(self) -> None:
        rng = np.random.default_rng(1)
        rows = (rng.integers(-4, 5, (300, 5)) @ rng.integers(-4, 5, (5, 24))).astype(np.float32)
        basis = basis_of_range(rows[np.abs(rows).max(axis=1) > 0])
        assert basis is not None
        assert basis.shape == (24, 5)
        np.testing.assert_allclose(basis.T @ basis, np.eye(5), atol=1e-14)
        np.testing.assert_allclose((rows @ basis) @ basis.T, rows, atol=1e-11)

    def test_one_odd_column_is_not_lost(self) -> None:
        rows = np.zeros((5000, 10), np.float32)
        rows[:, 0] = 1
        rows[4321, 7] = 1e-6
        basis = basis_of_range(rows)
        assert basis is not None
        np.testing.assert_allclose((rows[4321] @ basis) @ basis.T, rows[4321], atol=1e-14)
        assert basis.shape == (10, 2)

    def test_noise_of_single_precision_is_no_rank(self) -> None:
        rng = np.random.default_rng(2)
        rows = (rng.normal(size=(400, 5)) @ rng.normal(size=(5, 24))).astype(np.float32)
        assert basis_of_range(rows) is None
        found = main_range(rows)
        assert found is not None
        basis, leak = found
        assert basis.shape == (24, 5)
        assert 0 < leak.max() < 1e-5
        outside = rows - (rows.astype(np.float64) @ basis) @ basis.T
        np.testing.assert_allclose(leak, np.linalg.norm(outside, axis=1), rtol=1e-6)

    def test_a_full_space_is_left_alone(self) -> None:
        rows = np.random.default_rng(3).normal(size=(400, 24)).astype(np.float32)
        assert basis_of_range(rows) is None
        assert main_range(rows) is None


class TestScreening:
    def test_all_correlations_whatever_the_order_of_the_blocks(self) -> None:
        rng = np.random.default_rng(4)
        rows, vectors = rng.normal(size=(BLOCK + 300, 12)).astype(np.float32), rng.normal(size=(67, 12))
        with one_thread():
            found, again = (
                correlations(rows, vectors, each, np.empty((70, len(rows)), np.float32))
                for each in (one_by_one, backward)
            )
        assert found.shape == (67, BLOCK + 300)
        np.testing.assert_allclose(found, vectors @ rows.T.astype(np.float64), atol=1e-4)
        assert found.tobytes() == again.tobytes()

    def test_the_largest(self) -> None:
        values = np.array([0.1, -0.9, 0.5, 0.7, -0.2], np.float32)
        assert largest(np.append(values, np.float32(0)), 10).tolist() == [0, 1, 2, 3, 4]
        many = np.random.default_rng(5).normal(size=20_000).astype(np.float32)
        found = largest(many, 500)
        assert 350 < len(found) < 650
        assert np.abs(many[found]).min() > np.abs(np.delete(many, found)).max()
        assert beyond(values, 0.5) == 2


class TestSlots:
    def test_slots_are_given_taken_and_given_again(self) -> None:
        rows = sentence_like(np.random.default_rng(14), 900, 6)
        slots = slots_of(rows, [4, 7, 2])
        assert slots.place[:3].tolist() == [4, 7, 2]
        slots.hold(np.array([4, 2, 8]))
        assert slots.place[:3].tolist() == [4, 8, 2]
        assert np.flatnonzero(slots.slot >= 0).tolist() == [2, 4, 8]
        # More than there is room for at first.
        slots.hold(np.arange(2, 800))
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
        slots.hold(np.array([5, 7, *range(100, 700)]))
        np.testing.assert_allclose(inverse_of(slots), gram_inverse(rows, slots), rtol=1e-10)
        np.testing.assert_allclose(residual(slots, np.zeros(16)), -0.5 * rows[5] - 0.25 * rows[7], atol=1e-7)


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


class TestCertificate:
    @pytest.mark.parametrize("length", [1, 3, 384, 4800, 40_000])
    def test_the_bound_holds_for_any_length(self, length: int) -> None:
        rng = np.random.default_rng(length)
        # Sums of one sign lose most: the error of each addition goes the same way.
        for make in (rng.random, rng.standard_normal):
            rows, vector = make((40, length)).astype(np.float32), np.asarray(make(length))
            exact = rows.astype(np.float64) @ vector
            room = rounding_bound(length, np.float32) * np.linalg.norm(rows, axis=1) * np.linalg.norm(vector)
            for order in (rows @ vector.astype(np.float32), _in_turn(rows, vector.astype(np.float32))):
                assert (np.abs(order - exact) <= room).all()

    def test_there_is_no_bound_where_there_can_be_none(self) -> None:
        assert rounding_bound(384, np.float32) == pytest.approx(387 * 2**-24, rel=1e-4)
        assert rounding_bound(2**24, np.float32) == float("inf")

    def test_the_gap_of_a_wrong_answer_by_hand(self) -> None:
        # x = 0 for one column 1, b = 1, λ = ½: P = ½; y = b shrunk to ½ gives D = ½ − ⅛.
        found = self._of(np.ones((1, 1)), np.ones(1), np.ones(1), [0.0], 0.5)
        assert found.objective == 0.5
        assert found.gap == pytest.approx(0.25)

    def test_the_right_answer_has_none(self) -> None:
        assert self._of(np.ones((1, 1)), np.ones(1), np.array([0.5]), [0.5], 0.5).gap == pytest.approx(0, abs=1e-14)

    def test_a_violation_that_single_precision_cannot_see_counts(self) -> None:
        a = np.array([[1, 0], [0, 1]], np.float32)
        residual = np.array([0.5, 0.5 + 1e-9])
        found = self._of(a, np.array([1.0, 0.5 + 1e-9]), residual, [0.5], 0.5)
        assert 1e-10 < found.gap < 1e-8

    def test_a_column_that_is_left_out_does_not_count(self) -> None:
        a = np.array([[1, 0], [0, 1]], np.float32)
        b, residual = np.array([1.0, 3.0]), np.array([0.5, 3.0])
        assert self._of(a, b, residual, [0.5], 0.5).gap > 0.1
        assert self._of(a, b, residual, [0.5], 0.5, left_out=np.array([1])).gap == pytest.approx(0, abs=1e-14)

    def test_any_dual_point_will_do_and_none_makes_a_wrong_answer_right(self) -> None:
        a, b = np.eye(2, dtype=np.float32), np.array([1.0, 0.2])
        # x = (½, 0) is right; with the residual of the right answer, (0.4, 0) stays what it is.
        assert self._of(a, b, np.array([0.5, 0.2]), [0.5], 0.5).gap == pytest.approx(0, abs=1e-14)
        assert self._of(a, b, np.array([0.5, 0.2]), [0.4], 0.5).gap > 1e-3
        assert self._of(a, b, np.array([0.5, 0.1]), [0.5], 0.5).gap > 1e-3

    @staticmethod
    def _of(a, b, y, x, penalty, left_out=NONE):
        dictionary = Dictionary.of(a)
        values = (dictionary.single @ (y / penalty).astype(np.float32)).astype(np.float32)
        question = Question(b, b, 0.0, penalty, left_out)
        answer, rows = (np.arange(len(x)), np.array(x)), dictionary.original[: len(x)]
        check = check_of(dictionary, question, y, dictionary.visible(y), penalty)
        most = highest(dictionary.exact, dictionary.norms, dictionary.leak, values, check, left_out)
        return certify(question, answer, primal(question, answer, rows, dictionary.norms[: len(x)]), check, most)


def _in_turn(rows: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The worst order: one after the other, each sum rounded."""
    return np.cumsum(rows * vector, axis=1, dtype=np.float32)[:, -1]
