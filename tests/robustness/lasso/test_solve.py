import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lasso_cases import check_optimal, columns_of, sentence_like, unit

from voirdire.robustness.lasso import Dictionary, solve_lasso
from voirdire.robustness.lasso.solve import BATCH, State

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("penalty", [0.1, 0.01, 1e-3, 1e-6])
def test_every_answer_is_certified_and_optimal_in_the_original_space(penalty: float) -> None:
    rng = np.random.default_rng(0)
    a, b = sentence_like(rng, 3000, 48), sentence_like(rng, 6, 48)
    dictionary = Dictionary.of(a)
    for target, solution in zip(b, solve_lasso(dictionary, b, penalty), strict=True):
        assert (solution.status, solution.reason) == ("certified", "")
        assert solution.gap <= 1e-8
        assert solution.support <= 48
        check_optimal(a, target, columns_of(dictionary, solution), penalty)


def test_one_column_is_the_soft_threshold() -> None:
    (solution,) = solve_lasso(Dictionary.of([[2.0, 0.0]]), [[3.0, 5.0]], 1.5)
    # ½(2x − 3)² + 1.5|x|: 2(2x − 3) + 1.5 = 0, and what no column reaches counts in the objective.
    assert solution.coefficients.tolist() == pytest.approx([1.125])
    assert solution.objective == pytest.approx(0.5 * 0.75**2 + 1.5 * 1.125 + 12.5)


def test_a_main_question_inside_the_pool_takes_itself() -> None:
    rng = np.random.default_rng(1)
    a = sentence_like(rng, 2000, 32)
    (solution,) = solve_lasso(Dictionary.of(a), a[[7]], 1e-6)
    assert solution.status == "certified"
    assert solution.columns[np.argmax(solution.coefficients)] == 7
    assert solution.coefficients.max() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("penalty", [0.05, 1e-6])
def test_left_out_columns_are_as_if_they_were_not_there(penalty: float) -> None:
    rng = np.random.default_rng(2)
    a = sentence_like(rng, 1500, 24)
    gone = np.array([3, 77, 1400])
    (solution,) = solve_lasso(Dictionary.of(a), a[[77]], penalty, left_out=[gone])
    rest = np.delete(np.arange(len(a)), gone)
    (without,) = solve_lasso(Dictionary.of(a[rest]), a[[77]], penalty)
    assert solution.status == without.status == "certified"
    assert not set(solution.columns.tolist()) & set(gone.tolist())
    assert solution.objective == pytest.approx(without.objective, rel=1e-8)
    assert solution.columns.tolist() == rest[without.columns].tolist()
    np.testing.assert_allclose(solution.coefficients, without.coefficients, atol=1e-7)


def test_a_column_stays_while_an_equal_one_is_not_left_out() -> None:
    a = np.eye(3, dtype=np.float32)[[0, 0, 1, 2]]
    dictionary = Dictionary.of(a)
    solution, both = solve_lasso(dictionary, np.eye(3)[[0, 0]], 0.1, left_out=[[0], [0, 1]])
    assert solution.columns.tolist() == [0]
    assert both.support == 0
    assert both.status == "certified"


@pytest.mark.parametrize("penalty", [0.1, 1e-3, 1e-6])
def test_thousands_of_equal_and_nearly_equal_columns(penalty: float) -> None:
    rng = np.random.default_rng(3)
    some = sentence_like(rng, 60, 20)
    noise = rng.integers(-1, 2, (3000, 20)) * np.float32(2**-24)
    a = np.concatenate([some, np.repeat(some, 30, axis=0), some[rng.integers(0, 60, 3000)] + noise.astype(np.float32)])
    dictionary = Dictionary.of(a)
    b = sentence_like(rng, 5, 20)
    for target, solution in zip(b, solve_lasso(dictionary, b, penalty), strict=True):
        assert solution.status == "certified", solution.reason
        check_optimal(a, target, columns_of(dictionary, solution), penalty)


def test_averages_of_few_words_repeat_and_depend_on_each_other() -> None:
    rng = np.random.default_rng(4)
    words = rng.normal(size=(15, 40)).astype(np.float32)
    a = np.stack([words[rng.integers(0, 15, rng.integers(1, 5))].mean(axis=0) for _ in range(4000)])
    b = np.stack([words[rng.integers(0, 15, 3)].mean(axis=0) for _ in range(8)]) + 0.1 * rng.normal(size=(8, 40))
    dictionary = Dictionary.of(a)
    for penalty in (0.1, 1e-3, 1e-6):
        for target, solution in zip(b, solve_lasso(dictionary, b, penalty), strict=True):
            assert solution.status == "certified", solution.reason
            # Half of the target is out of reach of all columns but for their rounding, 1e-8, which at λ = 1e-6 is seen
            # in the correlations, and not in the objective.
            check_optimal(a, target, columns_of(dictionary, solution), penalty, share=1e-6 / penalty * 0.2)


def test_rank_deficient_columns_in_a_larger_space() -> None:
    rng = np.random.default_rng(5)
    # Whole numbers, so that the columns lie in the range exactly.
    a = (rng.integers(-3, 4, (500, 6)) @ rng.integers(-2, 3, (6, 40))).astype(np.float32)
    dictionary = Dictionary.of(a)
    assert dictionary.exact.shape[1] == 6
    b = rng.normal(size=(4, 40))
    for target, solution in zip(b, solve_lasso(dictionary, b, 0.01), strict=True):
        assert solution.status == "certified"
        check_optimal(a, target, columns_of(dictionary, solution), 0.01)


def test_more_numbers_than_columns() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(5, 30)).astype(np.float32), rng.normal(size=(3, 30))
    dictionary = Dictionary.of(a)
    for target, solution in zip(b, solve_lasso(dictionary, b, 1e-4), strict=True):
        assert solution.status == "certified"
        assert solution.support == 5
        check_optimal(a, target, columns_of(dictionary, solution), 1e-4)


@pytest.mark.parametrize("kind", ["orthogonal", "zero target", "above the largest λ", "only zeros", "no column"])
def test_nothing_to_find_is_certified(kind: str) -> None:
    rng = np.random.default_rng(7)
    a = np.zeros((20, 8), np.float32)
    a[:, :5] = rng.normal(size=(20, 5))
    b, penalty = np.zeros((1, 8)), 0.1
    if kind == "orthogonal":
        b[0, 6] = 1.0
    elif kind == "above the largest λ":
        b[0] = rng.normal(size=8)
        penalty = float(np.abs(a.astype(np.float64) @ b[0]).max()) * (1 + 1e-12)
    elif kind == "only zeros":
        a, b = a * 0, b + 1
    elif kind == "no column":
        a, b = a[:0], b + 1
    (solution,) = solve_lasso(Dictionary.of(a), b, penalty)
    assert (solution.support, solution.status, solution.gap) == (0, "certified", pytest.approx(0, abs=1e-10))
    assert solution.objective == pytest.approx(0.5 * (b @ b.T).item())


def test_just_below_the_largest_penalty_one_column_is_active() -> None:
    rng = np.random.default_rng(8)
    a, b = sentence_like(rng, 300, 12), sentence_like(rng, 1, 12)
    most = float(np.abs(a.astype(np.float64) @ b[0].astype(np.float64)).max())
    (solution,) = solve_lasso(Dictionary.of(a), b, most * (1 - 1e-6))
    assert (solution.support, solution.status) == (1, "certified")


def test_results_do_not_depend_on_threads_and_hardly_on_the_other_targets() -> None:
    rng = np.random.default_rng(9)
    dictionary = Dictionary.of(sentence_like(rng, 9000, 40))
    b = sentence_like(rng, BATCH + 5, 40)
    solution, two = (solve_lasso(dictionary, b, 0.01, threads=threads) for threads in (1, 2))
    for first, second in zip(solution, two, strict=True):
        assert first.columns.tolist() == second.columns.tolist()
        assert first.coefficients.tobytes() == second.coefficients.tobytes()
        assert first.gap == second.gap
    for i in (0, 60, BATCH + 4):
        (alone,) = solve_lasso(dictionary, b[[i]], 0.01)
        assert alone.columns.tolist() == solution[i].columns.tolist()
        np.testing.assert_allclose(alone.coefficients, solution[i].coefficients, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-12, 1e-4, 1e6, 1e15])
def test_units_do_not_matter(scale: float) -> None:
    rng = np.random.default_rng(10)
    a, b = sentence_like(rng, 800, 16), sentence_like(rng, 2, 16)
    plain = solve_lasso(Dictionary.of(a), b, 1e-3)
    scaled = solve_lasso(Dictionary.of(a * np.float32(scale)), b * scale, 1e-3 * scale**2)
    for first, second in zip(plain, scaled, strict=True):
        assert second.status == "certified"
        np.testing.assert_allclose(_over(first, 800), _over(second, 800), atol=1e-4)


def _over(found, n):  # type: ignore[no-untyped-def]
    x = np.zeros(n)
    x[found.columns] = found.coefficients
    return x


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60), d=st.integers(1, 12), power=st.integers(-6, 0))
def test_any_small_problem_with_ties_is_certified(seed: int, n: int, d: int, power: int) -> None:
    rng = np.random.default_rng(seed)
    # Small whole numbers: many equal, opposite, parallel and dependent columns, many ties on the path.
    a = rng.integers(-2, 3, (n, d)).astype(np.float32)
    b = rng.integers(-3, 4, (3, d)).astype(np.float64)
    dictionary = Dictionary.of(a)
    for target, solution in zip(b, solve_lasso(dictionary, b, 10.0**power), strict=True):
        assert solution.status == "certified", solution.reason
        check_optimal(a, target, columns_of(dictionary, solution), 10.0**power, share=1e-5)


@pytest.mark.parametrize("penalty", [-1.0, float("nan"), float("inf")])
def test_a_penalty_that_is_none_is_refused(penalty: float) -> None:
    with pytest.raises(ValueError, match=rf"`penalty` must be a finite number above 0, got {penalty}$"):
        solve_lasso(Dictionary.of(np.eye(2)), np.eye(2), penalty)


def test_no_penalty_is_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match=r"`penalty` must be a finite number above 0, got 0\.0: without a penalty"):
        solve_lasso(Dictionary.of(np.eye(2)), np.eye(2), 0.0)


def test_a_penalty_too_small_for_double_precision_ends_at_once_and_says_so() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(400, 20)), rng.normal(size=(2, 20))
    dictionary = Dictionary.of(a)
    largest = float(np.abs(a.astype(np.float32) @ b[0]).max())
    (small,) = solve_lasso(dictionary, b[:1], 2e-12 * largest)
    (smaller,) = solve_lasso(dictionary, b[:1], 1e-30)
    assert small.status == "certified"
    assert (smaller.status, smaller.support, smaller.gap) == ("uncertified", 0, float("inf"))
    assert smaller.reason == f"λ is below 1e-12 of {largest:.3g}, where the first coefficient appears"


def test_what_cannot_be_solved_is_refused() -> None:
    dictionary = Dictionary.of(np.eye(2))
    with pytest.raises(ValueError, match="`targets` must be finite numbers, got NaN or infinity"):
        solve_lasso(dictionary, [[np.nan, 1]], 0.1)
    with pytest.raises(ValueError, match=r"`targets` must have the shape \(m, 2\), got \(1, 3\)"):
        solve_lasso(dictionary, np.ones((1, 3)), 0.1)
    with pytest.raises(ValueError, match="`left_out` must be columns 0 to 1, got 0 to 2"):
        solve_lasso(dictionary, np.eye(2), 0.1, left_out=[[0, 2], []])
    with pytest.raises(ValueError, match=r"`left_out` must have one entry per target \(2\), got 1"):
        solve_lasso(dictionary, np.eye(2), 0.1, left_out=[[0]])
    with pytest.raises(ValueError, match="`threads` must be at least 1, got 0"):
        solve_lasso(dictionary, np.eye(2), 0.1, threads=0)
    assert solve_lasso(dictionary, np.empty((0, 2)), 0.1) == []


def test_a_problem_without_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    a, b = sentence_like(rng, 500, 16), sentence_like(rng, 1, 16)
    with monkeypatch.context() as patch:
        patch.setattr("voirdire.robustness.lasso.solve.STEPS", 3)
        (solution,) = solve_lasso(Dictionary.of(a), b, 1e-3)
        assert (solution.status, solution.reason) == ("uncertified", "a path took 3 steps")
        assert solution.gap == float("inf")
    with monkeypatch.context() as patch:
        patch.setattr("voirdire.robustness.lasso.solve.TOLERANCE", -1.0)
        (solution,) = solve_lasso(Dictionary.of(a), b, 1e-3)
        assert solution.status == "uncertified"
        assert solution.reason.startswith("the gap stays above ")


def test_unit_vectors_of_another_kind() -> None:
    """A target that is one column plus noise finds the column first."""
    rng = np.random.default_rng(12)
    a = unit(rng.normal(size=(1000, 64)))
    b = unit(a[[5]] + 0.05 * rng.normal(size=(1, 64)))
    (solution,) = solve_lasso(Dictionary.of(a), b, 0.1)
    assert solution.columns[np.argmax(solution.coefficients)] == 5


def _permuted(columns, x, rng):  # type: ignore[no-untyped-def]
    return columns, np.roll(x, 1)


def _wrong_index(columns, x, rng):  # type: ignore[no-untyped-def]
    spare = np.setdiff1d(np.arange(1500), columns)
    changed = columns.copy()
    changed[np.argmax(np.abs(x))] = spare[0]
    return changed, x


def _dropped(columns, x, rng):  # type: ignore[no-untyped-def]
    kept = np.arange(len(x)) != np.argsort(np.abs(x))[len(x) // 2]
    return columns[kept], x[kept]


def _flipped(columns, x, rng):  # type: ignore[no-untyped-def]
    return columns, np.where(np.arange(len(x)) == np.argsort(np.abs(x))[len(x) // 2], -x, x)


def _scaled(columns, x, rng):  # type: ignore[no-untyped-def]
    return columns, np.where(np.arange(len(x)) == np.argmax(np.abs(x)), 1.01 * x, x)


@pytest.mark.parametrize("penalty", [0.01, 1e-6])
@pytest.mark.parametrize("fault", [_permuted, _wrong_index, _dropped, _flipped, _scaled])
@pytest.mark.parametrize("rotated", [False, True])
def test_the_certificate_sees_the_answer_that_is_handed_out(monkeypatch, fault, penalty: float, rotated: bool) -> None:
    """A fault in the final coefficients, of which the solver's residual knows nothing, is never certified."""
    rng = np.random.default_rng(13)
    if rotated:
        # Whole numbers below 2²⁴, so that the columns lie in a range of 24 dimensions exactly.
        a = (rng.integers(-9, 10, (1500, 24)) @ rng.integers(-2, 3, (24, 60))).astype(np.float32)
        b = a[:3] + a[3:6] + rng.normal(size=(3, 60))
    else:
        a, b = sentence_like(rng, 1500, 24), sentence_like(rng, 3, 24).astype(np.float64)
    dictionary = Dictionary.of(a)
    assert (dictionary.basis is not None) == rotated
    assert {solution.status for solution in solve_lasso(dictionary, b, penalty)} == {"certified"}
    right = State.answer
    monkeypatch.setattr(State, "answer", lambda self: fault(*right(self), rng) if len(self.x) else right(self))
    for found in solve_lasso(dictionary, b, penalty):
        assert (found.status, found.reason) == ("uncertified", "the gap stays above 1e-08 of the objective")


def test_a_column_that_was_left_out_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    a = np.eye(3, dtype=np.float32)
    monkeypatch.setattr(State, "answer", lambda self: (np.array([0]), np.array([0.9])))
    (solution,) = solve_lasso(Dictionary.of(a), [[1.0, 0, 0]], 0.1, left_out=[[0]])
    assert solution.status == "uncertified"
