"""The columns made ready: equal ones, rotation into their range, the main range."""

import numpy as np
import pytest
from lasso_cases import sentence_like

from voirdire.robustness.lasso.dictionary import Dictionary, basis_of_range, main_range


class TestDictionary:
    def test_equal_columns_are_one_and_zeros_are_none(self) -> None:
        dictionary = Dictionary.of([[1, 2], [0, 0], [1, 2], [2, 1], [-0.0, 0], [1, 2]])
        assert dictionary.group.tolist() == [0, -1, 0, 1, -1, 0]
        assert dictionary.twins.tolist() == [3, 1]
        assert dictionary.single.tolist() == [[1, 2], [2, 1]]
        assert dictionary.norms.tolist() == pytest.approx([5**0.5] * 2)

    def test_minus_zero_equals_zero(self) -> None:
        assert Dictionary.of([[0.0, 1], [-0.0, 1]]).twins.tolist() == [2]

    def test_nearly_equal_columns_stay_apart(self) -> None:
        assert len(Dictionary.of(np.array([[1, 1], [1, 1 + 2**-23]], np.float32)).single) == 2

    def test_single_precision_is_held_once(self) -> None:
        rows = sentence_like(np.random.default_rng(0), 100, 8)
        dictionary = Dictionary.of(rows)
        assert dictionary.exact is dictionary.single
        assert np.shares_memory(dictionary.single, rows)

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
