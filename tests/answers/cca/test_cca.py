"""The eigenproblem of CCA against its definition, projection, and the file."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.answers.cca import Cca, _About, read_cca, solve, unit_rows, write_cca
from voirdire.answers.cca.moments import DenseMoments, Moments
from voirdire.answers.exam import CcaOptions
from voirdire.errors import InputError, UsageError
from voirdire.formats.files import open_source
from voirdire.models.array_file import read_arrays, write_arrays

pytestmark = pytest.mark.slow


def moments(views: list[np.ndarray]) -> Moments:
    sums = DenseMoments([view.shape[1] for view in views])
    sums.add(*views)
    return sums.moments()


def related(seed: int, *sizes: int, n: int = 400) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, 5))
    return [hidden @ rng.normal(size=(5, size)) + rng.normal(size=(n, size)) + 2.0 for size in sizes]


def definition(views: list[np.ndarray], inter: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues, unit eigenvectors and B by a general solver on the matrices of the definition."""
    full = np.cov(np.hstack(views).T)
    blocks = scipy.linalg.block_diag(*(np.cov(view.T) for view in views))
    left = full - blocks if inter else full + 1e-12 * np.eye(len(full))
    right = blocks + 1e-12 * np.eye(len(full))
    values, vectors = scipy.linalg.eig(left, right)
    order = np.argsort(-values.real)
    return values.real[order], vectors.real[:, order], right


@pytest.mark.parametrize("sizes", [(6, 4), (5, 5), (4, 6, 7)])
@pytest.mark.parametrize("form", ["code", "inter"])
def test_the_definition(sizes: tuple[int, ...], form: str) -> None:
    views = related(2, *sizes)
    cca = solve(moments(views), CcaOptions(k=4, form=form))  # type: ignore[arg-type]
    values, vectors, _ = definition(views, form == "inter")
    np.testing.assert_allclose(cca.eigenvalues, values[:4], rtol=1e-8)
    stacked = np.concatenate(cca.weights)
    np.testing.assert_allclose(np.linalg.norm(stacked, axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose(np.abs((stacked * vectors[:, :4]).sum(axis=0)), 1, rtol=1e-7)


def test_two_views_give_one_plus_the_canonical_correlation() -> None:
    x, y = related(3, 6, 4)
    cca = solve(moments([x, y]), CcaOptions(k=4))
    z = [cca.project("answer", x), cca.project("question", y)]
    actual = [np.corrcoef(z[0][:, i], z[1][:, i])[0, 1] for i in range(4)]
    np.testing.assert_allclose(cca.eigenvalues - 1, actual, rtol=1e-9)
    np.testing.assert_allclose(cca.correlations, actual, rtol=1e-9)
    inter = solve(moments([x, y]), CcaOptions(k=4, form="inter"))
    np.testing.assert_allclose(inter.correlations, actual, rtol=1e-9)


def test_projection_is_the_formula_and_its_training_mean_is_zero() -> None:
    x, y = related(4, 6, 4)
    cca = solve(moments([x, y]), CcaOptions(k=3, p=2.0))
    projected = x @ cca.weights[0] @ np.diag(cca.eigenvalues**2)
    np.testing.assert_allclose(cca.project("answer", x), projected - projected.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(cca.project("question", y).mean(axis=0), 0, atol=1e-12)
    with pytest.raises(ValueError, match=r"`vectors` must have the shape \(n, 6\), got \(400, 4\)"):
        cca.project("answer", y)


def test_a_row_has_the_same_bytes_in_any_company() -> None:
    x, y = related(5, 60, 40, n=5000)
    cca = solve(moments([x, y]), CcaOptions(k=30))
    whole = cca.project("answer", x)
    assert np.array_equal(cca.project("answer", x[4000:4010]), whole[4000:4010])


def test_scale_variance_makes_components_vary_equally() -> None:
    x, y = related(6, 6, 4)
    cca = solve(moments([x, y]), CcaOptions(k=4, p=0, scale="variance"))
    total = cca.project("answer", x).var(axis=0, ddof=1) + cca.project("question", y).var(axis=0, ddof=1)
    np.testing.assert_allclose(total, 1, rtol=1e-9)


def test_a_ridge_lowers_the_correlations() -> None:
    sums = moments(related(7, 6, 4))
    plain, ridged = (solve(sums, CcaOptions(k=4, ridge=ridge)).correlations for ridge in (1e-12, 1.0))
    assert (ridged < plain).all()


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_directions_that_do_not_vary_change_nothing(seed: int, constant: int) -> None:
    x, y = related(seed, 5, 4, n=60)
    wide = np.hstack([x * 1e3, x[:, :1] * 1e3 - x[:, 1:2] * 1e3, np.full((60, constant), 7.0)])
    plain, more = solve(moments([x, y]), CcaOptions(k=4)), solve(moments([wide, y]), CcaOptions(k=4))
    np.testing.assert_allclose(more.correlations, plain.correlations, atol=1e-7)
    assert (more.correlations <= 1 + 1e-9).all()


@pytest.mark.parametrize("form", ["code", "inter"])
def test_both_ways_of_whitening_give_the_same_model(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sums = moments(related(12, 30, 20))
    quick = solve(sums, CcaOptions(k=20, form=form))  # type: ignore[arg-type]
    monkeypatch.setattr("voirdire.answers.cca.CERTAIN", np.inf)
    careful = solve(sums, CcaOptions(k=20, form=form))  # type: ignore[arg-type]
    np.testing.assert_allclose(quick.eigenvalues, careful.eigenvalues, atol=1e-12)
    for ours, theirs in zip(quick.weights, careful.weights, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_k_is_at_most_the_rank_of_the_smallest_view() -> None:
    x, y = related(8, 6, 4)
    assert len(solve(moments([x, np.hstack([y, y])]), CcaOptions(k=300)).eigenvalues) == 4
    with pytest.raises(ValueError, match="views that vary, got one that does not"):
        solve(moments([x, np.ones((400, 2))]))


@pytest.mark.parametrize("form", ["code", "inter"])
@pytest.mark.parametrize("scale", ["unit", "variance"])
def test_where_all_directions_vary_both_solvers_agree(form: str, scale: str) -> None:
    sums = moments(related(4, 6, 5))
    ours, theirs = (
        solve(sums, CcaOptions(k=4, form=form, scale=scale, directions=which))  # type: ignore[arg-type]
        for which in ("varying", "all")
    )
    np.testing.assert_allclose(ours.eigenvalues, theirs.eigenvalues, rtol=1e-8)
    for each, other in zip(ours.weights, theirs.weights, strict=True):
        np.testing.assert_allclose(each, other, atol=1e-6)


def test_null_directions_have_weight_by_the_authors_solver_alone() -> None:
    """A view of rank 3 in 5 dimensions: the two directions in which nothing varies have λ = ridge / ridge = 1."""
    x, y = related(5, 3, 6)
    wide = np.hstack([x, x[:, :1] + x[:, 1:2], np.full((len(x), 1), 3.0)])
    sums = moments([wide, y])
    ours, theirs = solve(sums, CcaOptions(k=5)), solve(sums, CcaOptions(k=5, ridge=1e-9, directions="all"))
    assert (len(ours.eigenvalues), len(theirs.eigenvalues)) == (3, 5)
    np.testing.assert_allclose(theirs.eigenvalues[:3], ours.eigenvalues, atol=1e-6)
    np.testing.assert_allclose(theirs.eigenvalues[3:], 1, atol=1e-6)
    cov = np.cov(np.hstack([wide, y]).T)
    blocks = scipy.linalg.block_diag(cov[:5, :5], cov[5:, 5:])
    ridge, stacked = 1e-9 * np.eye(11), np.concatenate(theirs.weights)
    np.testing.assert_allclose((cov + ridge) @ stacked, (blocks + ridge) @ stacked * theirs.eigenvalues, atol=1e-9)
    # Who differs from train in such a direction alone is seen by their solver, and by ours as the mean.
    odd = wide.mean(axis=0) + np.array([0, 0, 0, 0, 1.0])
    assert np.abs(ours.project("answer", odd[None])).max() < 1e-6
    assert np.abs(theirs.project("answer", odd[None])).max() > 0.1


def test_unit_rows_leave_zeros_alone() -> None:
    np.testing.assert_array_equal(unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "`k` must be at least 1, got 0"),
        ({"ridge": -1}, "`ridge` must be at least 0, got -1"),
        ({"form": "x"}, "`form` must be one of code, inter, got 'x'"),
        ({"scale": "x"}, "`scale` must be one of unit, variance, got 'x'"),
    ],
)
def test_options_are_checked(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CcaOptions(**options)  # type: ignore[arg-type]


@pytest.fixture
def model() -> Cca:
    cca = solve(moments(related(9, 6, 4, 5)), CcaOptions(k=3))
    return replace(
        cca, encoder="words:x", signature="ab" * 32, words=("a", "the"), source="ground truths", data={"visdial": "00"}
    )


def test_a_file_gives_the_model_back_and_the_same_bytes(model: Cca, tmp_path: Path) -> None:
    write_cca(model, tmp_path / "a.npz")
    again = read_cca(tmp_path / "a.npz")
    write_cca(again, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert again.options == model.options
    assert again.views == ("answer", "question", "image")
    assert (again.encoder, again.words, again.source, again.data) == (
        "words:x",
        ("a", "the"),
        "ground truths",
        model.data,
    )
    for ours, theirs in zip((*model.weights, *model.means), (*again.weights, *again.means), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.pop("about"), "field `about`"),
        (lambda a: a.pop("question_mean"), "field `question_mean`: found nothing"),
        (lambda a: a.update(answer_mean=a["answer_mean"] * np.nan), "answer_mean`: found a number that is not finite"),
        (lambda a: a.update(answer_weights=a["answer_weights"] * 2), "answer_weights`: found other values than were"),
        (lambda a: a.update(more=np.ones(2)), "field `more`: found an array, expected no such array"),
        (lambda a: a.pop("sha256"), "field `sha256`: found nothing"),
    ],
)
def test_a_damaged_file_says_what_is_wrong(model: Cca, tmp_path: Path, change: object, message: str) -> None:
    write_cca(model, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        arrays = dict(file)
    change(arrays)  # type: ignore[operator]
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(InputError, match=message):
        read_cca(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("about", "change", "message"),
    [
        ({}, lambda a: a.update(eigenvalues=a["eigenvalues"][:2]), r"expected float64 of shape \(6, 2\)"),
        (
            {},
            lambda a: a.update(eigenvalues=a["eigenvalues"] * np.inf),
            "found a number that is not",
        ),
        ({"pairs": None}, lambda a: None, "Expected `int`"),
        ({"format": 9}, lambda a: None, "found 9, expected 2"),
    ],
)
def test_a_file_of_another_make_says_what_is_wrong(
    model: Cca, tmp_path: Path, about: dict[str, object], change: object, message: str
) -> None:
    write_cca(model, tmp_path / "a.npz")
    archive, arrays = read_arrays(open_source(tmp_path / "a.npz"), _About, "a model")
    change(arrays)  # type: ignore[operator]
    write_arrays(tmp_path / "bad.npz", msgspec.structs.replace(archive, **about), arrays)
    with pytest.raises(InputError, match=message):
        read_cca(tmp_path / "bad.npz")


def test_other_files_are_not_taken_for_a_model(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_text("hello")
    with pytest.raises(InputError, match="found text that starts with 'hello', expected a CCA that"):
        read_cca(tmp_path / "x.npz")
    with pytest.raises(InputError, match="no such file"):
        read_cca(tmp_path / "y.npz")
