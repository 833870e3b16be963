"""The duality gap, and the bounds that it rests on."""

import numpy as np
import pytest
from lasso_cases import NONE

from voirdire.robustness.lasso.certificate import Question, certify, check_of, highest, primal, rounding_bound
from voirdire.robustness.lasso.dictionary import Dictionary


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
