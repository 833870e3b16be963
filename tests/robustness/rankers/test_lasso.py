"""The ranker by LASSO, with vectors made by hand."""

import numpy as np
import pytest
from lasso_cases import sentence_like

from voirdire.errors import UsageError
from voirdire.robustness.lasso import Dictionary, solve_lasso
from voirdire.robustness.rankers import make_lasso, make_ranker

NOBODY = np.empty(0, np.int64)


class Table:
    """An encoder that looks texts up."""

    name, signature = "table", "0123"

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    @property
    def dimension(self) -> int:
        return len(next(iter(self._vectors.values())))

    def encode(self, texts) -> np.ndarray:
        return np.array([self._vectors[text] for text in texts], np.float32).reshape(len(texts), self.dimension)


AXES = Table(
    {
        "x": [1, 0, 0],
        "x again": [1, 0, 0],
        "y": [0, 1, 0],
        "back": [0, 0, -1],
        "nothing": [0, 0, 0],
        "main": [0.5, 0.9, 0.7],
        "same": [0.6, 0.6, 0],
    }
)


def test_ranks_by_signed_coefficients_and_gives_twins_the_same_score() -> None:
    pool = ["x", "nothing", "y", "back", "x again"]
    ranked = make_ranker("lasso", pool, encoder=AXES, lam=0.1).rank(["main"], [NOBODY], 5)
    # Orthogonal columns: each coefficient is the soft threshold; that of "back" is −0.6, so it is no neighbour.
    assert ranked.places.tolist() == [[2, 0, 4, -1, -1]]
    assert ranked.scores[0].tolist() == pytest.approx([0.8, 0.4, 0.4, 0, 0])
    assert ranked.certificates["support"].tolist() == [3]
    assert ranked.certificates["status"].tolist() == ["certified"]
    assert ranked.certificates["reason"].tolist() == [""]
    assert ranked.certificates["gap"].tolist() == pytest.approx([0], abs=1e-8)


def test_equal_scores_stand_in_the_order_of_the_pool() -> None:
    ranked = make_ranker("lasso", ["y", "x again", "x"], encoder=AXES, lam=0.1).rank(["same"], [NOBODY], 2)
    assert ranked.places.tolist() == [[0, 1]]


def test_a_place_that_is_left_out_is_not_listed_and_its_twin_is() -> None:
    ranker = make_ranker("lasso", ["x", "x again", "y"], encoder=AXES, lam=0.1)
    ranked = ranker.rank(["main", "main"], [np.array([0]), np.array([0, 1])], 3)
    assert ranked.places.tolist() == [[2, 1, -1], [2, -1, -1]]


def test_a_main_question_in_the_pool_takes_all_unless_it_is_left_out() -> None:
    ranker = make_ranker("lasso", ["x", "main", "y"], encoder=AXES, lam=1e-6)
    ranked = ranker.rank(["main", "main"], [NOBODY, np.array([1])], 3)
    assert ranked.places.tolist() == [[1, -1, -1], [2, 0, -1]]
    assert ranked.scores[0, 0] == pytest.approx(1, abs=1e-5)


def test_lists_are_the_positive_part_of_the_solution() -> None:
    rng = np.random.default_rng(0)
    vectors = {str(i): row.tolist() for i, row in enumerate(sentence_like(rng, 1010, 32))}
    names, encoder = list(vectors), Table(vectors)
    ranked = make_ranker("lasso", names[:1000], encoder=encoder, lam=1e-3).rank(names[1000:], [NOBODY] * 10, 7)
    for row, scores, solution in zip(
        ranked.places,
        ranked.scores,
        solve_lasso(Dictionary.of(encoder.encode(names[:1000])), encoder.encode(names[1000:]), 1e-3),
        strict=True,
    ):
        best = np.argsort(-solution.coefficients, kind="stable")[:7]
        assert row.tolist() == solution.columns[best].tolist()
        assert scores.tolist() == solution.coefficients[best].tolist()
        assert (solution.coefficients < 0).any()


def test_penalties_are_in_the_unit_of_squared_lengths() -> None:
    rows = sentence_like(np.random.default_rng(1), 310, 16)
    lists = []
    for factor in (1, 4):
        vectors = {str(i): (factor * row).tolist() for i, row in enumerate(rows)}
        names = list(vectors)
        ranker = make_ranker("lasso", names[:300], encoder=Table(vectors), lam=1e-3 * factor**2)
        lists.append(ranker.rank(names[300:], [NOBODY] * 10, 7))
    assert lists[0].places.tolist() == lists[1].places.tolist()
    np.testing.assert_allclose(lists[0].scores, lists[1].scores, rtol=1e-6)


def test_the_signature_states_the_scaling_and_the_encoder() -> None:
    signature = make_ranker("lasso", ["x"], encoder=AXES, lam=0.25).signature
    assert signature["lambda"] == 0.25
    assert signature["scaling"] == "lambda is the formula's; scikit-learn's alpha is lambda / 3"
    assert (signature["encoder"], signature["encoder_hash"]) == ("table", "0123")


def test_scikit_learns_objective_is_the_papers_on_centred_vectors() -> None:
    shifted = Table({"x": [2, 1, 1], "y": [-1, 0, -1], "flat": [7, 7, 7], "main": [3.5, 3.9, 2.3]})
    ranker = make_lasso(["x", "flat", "y"], shifted, 0.01, "scikit-learn")
    ranked = ranker.rank(["main"], [NOBODY], 3)
    # Less their means, x and y are e_1 − 1/3 and e_2 − 1/3: with s = x + y, a stationary point has
    # x − s/3 = b_1 − λ and y − s/3 = b_2 − λ, where b is main less its mean and λ = 0.01 · 3.
    first, second = 3.5 - 9.7 / 3 - 0.03, 3.9 - 9.7 / 3 - 0.03
    total = 3 * (first + second)
    assert ranked.places.tolist() == [[2, 0, -1]]
    assert ranked.scores[0].tolist() == pytest.approx([second + total / 3, first + total / 3, 0], rel=1e-5)
    assert ranked.certificates["status"].tolist() == ["certified"]
    signature = ranker.signature
    assert signature["lambda"] == 0.01
    assert signature["objective"] == "1/2d |Ax + c - b|^2 + lambda |x|_1, c an intercept"
    assert signature["scaling"] == "lambda is scikit-learn's alpha; that of 1/2 |Ax - b|^2 + lambda |x|_1 is 0.03"


def test_what_is_missing_is_said() -> None:
    with pytest.raises(UsageError, match="needs an encoder"):
        make_ranker("lasso", ["x"])
    with pytest.raises(UsageError, match=r"`lambda` must be a finite number above 0, got 0\.0: without a penalty"):
        make_ranker("lasso", ["x"], encoder=AXES, lam=0.0)
    with pytest.raises(UsageError, match=r"`lambda` must be at least .* for these vectors, got 1e-30"):
        make_ranker("lasso", ["x"], encoder=AXES, lam=1e-30)
    with pytest.raises(UsageError, match=r"got 3e-13: .* The default is 1e-05"):
        make_lasso(["main"], Table({"main": [3.0, 0.0, 0.0]}), 3e-13, "scikit-learn")
    assert make_ranker("lasso", [], encoder=AXES).rank(["x"], [NOBODY], 2).places.tolist() == [[-1, -1]]
